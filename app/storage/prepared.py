"""Statements that PostgreSQL keeps prepared: sent alike each time, so that they are found again and planned once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.numeric import Int8Dumper
from sqlalchemy import ColumnElement, Engine, event, literal_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg
    from sqlalchemy import CursorResult
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.base import Executable


def send_integers_alike(engine: Engine) -> None:
    """Send every integer with the same type.

    psycopg sends each with the shortest that holds it, and a prepared statement is one for each combination of types:
    one with three row numbers would be parsed and planned anew for each of eight.
    """
    event.listen(engine, "connect", _use_one_type)


def constant(value: str | int) -> ColumnElement[Any]:
    """A word or number of the program's own that stands in the statement instead of being sent with it.

    PostgreSQL keeps a statement's plan unless plans for the values that were sent look better, and then plans anew
    each time, which may take longer than the statement itself. What stands in it is known to the kept plan, too.
    """
    if isinstance(value, str) and not value.isidentifier():
        raise ValueError(f"{value!r} is no plain word.")
    return literal_column(f"'{value}'" if isinstance(value, str) else str(value))


def run_plain(session: Session, statement: Executable, values: Mapping[str, Any]) -> CursorResult[*tuple[Any, ...]]:
    """What a statement over plain columns answers, without what a session does around one that may bring objects.

    What the session has to write is written first, as before any of its own statements.
    """
    session.flush()
    return session.connection().execute(statement, values)


def _use_one_type(connection: psycopg.Connection[tuple[object, ...]], _record: object) -> None:
    connection.adapters.register_dumper(int, Int8Dumper)
