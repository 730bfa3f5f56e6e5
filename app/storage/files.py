"""Uploads and artifacts, named by the SHA-256 of their content: the same bytes are one file, and no client names any.

They lie in a folder, or for a team without a common disk in a bucket; whoever uses them need not know.
"""

import hashlib
import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import TooLarge
from app.ids import new_opaque_id
from app.storage.models import Artifact
from app.words import gettext, human_number

CHUNK = 1 << 20
MAX_NAME = 300


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What is stored."""

    sha256: str
    size: int


class Files(Protocol):
    """The files of one installation."""

    def save(self, chunks: Iterable[bytes], *, limit: int | None = None) -> StoredFile:
        """Store these bytes: complete under their name, or not at all. TooLarge beyond ``limit``."""

    def has(self, sha256: str) -> bool:
        """Whether the file with that hash is there."""

    def path(self, sha256: str) -> Path:
        """Where the file with that hash can be read on this machine, for half a day at least."""

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Names of all that was stored, or stored again, before then; and of what was never completed."""

    def delete(self, name: str, *, stored_before: datetime) -> bool:
        """Delete a name of ``stored_before``, unless it was stored again meanwhile; whether it went."""


def files_of(settings: Settings) -> Files:
    """Where this installation keeps its files."""
    if settings.bucket is None:
        return FileStore(settings.artifacts_dir)
    # Most installations have no bucket, and no time to load its library at each start.
    from app.storage.bucket import BucketStore  # noqa: PLC0415

    return BucketStore(settings.bucket, settings.bucket_endpoint, settings.data_dir / "fetched")


class FileStore:
    """Files under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, sha256: str) -> bool:
        """Whether the file with that hash is there."""
        return self.path(sha256).exists()

    def path(self, sha256: str) -> Path:
        """Where the file with that hash lies."""
        return self.folder / sha256[:2] / sha256

    def save(self, chunks: Iterable[bytes], *, limit: int | None = None) -> StoredFile:
        """Store these bytes: complete and flushed under their name, or not at all. TooLarge beyond ``limit``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".incoming-", dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                stored = copy_measured(chunks, file, limit)
                file.flush()
                os.fsync(file.fileno())
            target = self.path(stored.sha256)
            target.parent.mkdir(exist_ok=True)
            Path(temporary).replace(target)
        finally:
            Path(temporary).unlink(missing_ok=True)
        return stored

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Names of old files, and of what an interrupted upload left behind."""
        for pattern in ("[0-9a-f][0-9a-f]/*", ".incoming-*"):
            yield from (path.name for path in self.folder.glob(pattern) if _is_older(path, moment))

    def delete(self, name: str, *, stored_before: datetime) -> bool:
        """Delete an old file. Storing the same bytes again makes a file new, also while somebody looks."""
        path = self.folder / name if name.startswith(".") else self.path(name)
        if not _is_older(path, stored_before):
            return False
        path.unlink(missing_ok=True)
        return True


def _is_older(path: Path, moment: datetime) -> bool:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC) < moment
    except FileNotFoundError:
        return False


def copy_measured(chunks: Iterable[bytes], file: BinaryIO, limit: int | None = None) -> StoredFile:
    """Write these bytes and say what they are; TooLarge beyond ``limit``."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if limit is not None and size > limit:
            raise TooLarge(
                gettext(
                    "This file is larger than %(limit)s MB, the most that this installation accepts.",
                    limit=human_number(limit / 2**20),
                ),
                remedy=gettext(
                    "Compress it with gzip, split it, or raise CODEJURY_MAX_UPLOAD_MB. Nothing was stored."
                ),
            )
        digest.update(chunk)
        file.write(chunk)
    return StoredFile(digest.hexdigest(), size)


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    """A file's bytes, a piece at a time."""
    return iter(lambda: file.read(CHUNK), b"")


def display_name(name: str) -> str:
    """A client's file name made fit to be shown: its last part, without control and direction characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(letter for letter in last if unicodedata.category(letter)[0] != "C").strip()
    return shown[:MAX_NAME] or "unnamed"


def add_artifact(
    session: Session, stored: StoredFile, *, kind: str, file_name: str, media_type: str, study_id: int | None = None
) -> Artifact:
    """A row for a stored file."""
    artifact = Artifact(
        study_id=study_id,
        public_id=new_opaque_id(),
        kind=kind,
        file_name=display_name(file_name),
        media_type=media_type,
        size=stored.size,
        sha256=stored.sha256,
    )
    session.add(artifact)
    session.flush()
    return artifact
