"""Restore a backup into an empty database, of either kind, or in place of what is there: all of it, or nothing."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, create_engine, event, inspect, text
from sqlalchemy.pool import NullPool

from app.errors import Conflict, InvalidInput
from app.storage import migrate
from app.storage.backup.columns import NOT_KEPT, from_plain, tables_of, writing
from app.storage.backup.layout import Manifest, TableEntry, check_contents, open_backup, pieces, read_manifest
from app.storage.backup.writing import ROWS_AT_ONCE
from app.storage.files import Files
from app.storage.planner import renew_all

OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
FOREIGN_KEYS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
"""
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
FUNCTIONS = """
SELECT DISTINCT tgfoid::regprocedure::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
"""


def restore(path: Path, url: str, files: Files, *, replace: bool = False) -> Manifest:
    """Check the backup, then restore it and bring its schema up to date. Nobody may use the database meanwhile.

    Conflict when the database holds something and ``replace`` doesn't say that it may go.
    """
    with open_backup(path) as archive:
        manifest = read_manifest(archive)
        migrate.check_known(manifest.revision)
        check_contents(archive, manifest)
        with _alone(url) as connection:
            _make_room(connection, replace=replace)
            migrate.upgrade_within(connection, manifest.revision)
            _check_schema(connection, manifest)
            _fill(connection, archive, manifest)
            migrate.upgrade_within(connection)
            renew_all(connection)
            _restore_files(archive, manifest, files)
    return manifest


@contextmanager
def _alone(url: str) -> Iterator[Connection]:
    """One transaction for all of it, schema included. SQLite's foreign keys are off there, and checked at its end."""
    engine = create_engine(url, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", lambda connection, _: setattr(connection, "isolation_level", None))
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN EXCLUSIVE"))
    with engine.begin() as connection:
        yield connection


def _make_room(connection: Connection, *, replace: bool) -> None:
    tables = set(inspect(connection).get_table_names())
    if tables and not tables >= NOT_KEPT:
        raise Conflict("The database holds tables of another program.", remedy="Restore into one of CodeJury's own.")
    holds = [name for name in sorted(tables - NOT_KEPT) if _has_rows(connection, name)]
    if holds and not replace:
        raise Conflict(
            f"The database is not empty: {', '.join(holds[:5])}{', …' if len(holds) > 5 else ''}.",
            remedy="Restore into an empty one, or say --replace: what it holds now is then gone.",
        )
    if connection.dialect.name != "sqlite" and connection.scalar(text(OTHERS)):
        raise Conflict("Somebody uses the database.", remedy="Stop all web processes and workers first.")
    _drop_all(connection)


def _has_rows(connection: Connection, name: str) -> bool:
    return connection.scalar(text(f'SELECT 1 FROM "{name}" LIMIT 1')) is not None  # noqa: S608 - a table's own name  # nosec B608


def _drop_all(connection: Connection) -> None:
    is_sqlite = connection.dialect.name == "sqlite"
    functions = [] if is_sqlite else connection.scalars(text(FUNCTIONS)).all()  # triggers have their own there
    there = MetaData()
    there.reflect(connection)
    there.drop_all(connection)
    for function in functions:
        connection.execute(text(f"DROP FUNCTION {function}"))


def _check_schema(connection: Connection, manifest: Manifest) -> None:
    """A backup says what it holds; that must be what its revision has."""
    if tables_of(connection) != {each.name: each.columns for each in manifest.tables}:
        raise InvalidInput(f"This backup's tables are not those of its schema {manifest.revision}.")


def _fill(connection: Connection, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Rows come as they were: no trigger counts them anew."""
    if connection.dialect.name == "sqlite":
        _fill_sqlite(connection, archive, manifest)
    else:
        _fill_postgres(connection, archive, manifest)


def _fill_sqlite(connection: Connection, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    triggers = connection.execute(text(TRIGGERS)).all()
    for name, _ in triggers:
        connection.execute(text(f'DROP TRIGGER "{name}"'))
    for entry in manifest.tables:
        _fill_table(connection, archive, entry)
    for _, statement in triggers:
        connection.exec_driver_sql(statement)
    if broken := connection.execute(text("PRAGMA foreign_key_check")).fetchall():
        raise InvalidInput(f"This backup has rows without those that they point to: {broken[:5]}.")


def _fill_postgres(connection: Connection, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    keys = connection.execute(text(FOREIGN_KEYS)).all()
    for table, name, _ in keys:  # a row may come before the one that it points to
        connection.execute(text(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'))
    for entry in manifest.tables:
        connection.execute(text(f'ALTER TABLE "{entry.name}" DISABLE TRIGGER USER'))
        _fill_table(connection, archive, entry)
        _count_on(connection, entry)
        connection.execute(text(f'ALTER TABLE "{entry.name}" ENABLE TRIGGER USER'))
    for table, name, definition in keys:
        connection.execute(text(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}'))


def _fill_table(connection: Connection, archive: zipfile.ZipFile, entry: TableEntry) -> None:
    statement = writing(connection, entry.name, entry.columns)
    with archive.open(entry.member) as lines:
        rows: Iterator[dict[str, Any]] = (from_plain(json.loads(line), entry.columns) for line in lines)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            connection.execute(statement, some)


def _count_on(connection: Connection, entry: TableEntry) -> None:
    """New rows get numbers after those that came."""
    if "id" in entry.columns and entry.rows:
        connection.execute(
            text(f"SELECT setval(pg_get_serial_sequence(:name, 'id'), (SELECT max(id) FROM \"{entry.name}\"))"),  # noqa: S608 - a table's own name  # nosec B608
            {"name": f'"{entry.name}"'},
        )


def _restore_files(archive: zipfile.ZipFile, manifest: Manifest, files: Files) -> None:
    for entry in manifest.files:
        if not entry.is_missing:
            with archive.open(entry.member) as member:
                files.save(pieces(member))
