"""Cursors that describe columns on demand: they say what psycopg's own say, and of no other result."""

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from sqlalchemy import literal, select

from app.storage.cursors import LeanCursor
from app.storage.engine import Database
from tests.services.reused import ReusedDatabase

ALL_KINDS = (
    "SELECT 1 AS one, 'x'::varchar(7) AS word, NULL AS nothing,"
    " 1.5::numeric(6, 2), ARRAY[1], now() AS then, '{}'::jsonb"
)


@pytest.fixture
def connection(reused_postgres: ReusedDatabase) -> Iterator[psycopg.Connection]:
    """A connection of psycopg's own."""
    reused_postgres.renew()
    with psycopg.connect(reused_postgres.url.replace("+psycopg", "")) as connection:
        yield connection


def lean(connection: psycopg.Connection) -> LeanCursor:
    return LeanCursor(connection)


def described(cursor: psycopg.Cursor[Any]) -> Sequence[psycopg.Column]:
    assert cursor.description is not None
    return cursor.description


@pytest.mark.postgres
@pytest.mark.parametrize("statement", [ALL_KINDS, "SELECT 1 WHERE false", "VALUES (1, 2)", "SHOW work_mem"])
def test_the_description_is_psycopgs(connection: psycopg.Connection, statement: bytes) -> None:
    ours, theirs = described(lean(connection).execute(statement)), described(connection.execute(statement))
    assert [tuple(each) for each in ours] == [tuple(each) for each in theirs]
    assert (len(ours), ours[-1].name) == (len(theirs), theirs[-1].name)
    assert [each.name for each in ours[:2]] == [each.name for each in theirs[:2]]
    with pytest.raises(IndexError):
        ours[len(theirs)]


@pytest.mark.postgres
def test_what_brings_no_rows_has_none(connection: psycopg.Connection) -> None:
    cursor = lean(connection)
    assert cursor.description is None
    assert cursor.execute("SET LOCAL work_mem = '5MB'").description is None
    assert cursor.execute("SELECT").description == []


@pytest.mark.postgres
def test_of_another_result_nothing_is_told(connection: psycopg.Connection) -> None:
    cursor = lean(connection)
    first = described(cursor.execute("SELECT 1 AS one"))
    assert described(cursor.execute("SELECT 2 AS two"))[0].name == "two"
    with pytest.raises(ValueError, match="another result"):
        first[0]


@pytest.mark.postgres
def test_the_databases_engine_uses_them(reused_postgres: ReusedDatabase) -> None:
    database = Database(reused_postgres.url)
    with database.read() as session:
        for value in (1, 2):  # the second time what was compiled is used again
            row = session.execute(select(literal(value).label("one"), literal("x").label("other"))).one()
            assert (row.one, row.other) == (value, "x")
        cursor = session.connection().connection.cursor()
        assert type(cursor) is LeanCursor
        cursor.close()
    database.dispose()
