"""Columns as a backup knows them: few kinds, which both databases have, and for each value the same text in a file.

The schema is looked up in the database and not taken from the models: a backup may be of an older one.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    DateTime,
    Float,
    Insert,
    Integer,
    LargeBinary,
    Select,
    String,
    Text,
    cast,
    column,
    inspect,
    select,
    table,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

from app.storage.base import UTCDateTime

# Where Alembic notes the revision; a restored database gets its own.
NOT_KEPT = {"alembic_version"}
Columns = Mapping[str, str]  # each column's kind, by its name

# The first that fits.
KINDS: tuple[tuple[type[TypeEngine[Any]], str], ...] = (
    (Boolean, "truth"),
    (Integer, "whole"),
    (Float, "number"),
    (DateTime, "time"),
    (LargeBinary, "bytes"),
    (JSON, "json"),
    (String, "text"),
)
TYPES: dict[str, TypeEngine[Any]] = {
    "truth": Boolean(),
    "whole": BigInteger(),
    "number": Float(),
    "time": UTCDateTime(),
    "bytes": LargeBinary(),
    "json": Text(),  # as the text that the database has: JSON's null is another value than SQL's
    "text": Text(),
}
WRITE: dict[str, Callable[[Any], Any]] = {
    "time": datetime.isoformat,
    "bytes": lambda value: base64.b64encode(value).decode(),
}
READ: dict[str, Callable[[Any], Any]] = {"time": datetime.fromisoformat, "bytes": base64.b64decode}


class _PostgresJson(TypeDecorator[str]):
    """Text on its way into a column of JSON."""

    impl = Text
    cache_ok = True

    def bind_expression(self, bindvalue: Any) -> ColumnElement[Any]:
        return cast(type_coerce(bindvalue, Text), JSONB)


def tables_of(connection: Connection) -> dict[str, Columns]:
    """Every table, those that others point to before them, with the columns that hold what was stored."""
    look = inspect(connection)
    names = [name for name, _ in look.get_sorted_table_and_fkc_names() if name and name not in NOT_KEPT]
    return {
        name: {each["name"]: _kind(each["type"]) for each in look.get_columns(name) if not each.get("computed")}
        for name in names
    }


def _kind(type_: TypeEngine[Any]) -> str:
    return next(kind for known, kind in KINDS if isinstance(type_, known))


def reading(connection: Connection, name: str, columns: Columns) -> Select[Any]:
    """All rows of a table, in the order of its key."""
    key = inspect(connection).get_pk_constraint(name)["constrained_columns"]
    shown = [
        cast(column(each), Text) if kind == "json" else column(each, TYPES[kind]) for each, kind in columns.items()
    ]
    return select(*shown).select_from(table(name)).order_by(*map(column, key))


def writing(connection: Connection, name: str, columns: Columns) -> Insert:
    """What puts rows into a table."""
    json_type = Text() if connection.dialect.name == "sqlite" else _PostgresJson()
    types = TYPES | {"json": json_type}
    return table(name, *(column(each, types[kind]) for each, kind in columns.items())).insert()


def to_plain(row: Sequence[Any], columns: Columns) -> list[Any]:
    """A row as JSON can hold it."""
    return [
        WRITE[kind](value) if value is not None and kind in WRITE else value
        for value, kind in zip(row, columns.values(), strict=True)
    ]


def from_plain(row: Sequence[Any], columns: Columns) -> dict[str, Any]:
    """``to_plain`` undone."""
    return {
        name: READ[kind](value) if value is not None and kind in READ else value
        for value, (name, kind) in zip(row, columns.items(), strict=True)
    }
