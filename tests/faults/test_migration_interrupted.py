"""F38: a migration that is killed, that meets a full disk, or that two processes start at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import OperationalError

from app.storage import migrate
from app.storage.engine import Database
from tests.exports.rich import make_rich_study
from tests.faults.processes import Migrating
from tests.prepared import prepare
from tests.storage.schema import rows_of, schema_of

pytestmark = pytest.mark.fault("F38")
OLDER = "0002"


class Interrupted(BaseException):
    """Nobody catches it."""


@pytest.fixture
def counted() -> Iterator[list[str]]:
    """Every statement that any engine of this process sends."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield sent
    event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
def older(database: Database, database_url: str) -> Database:
    """An older installation with a study in it."""
    prepare(database, "rich", lambda: make_rich_study(database))
    migrate.downgrade(database_url, OLDER)
    return database


def statements_of_an_upgrade(older: Database, url: str, counted: list[str]) -> int:
    """How many there are; the database is the older one again afterwards."""
    counted.clear()
    migrate.upgrade(url)
    number = len(counted)
    migrate.downgrade(url, OLDER)
    return number


def test_killed_at_any_point_it_leaves_the_older_schema_and_can_be_started_again(
    older: Database, database_url: str, counted: list[str], tmp_path: Path
) -> None:
    number = statements_of_an_upgrade(older, database_url, counted)
    schema, rows = schema_of(older), rows_of(older)
    for place in (number // 2, number - 1):
        process = Migrating(database_url, tmp_path, fault=f"statement:{place}")
        assert process.ended() == (-9, "")
        assert (schema_of(older), rows_of(older)) == (schema, rows), f"killed at statement {place} of {number}"
        assert migrate.current_revision(older.engine) == OLDER
    again = Migrating(database_url, tmp_path)
    assert again.ended() == (0, f"The database is at revision {migrate.head_revision()}.\n")


@pytest.mark.drill
def test_stopped_before_each_of_its_statements_it_changes_nothing(
    older: Database, database_url: str, counted: list[str]
) -> None:
    number = statements_of_an_upgrade(older, database_url, counted)
    schema, rows = schema_of(older), rows_of(older)

    for place in range(1, number + 1):
        counted.clear()

        def stop(*_: object, place: int = place) -> None:
            if len(counted) == place:
                raise Interrupted

        event.listen(Engine, "before_cursor_execute", stop)
        with pytest.raises(Interrupted):
            migrate.upgrade(database_url)
        event.remove(Engine, "before_cursor_execute", stop)
        assert (schema_of(older), rows_of(older)) == (schema, rows)
    migrate.upgrade(database_url)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_changes_nothing(older: Database, database_url: str) -> None:
    with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("VACUUM")  # pages that the way down freed would be room enough
    schema, rows = schema_of(older), rows_of(older)

    def fill(connection: object, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")  # type: ignore[attr-defined]

    event.listen(Engine, "connect", fill)
    try:
        with pytest.raises(OperationalError, match="full"):
            migrate.upgrade(database_url)
    finally:
        event.remove(Engine, "connect", fill)
    assert (schema_of(older), rows_of(older)) == (schema, rows)
    migrate.upgrade(database_url)


def test_two_that_start_at_once_take_turns(database: Database, database_url: str, tmp_path: Path) -> None:
    migrate.downgrade(database_url, "base")
    processes = [Migrating(database_url, tmp_path) for _ in range(2)]
    assert [each.ended()[0] for each in processes] == [0, 0]
    with database.read() as session:
        assert session.scalars(text("SELECT version_num FROM alembic_version")).all() == [migrate.head_revision()]
