"""Apps to lend. To make one takes a tenth of a second, which goes into reading what each route asks for."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from app.config import Settings
from app.main import create_app
from app.services.sign_in_limits import SignInLimits
from app.storage.engine import Database

_idle: defaultdict[tuple[object, ...], list[FastAPI]] = defaultdict(list)


@contextmanager
def lent_app(settings: Settings, database: Database) -> Iterator[FastAPI]:
    """An app that nobody else uses meanwhile; one that got another route is not lent again."""
    built_in = (settings.https, settings.base_url, *settings.known_hosts)  # all that the middlewares keep
    idle = _idle[built_in]
    app = idle.pop() if idle else create_app(settings, database)
    app.state.settings, app.state.database, app.state.sign_in_limits = settings, database, SignInLimits()
    routes = len(app.router.routes)
    yield app
    if len(app.router.routes) == routes:
        idle.append(app)
