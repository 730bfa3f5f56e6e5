"""Old exports go with their files, those that tell who people are much sooner; what is in use stays."""

import os
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from app.clock import utc_now
from app.config import Settings
from app.services.exports.expiry import KEPT_FOR, PRIVATE_KEPT_FOR, expire_exports
from app.services.imports.cleaning import ORPHANS_KEPT_FOR, clean_uploads
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import Artifact

HOUR = timedelta(hours=1)


def export_of_old(database: Database, settings: Settings, name: str, kind: str, age: timedelta) -> Path:
    files = FileStore(settings.artifacts_dir)
    stored = files.save([name.encode()])
    with database.write() as session:
        artifact = add_artifact(session, stored, kind=kind, file_name=name, media_type="application/zip")
        artifact.created_at = utc_now() - age
    made = (utc_now() - age).timestamp()
    os.utime(files.path(stored.sha256), (made, made))
    return files.path(stored.sha256)


def test_each_kind_is_kept_for_its_time(database: Database, settings: Settings) -> None:
    gone = [
        export_of_old(database, settings, "old.zip", "export", KEPT_FOR + HOUR),
        export_of_old(database, settings, "private.zip", "private-export", PRIVATE_KEPT_FOR + HOUR),
    ]
    kept = [
        export_of_old(database, settings, "lately.zip", "export", KEPT_FOR - HOUR),
        export_of_old(database, settings, "of today.zip", "private-export", PRIVATE_KEPT_FOR - HOUR),
        export_of_old(database, settings, "picture.png", "image", KEPT_FOR + HOUR),
    ]
    with database.write() as session:
        expire_exports(session)
    with database.read() as session:
        assert sorted(session.scalars(select(Artifact.file_name))) == ["lately.zip", "of today.zip", "picture.png"]
    with database.write() as session:
        assert clean_uploads(session, settings=settings) == 2
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)


def test_a_file_without_a_row_stays_while_a_run_may_still_tell_of_it(database: Database, settings: Settings) -> None:
    files = FileStore(settings.artifacts_dir)
    paths = [files.path(files.save([name]).sha256) for name in (b"of a run that goes on", b"of one that was killed")]
    made = (utc_now() - ORPHANS_KEPT_FOR - HOUR).timestamp()
    os.utime(paths[1], (made, made))
    with database.write() as session:
        assert clean_uploads(session, settings=settings) == 1
    assert [path.exists() for path in paths] == [True, False]
