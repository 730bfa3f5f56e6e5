"""Uploads: bytes onto disk as an artifact, and from there into a run. The web and the command line both come here."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import InvalidInput, NotFound
from app.services.imports.batches import upload_limit
from app.services.imports.images import SUFFIXES
from app.services.imports.request import ImportRequest
from app.services.imports.sources import Bundle, open_bundle, pack
from app.services.runs import enqueue
from app.storage.files import FileStore, StoredFile, add_artifact, chunks_of
from app.storage.models import Artifact, Run, Study

KIND = "upload"
TABLE_SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".gz")


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """One file as a client sent it; the name is for display and for telling files of a folder apart."""

    name: str
    file: BinaryIO


def receive(session: Session, settings: Settings, files: list[UploadedFile], study: Study | None) -> Artifact:
    """Keep an upload: one file as it is, several as one zip of them."""
    files = [each for each in files if each.name]
    if not files:
        raise InvalidInput("No file was chosen.", remedy="Choose a file or a folder, then upload it.")
    store = FileStore(settings.artifacts_dir)
    if len(files) == 1:
        stored, name = store.save(chunks_of(files[0].file), limit=upload_limit(settings)), files[0].name
    else:
        stored, name = _save_packed(store, files, settings), _name_of_folder(files)
    study_id = study.id if study else None
    return add_artifact(
        session, stored, kind=KIND, file_name=name, media_type="application/octet-stream", study_id=study_id
    )


def _save_packed(store: FileStore, files: list[UploadedFile], settings: Settings) -> StoredFile:
    with tempfile.TemporaryFile() as packed:
        pack(((each.name, each.file) for each in files), packed)
        packed.seek(0)
        return store.save(chunks_of(packed), limit=upload_limit(settings))


def _name_of_folder(files: list[UploadedFile]) -> str:
    first = files[0].name
    return f"{first.split('/', 1)[0]}.zip" if "/" in first else f"{len(files)} files.zip"


@contextmanager
def local_files(path: Path) -> Iterator[list[UploadedFile]]:
    """A file, or the tables and images of a folder, opened for ``receive``; links are not followed."""
    paths = [path] if path.is_file() else sorted(_inside(path))
    opened = [each.open("rb") for each in paths]
    try:
        names = (
            [path.name] if path.is_file() else [f"{path.name}/{each.relative_to(path).as_posix()}" for each in paths]
        )
        yield [UploadedFile(name, file) for name, file in zip(names, opened, strict=True)]
    finally:
        for file in opened:
            file.close()


def _inside(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        known = path.suffix.lower() in (*TABLE_SUFFIXES, *SUFFIXES)
        if known and not hidden and path.is_file() and not path.is_symlink():
            yield path


def find_upload(session: Session, public_id: str) -> Artifact:
    """The upload with that id."""
    artifact = session.scalar(select(Artifact).where(Artifact.public_id == public_id, Artifact.kind == KIND))
    if artifact is None:
        raise NotFound("There is no such upload.", remedy="Upload the file again.")
    return artifact


@contextmanager
def open_upload(settings: Settings, artifact: Artifact) -> Iterator[Bundle]:
    """The files of an upload."""
    path = FileStore(settings.artifacts_dir).path(artifact.sha256)
    with open_bundle(path, artifact.file_name, limit=upload_limit(settings)) as bundle:
        yield bundle


def start_import(session: Session, request: ImportRequest, *, user_id: int | None, study: Study | None) -> Run:
    """Queue the import."""
    return enqueue(
        session,
        "import",
        request.model_dump(mode="json"),
        study_id=study.id if study else None,
        user_id=user_id,
        priority=10,  # a person waits for it
    )
