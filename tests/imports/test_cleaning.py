"""Uploads that nobody confirmed go after a week; what is used, or shared by its hash, stays."""

import io
import os
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select, update

from app.clock import utc_now
from app.config import Settings
from app.services.imports.cleaning import KEPT_FOR, clean_uploads
from app.services.imports.uploads import UploadedFile, keep, record
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import Artifact
from tests.imports.helpers import Importer

OLD = KEPT_FOR + timedelta(hours=1)
TABLE = "problem,system,output\np,m,x\n"


def upload(database: Database, settings: Settings, content: bytes, *, recorded: bool = True) -> Path:
    kept = keep(settings, [UploadedFile("t.csv", io.BytesIO(content))])
    if recorded:
        with database.write() as session:
            record(session, kept, None)
    return FileStore(settings.artifacts_dir).path(kept.stored.sha256)


def age(database: Database, settings: Settings) -> None:
    with database.write() as session:
        session.execute(update(Artifact).values(created_at=utc_now() - OLD))
    then = (utc_now() - OLD).timestamp()
    for path in settings.artifacts_dir.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def clean(database: Database, settings: Settings) -> int:
    with database.write() as session:
        return clean_uploads(session, settings=settings)


def test_what_was_never_confirmed_goes(importer: Importer, database: Database, settings: Settings) -> None:
    importer.good(TABLE)
    used = upload(database, settings, TABLE.encode())  # the same bytes as the import's
    shared = upload(database, settings, b"also an export")
    with database.write() as session:
        stored = keep(settings, [UploadedFile("e", io.BytesIO(b"also an export"))]).stored
        add_artifact(session, stored, kind="export", file_name="e.zip", media_type="application/zip")
    forgotten = upload(database, settings, b"never confirmed")
    dry_run = upload(database, settings, b"a dry run's copy", recorded=False)
    half = settings.artifacts_dir / ".incoming-x"
    half.write_bytes(b"cut off")
    age(database, settings)
    fresh = upload(database, settings, b"of today")
    assert clean(database, settings) == 2
    assert not dry_run.exists()
    assert not half.exists()
    assert clean(database, settings) == 1
    assert not forgotten.exists()
    assert clean(database, settings) == 0
    assert used.exists()
    assert shared.exists()
    assert fresh.exists()
    with database.read() as session:
        kinds = sorted(session.scalars(select(Artifact.kind)))
    assert kinds == ["export", "upload", "upload", "upload"]  # two of the import's bytes, and today's


def test_the_same_bytes_uploaded_again_are_new(database: Database, settings: Settings) -> None:
    upload(database, settings, b"twice", recorded=False)
    age(database, settings)
    again = upload(database, settings, b"twice", recorded=False)
    assert clean(database, settings) == 0
    assert again.exists()
