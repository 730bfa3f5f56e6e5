"""F17: PostgreSQL restarts, is killed, or throws everybody out, while people grade. F18: no connection is free."""

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text

from app.config import Settings
from app.storage import engine, migrate
from app.storage.engine import Database
from app.storage.models import Study
from tests.apps import lent_app
from tests.faults import invariants
from tests.faults.load import Browser, acknowledged, grading, stored
from tests.faults.processes import Web
from tests.faults.study import Installation, make_studies
from tests.services import programs
from tests.services.postgres import DURABLE, PostgresServer
from tests.workers.process import wait_for

PEOPLE = 6


@pytest.fixture
def server(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A PostgreSQL of this test's own that keeps its promises (asked for, the shared one says that there is one)."""
    program = programs.POSTGRES.find()
    assert program
    server = PostgresServer(program, DURABLE)
    yield server
    server.stop()


@pytest.fixture
def team(server: PostgresServer, tmp_path: Path) -> Iterator[Installation]:
    """The studies on that server."""
    url = server.create_database()
    migrate.upgrade(url)
    database = Database(url)
    make_studies(database)
    with database.read() as session:
        study_id = session.scalars(select(Study.id).where(Study.slug == "open")).one()
    yield Installation(database, Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=url), study_id)  # type: ignore[call-arg]
    database.dispose()


@pytest.fixture
def web(team: Installation) -> Iterator[Web]:
    """One process, which is never restarted."""
    web = Web(team.url, team.folder)
    yield web
    web.end()


def refused(browsers: Sequence[Browser]) -> int:
    """How often somebody was told to try again."""
    return sum(each.statuses[503] for each in browsers)


def check_answers(browsers: Sequence[Browser]) -> None:
    """Stored, or told to try again and when: never a failure without a name, never a dead connection."""
    assert [lost for each in browsers for lost in each.lost] == []
    assert {status for each in browsers for status in each.statuses} <= {200, 503}
    assert all(headers["retry-after"] for each in browsers for headers in each.headers)


WAYS = [signal.SIGINT, signal.SIGQUIT, pytest.param(signal.SIGKILL, marks=pytest.mark.drill)]


@pytest.mark.fault("F17")
@pytest.mark.parametrize("by", WAYS)
def test_a_restart_loses_nothing_and_needs_no_other(
    team: Installation, web: Web, server: PostgresServer, by: signal.Signals
) -> None:
    analysis = team.analysis()
    with grading(team.people(PEOPLE), [web.port]) as browsers:
        wait_for(stored(browsers, 5), "answers")
        before = refused(browsers)
        server.go_down(by)
        wait_for(lambda: refused(browsers) > before, "somebody to be told")
        server.come_back()
        wait_for(stored(browsers, 10), "answers after the restart")
    check_answers(browsers)
    assert web.process.poll() is None
    team.database.dispose()  # this test's own connections: used within the last second, they would be trusted
    invariants.check(team, acknowledged(browsers), analysis)


@pytest.mark.fault("F17")
def test_whoever_is_thrown_out_comes_back(team: Installation, web: Web) -> None:
    """An administrator ends all connections, again and again."""
    with grading(team.people(PEOPLE), [web.port]) as browsers:
        with psycopg.connect(team.url.replace("+psycopg", ""), autocommit=True) as admin:
            for _ in range(5):
                wait_for(stored(browsers, 3), "answers")
                admin.execute(END_OTHERS)
        wait_for(stored(browsers, 3), "answers")
    check_answers(browsers)
    team.database.dispose()  # as above
    invariants.check(team, acknowledged(browsers))


END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.mark.fault("F18")
def test_without_a_free_connection_people_are_told_soon(
    installation: Installation, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.POOL_SECONDS <= 5
    for name, value in (("POOL_SIZE", 1), ("POOL_OVERFLOW", 0), ("POOL_SECONDS", 0.1)):
        monkeypatch.setattr(engine, name, value)
    narrow = Database(installation.url)
    [person] = installation.people(1)
    with lent_app(settings, narrow) as app, browser_of(app, person.cookie) as client:
        with narrow.read() as session:
            session.execute(text("SELECT 1"))
            answer = client.get("/grade")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert client.get("/grade").status_code == 200
    narrow.dispose()


def browser_of(app: object, cookie: str) -> TestClient:
    """A person's browser at an app in this process."""
    client = TestClient(app, base_url="http://localhost", headers={"Sec-Fetch-Site": "same-origin"})  # type: ignore[arg-type]
    client.cookies.set("codejury", cookie)
    return client
