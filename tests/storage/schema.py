"""A schema and its rows as values that can be compared."""

from typing import Any

from sqlalchemy import Connection, inspect, text
from sqlalchemy.orm import Session

from app.storage.engine import Database

TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname",
}


def schema_of(database: Database) -> dict[str, Any]:
    """Tables with columns, keys, indexes and checks, in whatever order they were made; and the triggers."""
    with database.engine.connect() as connection:
        triggers = list(connection.scalars(text(TRIGGERS[database.engine.dialect.name])))
        tables = _tables(connection)
        return {table: _parts(connection, table) for table in tables} | {"triggers": triggers}


def _tables(connection: Connection) -> list[str]:
    return sorted(set(inspect(connection).get_table_names()) - {"alembic_version"})


def _parts(connection: Connection, table: str) -> dict[str, Any]:
    look = inspect(connection)
    return {
        "columns": {each["name"]: (str(each["type"]), each["nullable"]) for each in look.get_columns(table)},
        "indexes": {each["name"]: each["column_names"] for each in look.get_indexes(table)},
        "unique": {each["name"]: each["column_names"] for each in look.get_unique_constraints(table)},
        "foreign": sorted(
            (each["name"] or "", each["constrained_columns"], each["referred_table"])
            for each in look.get_foreign_keys(table)
        ),
        "checks": sorted(str(each["name"]) for each in look.get_check_constraints(table)),
    }


def rows_of(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, as the driver gives it."""
    with database.engine.connect() as connection:
        selects = {table: text(f'SELECT * FROM "{table}" ORDER BY 1, 2') for table in _tables(connection)}
        return {table: [dict(row) for row in connection.execute(each).mappings()] for table, each in selects.items()}


def rows_planned_for(session: Session, table: str) -> float | None:
    """How many rows PostgreSQL takes the table to have when it plans."""
    known = "SELECT reltuples FROM pg_class WHERE relname = :table AND relnamespace = current_schema()::regnamespace"
    return session.scalar(text(known), {"table": table})
