"""A PostgreSQL that went away and came back: which connections are trusted, and what a misplaced trust costs."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.storage import pings
from app.storage.engine import Database
from tests.services.reused import ReusedDatabase

pytestmark = pytest.mark.postgres


@pytest.fixture
def postgres(reused_postgres: ReusedDatabase) -> Iterator[Database]:
    """An engine of its own, whose connections may die."""
    database = Database(f"{reused_postgres.url}?application_name=pings")
    yield database
    database.dispose()


def backend(database: Database) -> int:
    """The server's process behind the connection that is used next."""
    with database.read() as session:
        return int(session.scalar(text("SELECT pg_backend_pid()")) or 0)


def cut(database: Database, reused: ReusedDatabase) -> None:
    """End the server's side of all its connections, as a restart does."""
    other = Database(reused.url)
    with other.write() as session:
        session.execute(
            text("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'pings'")
        )
    other.dispose()


def test_a_connection_that_lay_idle_is_asked_first(
    postgres: Database, reused_postgres: ReusedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = backend(postgres)
    cut(postgres, reused_postgres)
    monkeypatch.setattr(pings, "TRUST_SECONDS", 0.0)
    assert backend(postgres) != before


def test_one_request_pays_for_a_trust_that_was_misplaced(
    postgres: Database, reused_postgres: ReusedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pings, "TRUST_SECONDS", 3600.0)
    with postgres.read() as first, postgres.read() as second:  # two connections lie in the pool afterwards
        assert first.scalar(text("SELECT 1")) == second.scalar(text("SELECT 1")) == 1
    cut(postgres, reused_postgres)
    with pytest.raises(OperationalError):
        backend(postgres)
    assert backend(postgres)
