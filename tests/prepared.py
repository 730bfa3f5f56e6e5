"""What takes long to make is made once a process and kind of database, and copied from the second time on."""

import math
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from sqlalchemy import exists, select

from app.storage.engine import Database
from app.storage.models import Study, User

Made = TypeVar("Made")


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


@dataclass(frozen=True, slots=True)
class _Known:
    copy: _SqliteCopy | _PostgresCopy
    made: Any
    since: float


_known: dict[tuple[str, str], _Known] = {}


def prepare(database: Database, name: str, make: Callable[[], Made], *, seconds: float = math.inf) -> Made:
    """Have an empty database be as ``make`` leaves it, and return what it returned.

    Its times are those of the first one: minutes ago, unless it is to be made anew when it is so many seconds old.
    """
    with database.read() as session:
        assert session.scalar(select(exists(User.id) | exists(Study.id))) in (False, 0), "prepare it first of all"
    key = (name, database.engine.dialect.name)
    known = _known.get(key)
    if known is not None and time.monotonic() - known.since > seconds:
        known = None
    made = known.made if known is not None else make()
    with closing(database.engine.raw_connection()) as pooled:
        connection: Any = pooled.driver_connection
        if known is not None:
            known.copy.store(connection)
        else:
            copy = (_SqliteCopy if database.is_sqlite else _PostgresCopy)(connection)
            _known[key] = _Known(copy, made, time.monotonic())
    return deepcopy(made)
