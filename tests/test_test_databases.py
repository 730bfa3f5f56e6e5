"""What tests use one after the other is as good as new for each of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import null, select, text

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from app.storage.models import AuditEvent, Item, Study
from app.web.access import ANYONE
from tests.apps import lent_app
from tests.factories import make_study
from tests.prepared import prepare
from tests.services.postgres import PostgresServer
from tests.services.reused import ReusedDatabase


@pytest.fixture
def reused(postgres_server: PostgresServer, postgres_template: str) -> Iterator[ReusedDatabase]:
    reused = ReusedDatabase(postgres_server, postgres_template)
    yield reused
    reused.close()
    postgres_server.drop_database(reused.url)


def _first_study(url: str) -> int:
    """The id that a study gets now."""
    database = Database(url)
    with database.write() as session:
        session.add(AuditEvent(actor="test", action="x", details={}))  # nobody may delete it
        number = make_study(session).id
    database.dispose()
    return number


def test_rows_go_and_counting_begins_anew(reused: ReusedDatabase) -> None:
    address = reused.url
    for _ in range(3):
        assert _first_study(reused.url) == 1
        reused.renew()
    assert reused.url == address
    database = Database(reused.url)
    with database.read() as session:
        assert session.scalars(select(AuditEvent)).all() == []
    database.dispose()


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE audit_events",
        "ALTER TABLE studies ADD COLUMN more int",
        "ALTER TABLE studies ALTER COLUMN title DROP NOT NULL",
        "ALTER TABLE audit_events DISABLE TRIGGER ALL",
        "DELETE FROM alembic_version",
    ],
)
def test_more_than_rows_that_changed_means_a_new_copy(reused: ReusedDatabase, change: str) -> None:
    with psycopg.connect(reused.url.replace("+psycopg", "")) as connection:
        before = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        connection.execute(change)  # type: ignore[call-overload]
    reused.renew()
    with psycopg.connect(reused.url.replace("+psycopg", "")) as connection:
        after = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
    assert after != before


def test_whoever_still_holds_on_is_cut_off(reused: ReusedDatabase) -> None:
    held = psycopg.connect(reused.url.replace("+psycopg", ""))
    held.execute("INSERT INTO alembic_version VALUES ('held')")
    reused.renew()
    with pytest.raises(psycopg.OperationalError):
        held.execute("SELECT 1")
    held.close()
    assert _first_study(reused.url) == 1


@pytest.fixture
def another(database: Database, reused: ReusedDatabase, sqlite_template: Path, tmp_path: Path) -> Iterator[Database]:
    """An empty database of the same kind."""
    path = shutil.copy(sqlite_template, tmp_path / "another.sqlite3")
    another = Database(f"sqlite:///{path}" if database.is_sqlite else reused.url)
    yield another
    another.dispose()


def _make(database: Database) -> None:
    """Among the rest, where JSON's null is not SQL's."""
    with database.write() as session:
        study = make_study(session, problems=2, systems=2)
        study.title = 'Ünï\t"\\N"\n'
        first, *_ = session.scalars(select(Item).order_by(Item.id))
        first.expected = null()


def _state(database: Database) -> list[object]:
    with database.read() as session:
        nulls = session.execute(text("SELECT id, expected IS NULL FROM items ORDER BY id")).all()
        return [session.scalars(select(Study.title)).all(), session.scalars(select(Item.text)).all(), nulls]


def test_what_was_prepared_comes_back_to_the_byte(database: Database, another: Database, tmp_path: Path) -> None:
    prepare(database, str(tmp_path), lambda: _make(database))
    prepare(another, str(tmp_path), lambda: pytest.fail("it is made once"))
    assert _state(another) == _state(database)
    for each in (database, another):
        with each.write() as session:
            assert make_study(session, title="The next").id == 2
        with pytest.raises(AssertionError, match="first of all"):
            prepare(each, str(tmp_path), lambda: None)


def test_an_app_is_lent_to_one_at_a_time_and_not_again_when_it_grew(settings: Settings, database: Database) -> None:
    with lent_app(settings, database) as one, lent_app(settings, database) as two:
        assert one is not two
        one.get("/grown", dependencies=[ANYONE])(lambda: None)
    with lent_app(settings, database) as three, lent_app(settings, database) as four:
        assert one not in (three, four)
        assert two in (three, four)


def test_a_lent_app_holds_what_a_new_one_holds(settings: Settings, database: Database) -> None:
    with lent_app(settings, database):
        pass
    new = create_app(settings, database)
    with lent_app(settings, database) as lent:
        assert lent.state._state.keys() == new.state._state.keys()
        assert (lent.state.settings, lent.state.database) == (settings, database)
        assert lent.state.session_cookie == new.state.session_cookie
