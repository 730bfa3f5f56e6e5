"""Write a backup while people grade: all rows as they stood at one moment, and the files that they name."""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sqlalchemy import BigInteger, Connection, Text, column, select, table

from app import __version__
from app.clock import utc_now
from app.errors import Conflict, NotFound
from app.storage import migrate
from app.storage.backup.columns import Columns, reading, tables_of, to_plain
from app.storage.backup.layout import MANIFEST, FileEntry, Manifest, TableEntry, pieces
from app.storage.engine import Database
from app.storage.files import Files

ROWS_AT_ONCE = 2_000
LEVEL = 3  # of compression: the slower ones gain little on lines of JSON
ARTIFACTS = "artifacts"


def write_backup(database: Database, files: Files, to: Path, *, replace: bool = False) -> Manifest:
    """Write it: whole under its name, or not at all. Only its owner may read it, since it holds people's data.

    Conflict when there is something of that name and ``replace`` doesn't say that it may go.
    """
    _check_free(to, replace=replace)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{to.name}-", dir=to.parent)  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            manifest = _write(database, files, file)
            file.flush()
            os.fsync(file.fileno())
        _check_free(to, replace=replace)  # another one may have been written meanwhile
        Path(temporary).replace(to)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return manifest


def _check_free(to: Path, *, replace: bool) -> None:
    if os.path.lexists(to) and not replace:
        raise Conflict(
            f"There is a file {to} already.",
            remedy="Choose another name, or say --replace: what it holds now is then gone.",
        )


def _write(database: Database, files: Files, file: IO[bytes]) -> Manifest:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        with database.read() as session:  # one snapshot from the first statement to the last
            connection = session.connection()
            revision = migrate.revision_of(connection)
            if revision is None:
                raise Conflict("There is nothing to back up: the database is empty.")
            tables = [_write_table(archive, connection, *each) for each in tables_of(connection).items()]
            named = _named_files(connection)
        entries = [_write_file(archive, files, sha256, size) for sha256, size in sorted(named.items())]
        manifest = Manifest(
            version=__version__,
            made_at=utc_now(),
            database=database.engine.dialect.name,
            revision=revision,
            tables=tables,
            files=entries,
        )
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    return manifest


def _named_files(connection: Connection) -> dict[str, int]:
    """The hash and the size of each file that a row tells of."""
    statement = select(column("sha256", Text), column("size", BigInteger)).select_from(table(ARTIFACTS))
    return dict(row for row in connection.execute(statement))


def _write_table(archive: zipfile.ZipFile, connection: Connection, name: str, columns: Columns) -> TableEntry:
    entry = TableEntry(name=name, columns=dict(columns), rows=0, sha256="")
    digest = hashlib.sha256()
    with archive.open(entry.member, "w", force_zip64=True) as lines:
        for block, count in _blocks(connection, name, columns):
            digest.update(block)
            lines.write(block)
            entry.rows += count
    entry.sha256 = digest.hexdigest()
    return entry


def _blocks(connection: Connection, name: str, columns: Columns) -> Iterator[tuple[bytes, int]]:
    rows = connection.execution_options(yield_per=ROWS_AT_ONCE).execute(reading(connection, name, columns))
    for some in rows.partitions():
        lines = (json.dumps(to_plain(row, columns), ensure_ascii=False, separators=(",", ":")) for row in some)
        yield ("\n".join(lines) + "\n").encode(), len(some)


def _write_file(archive: zipfile.ZipFile, files: Files, sha256: str, size: int) -> FileEntry:
    """A file that is gone, or is not what its name says, must not spoil the backup of everything else."""
    entry, digest = FileEntry(sha256=sha256, size=size, is_missing=True), hashlib.sha256()
    try:
        stored = files.path(sha256).open("rb")
    except (FileNotFoundError, NotFound, Conflict):
        return entry
    with stored, archive.open(entry.member, "w", force_zip64=True) as member:
        for chunk in pieces(stored):
            digest.update(chunk)
            member.write(chunk)
    entry.is_missing = digest.hexdigest() != sha256
    return entry
