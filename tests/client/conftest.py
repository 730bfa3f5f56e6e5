"""A real server with a study in it, a worker beside it, and a client's token."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy import select

from app.config import Settings
from app.services import api_tokens, runs
from app.services.api_tokens import Scope
from app.services.events.gathering import gather_events
from app.storage.engine import Database
from app.storage.models import Run
from tests.factories import make_study
from tests.security.world import make_user


@dataclass(frozen=True)
class Server:
    """Where it is, and by which token."""

    url: str
    token: str


@pytest.fixture
def server(live_server: str, database: Database) -> Server:
    """A server with a study "here" and an admin's token."""
    with database.write() as session:
        make_study(session, title="Here", problems=8, systems=3)
        admin = make_user(session, "admin")
        token = api_tokens.mint_token(session, f"user:{admin.id}", admin.id, "notebook", list(Scope), days=1)
    return Server(live_server, token)


@pytest.fixture
def worker(database: Database, settings: Settings) -> Iterator[None]:
    """Does what waits, as a worker's process would."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            with database.read() as session:
                waiting = session.scalars(select(Run.id).where(Run.state == "queued").order_by(Run.id)).all()
            for run_id in waiting:
                runs.execute(database, settings, run_id)
            with database.write() as session:
                gather_events(session)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()
