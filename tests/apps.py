"""Apps to lend. To make one takes a tenth of a second, which goes into reading what each route asks for."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from app.config import Settings
from app.main import create_app
from app.services import rate_limits
from app.services.status.readiness import Readiness
from app.storage.engine import Database
from app.web.api.events import EventStreams

METRICS_TOKEN = "a token of tests alone"
_idle: defaultdict[tuple[object, ...], list[FastAPI]] = defaultdict(list)


@contextmanager
def lent_app(settings: Settings, database: Database) -> Iterator[FastAPI]:
    """An app that nobody else uses meanwhile; one that got another route is not lent again."""
    built_in = (settings.https, settings.base_url, *settings.known_hosts)  # all that the middlewares keep
    idle = _idle[built_in]
    app = idle.pop() if idle else create_app(settings, database)
    app.state.settings, app.state.database, app.state.limit_clock = settings, database, rate_limits.clock_of
    app.state.readiness = Readiness(settings, database)
    app.state.event_streams = EventStreams(seconds=0)  # what is there, and no waiting for more
    routes = len(app.router.routes)
    yield app
    if len(app.router.routes) == routes:
        idle.append(app)
