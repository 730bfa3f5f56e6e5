"""F39: a backup that is made while people grade is an installation as it stood at one moment."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.backup import restore, write_backup
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from tests.faults import invariants
from tests.faults.load import acknowledged, grading, stored
from tests.faults.processes import Web
from tests.faults.study import Installation
from tests.workers.process import wait_for


@pytest.fixture
def elsewhere(tmp_path: Path, installation: Installation, request: pytest.FixtureRequest) -> Iterator[Installation]:
    """An empty database of the same kind, and another folder."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    is_sqlite = installation.database.is_sqlite
    url = f"sqlite:///{folder / 'x.sqlite3'}" if is_sqlite else request.getfixturevalue("new_postgres_url")()
    database = Database(url)
    yield Installation(database, Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url), installation.study_id)  # type: ignore[call-arg]
    database.dispose()


@pytest.mark.fault("F39")
def test_what_is_restored_holds_all_that_was_acknowledged_before(
    installation: Installation, elsewhere: Installation, start_web: Callable[..., Web], tmp_path: Path
) -> None:
    analysis = installation.analysis()
    files = FileStore(installation.settings.artifacts_dir)
    with installation.database.write() as session:
        add_artifact(session, files.save([b"PK"]), kind="export", file_name="x.zip", media_type="application/zip")
    path, web = tmp_path / "backup.zip", start_web()
    with grading(installation.people(4), [web.port]) as browsers:
        wait_for(stored(browsers, 6), "answers")
        before = acknowledged(browsers)
        write_backup(installation.database, files, path)
        wait_for(stored(browsers, 6), "answers after the backup")
    after = acknowledged(browsers)
    assert len(after) > len(before)
    assert {status for each in browsers for status in each.statuses} == {200}, "nobody noticed"
    restore(path, elsewhere.url, FileStore(elsewhere.settings.artifacts_dir))
    invariants.check(elsewhere, before, analysis)
    invariants.check(installation, after, analysis)
