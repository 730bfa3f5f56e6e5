"""Uploads: bytes onto disk as an artifact, and from there into a run. The web and the command line both come here."""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.config import Settings
from app.errors import Conflict, InvalidInput, NotFound
from app.services.imports.batches import upload_limit
from app.services.imports.images import SUFFIXES
from app.services.imports.request import ImportRequest
from app.services.imports.sources import Bundle, open_bundle, pack
from app.services.imports.storable import legible
from app.services.imports.tarballs import is_tar, repack
from app.services.runs import enqueue
from app.services.studies import new_study_slug
from app.storage.files import Files, StoredFile, add_artifact, chunks_of, files_of
from app.storage.models import Artifact, Run, Study
from app.words import gettext

KIND = "upload"
TABLE_SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".gz")


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """One file as a client sent it; the name is for display and for telling files of a folder apart."""

    name: str
    file: BinaryIO


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """An upload on disk, before a row tells of it."""

    stored: StoredFile
    name: str


def keep(settings: Settings, files: list[UploadedFile]) -> KeptUpload:
    """Write an upload to disk: one file as it is, several as one zip of them. No transaction waits for it."""
    files = [UploadedFile(legible(each.name), each.file) for each in files if each.name]
    if len(files) > 1:
        files = [each for each in files if _is_wanted(PurePosixPath(each.name.replace("\\", "/")))]
    if not files:
        raise InvalidInput(
            gettext("No file was chosen."), remedy=gettext("Choose a file or a folder, then upload it.")
        )
    store = files_of(settings)
    if len(files) > 1:
        return KeptUpload(_save_packed(store, files, settings), _name_of_folder(files))
    limit = upload_limit(settings)
    if is_tar(files[0].file):
        return KeptUpload(_save_repacked(store, files[0].file, limit), files[0].name)
    return KeptUpload(store.save(chunks_of(files[0].file), limit=limit), files[0].name)


def record(session: Session, kept: KeptUpload, study: Study | None) -> Artifact:
    """The row of a kept upload."""
    return add_artifact(
        session,
        kept.stored,
        kind=KIND,
        file_name=kept.name,
        media_type="application/octet-stream",
        study_id=study.id if study else None,
    )


def _save_packed(store: Files, files: list[UploadedFile], settings: Settings) -> StoredFile:
    with tempfile.TemporaryFile() as packed:
        pack(((each.name, each.file) for each in files), packed)
        packed.seek(0)
        return store.save(chunks_of(packed), limit=upload_limit(settings))


def _save_repacked(store: Files, file: BinaryIO, limit: int) -> StoredFile:
    with tempfile.TemporaryFile() as packed:
        repack(file, _size(file), packed, limit)
        packed.seek(0)
        return store.save(chunks_of(packed), limit=limit)


def _size(file: BinaryIO) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def _name_of_folder(files: list[UploadedFile]) -> str:
    first = files[0].name
    return f"{first.split('/', 1)[0]}.zip" if "/" in first else f"{len(files)} files.zip"


@contextmanager
def local_files(path: Path) -> Iterator[list[UploadedFile]]:
    """A file, or the tables and images of a folder, opened for ``keep``; links are not followed."""
    paths = [path] if path.is_file() else sorted(_inside(path))
    if not paths:
        raise InvalidInput(
            gettext("The folder %(name)s holds no table and no image.", name=repr(str(path))),
            remedy=gettext("Name a folder with files that end in %(endings)s.", endings=", ".join(TABLE_SUFFIXES)),
        )
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
        if _is_wanted(path.relative_to(folder)) and path.is_file() and not path.is_symlink():
            yield path


def _is_wanted(path: PurePath) -> bool:
    """Whether a file of a folder is a table or an image; others, and hidden ones, are left where they are."""
    hidden = any(part.startswith(".") and part != ".." for part in path.parts)
    return not hidden and path.suffix.lower() in (*TABLE_SUFFIXES, *SUFFIXES)


def find_upload(session: Session, public_id: str) -> Artifact:
    """The upload with that id."""
    artifact = session.scalar(select(Artifact).where(Artifact.public_id == public_id, Artifact.kind == KIND))
    if artifact is None:
        raise NotFound(gettext("There is no such upload."), remedy=gettext("Upload the file again."))
    return artifact


@contextmanager
def open_upload(settings: Settings, artifact: Artifact) -> Iterator[Bundle]:
    """The files of an upload."""
    path = files_of(settings).path(artifact.sha256)
    with open_bundle(path, artifact.file_name, limit=upload_limit(settings)) as bundle:
        yield bundle


def check_title(session: Session, title: str) -> None:
    """Refuse a title that a new study can't have: InvalidInput, or Conflict when a study has it."""
    slug = new_study_slug(title)
    if session.scalar(select(Study.id).where(Study.slug == slug)) is not None:
        remedy = gettext("Choose another title, or add to that study from its import page.")
        raise Conflict(gettext("There is a study %(slug)s already.", slug=repr(slug)), remedy=remedy)


def start_import(session: Session, request: ImportRequest, *, user_id: int | None, study: Study | None) -> Run:
    """Queue the import; Conflict when it would make a study that is there already."""
    own_title = request.kind == "bundle" and not request.title  # the import looks whether that one is free
    if study is None and not own_title:
        check_title(session, request.title or "")
    return enqueue(
        session,
        "import",
        request.model_dump(mode="json"),
        study_id=study.id if study else None,
        user_id=user_id,
        priority=10,  # a person waits for it
    )
