"""What takes long to make is made once a process and kind of database, and copied from the second time on."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
from sqlalchemy import exists, select

from app.storage.engine import Database
from app.storage.models import Study, User


class _SqliteCopy:
    """All pages."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._pages = sqlite3.connect(":memory:", check_same_thread=False)
        connection.backup(self._pages)

    def store(self, connection: sqlite3.Connection) -> None:
        self._pages.backup(connection)


class _PostgresCopy:
    """All rows, as PostgreSQL writes them, and where its sequences stand."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
        )
        self._rows = {name: _copy_out(connection, name) for (name,) in tables.fetchall()}
        self._sequences = connection.execute(
            "SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL"
        ).fetchall()
        connection.rollback()

    def store(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute("SET LOCAL session_replication_role = replica")  # a table may come before those it names
        for name, rows in self._rows.items():
            if rows:
                with connection.cursor().copy(f'COPY "{name}" FROM STDIN') as copy:
                    copy.write(rows)
        for name, value in self._sequences:
            connection.execute("SELECT setval(%s, %s)", (name, value))
        connection.commit()


def _copy_out(connection: psycopg.Connection[Any], name: str) -> bytes:
    with connection.cursor().copy(f'COPY "{name}" TO STDOUT') as copy:
        return b"".join(copy)


_copies: dict[tuple[str, str], _SqliteCopy | _PostgresCopy] = {}


def prepare(database: Database, name: str, make: Callable[[], object]) -> None:
    """Have an empty database be as ``make`` leaves it. Its times are those of the first one: minutes ago."""
    with database.read() as session:
        assert session.scalar(select(exists(User.id) | exists(Study.id))) in (False, 0), "prepare it first of all"
    key = (name, database.engine.dialect.name)
    known = key in _copies
    if not known:
        make()
    with closing(database.engine.raw_connection()) as pooled:
        connection: Any = pooled.driver_connection
        if known:
            _copies[key].store(connection)
        else:
            _copies[key] = (_SqliteCopy if database.is_sqlite else _PostgresCopy)(connection)
