"""What a backup file is: a zip with ``manifest.json``, ``tables/NAME.jsonl`` and ``files/SHA256``."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ValidationError

from app.errors import Conflict, InvalidInput
from app.storage.files import CHUNK

FORMAT = 1
MANIFEST = "manifest.json"


class TableEntry(BaseModel):
    """A table: its columns with their kinds, how many rows, and the SHA-256 of its lines."""

    name: str
    columns: dict[str, str]
    rows: int
    sha256: str

    @property
    def member(self) -> str:
        """Where its lines are."""
        return f"tables/{self.name}.jsonl"


class FileEntry(BaseModel):
    """A stored file. ``is_missing``: it was gone, or damaged, already when the backup was made."""

    sha256: str
    size: int
    is_missing: bool = False

    @property
    def member(self) -> str:
        """Where its bytes are."""
        return f"files/{self.sha256}"


class Manifest(BaseModel):
    """What the file holds. Written last, so that a file with a manifest is a whole one."""

    codejury_backup: int = FORMAT
    version: str
    made_at: datetime
    database: str
    revision: str
    tables: list[TableEntry]
    files: list[FileEntry]

    @property
    def rows(self) -> int:
        """Of all tables."""
        return sum(each.rows for each in self.tables)

    @property
    def missing(self) -> list[str]:
        """Hashes of files that were gone or damaged already."""
        return [each.sha256 for each in self.files if each.is_missing]


def open_backup(path: Path) -> zipfile.ZipFile:
    """The file, to be read; InvalidInput when it is none."""
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise InvalidInput(f"{path} is no backup of CodeJury, or a part of one: {error}.") from error


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    """What the file says of itself; Conflict when a newer version wrote it."""
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except (KeyError, ValidationError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{archive.filename} is no backup of CodeJury: it has no usable {MANIFEST}.") from error
    if manifest.codejury_backup > FORMAT:
        raise Conflict(
            f"This backup has the format {manifest.codejury_backup}; this version of CodeJury knows {FORMAT}.",
            remedy=f"Restore it with CodeJury {manifest.version} or newer.",
        )
    return manifest


def check_contents(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Read all of it once: InvalidInput names each part that is damaged or missing."""
    parts = [(each.member, each.sha256) for each in manifest.tables]
    parts += [(each.member, each.sha256) for each in manifest.files if not each.is_missing]
    if damaged := [member for member, sha256 in parts if not _is_whole(archive, member, sha256)]:
        some = ", ".join(damaged[:5]) + (", …" if len(damaged) > 5 else "")
        raise InvalidInput(f"This backup is damaged: {some}.", remedy="Use another one. Nothing was changed.")


def _is_whole(archive: zipfile.ZipFile, member: str, sha256: str) -> bool:
    digest = hashlib.sha256()
    try:
        with archive.open(member) as file:
            for chunk in pieces(file):
                digest.update(chunk)
    except (KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error):
        return False
    return digest.hexdigest() == sha256


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """A file's bytes, a piece at a time."""
    return iter(lambda: file.read(CHUNK), b"")
