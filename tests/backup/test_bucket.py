"""What lay in a bucket comes back in a folder, and the other way round, from and to either database."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import boto3
import pytest
from sqlalchemy import select

from app.clock import utc_now
from app.storage.bucket import BucketStore
from app.storage.engine import Database
from app.storage.files import FileStore, files_of
from app.storage.models import Artifact
from tests.backup.places import Environment, MakePlace
from tests.backup.test_backup import state
from tests.cli.test_cli import codejury
from tests.exports.steps import exported
from tests.imports.helpers import Importer, zipped
from tests.imports.test_codegen_metrics import png
from tests.services.bucket import BUCKET

TABLE = b"problem,system,output,image\np,m,x,a.png\n"
Look = Callable[[Environment], Importer]


@pytest.fixture
def here(request: pytest.FixtureRequest, place: MakePlace, database_url: str) -> Environment:
    """An installation whose files lie where the test says."""
    return place("here", request.param) | {"DATABASE_URL": database_url}


def fill(installation: Importer) -> bytes:
    """A study with an image, and its bundle, which is a stored file as well."""
    installation.good(zipped({"table.csv": TABLE, "a.png": png("green")}))
    return exported(installation, "study")


def told(*arguments: str, **environment: str) -> str:
    """What a command that must succeed says."""
    answer = codejury(*arguments, **environment)
    assert (answer.returncode, answer.stderr) == (0, "")
    return answer.stdout


def hashes(database: Database) -> set[str]:
    """Of all files that rows tell of."""
    with database.read() as session:
        return set(session.scalars(select(Artifact.sha256)))


@pytest.mark.fault("F39")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize(
    ("here", "files"), [("bucket", "folder"), ("folder", "bucket")], indirect=["here"], ids=["out of it", "into it"]
)
def test_a_backup_goes_from_one_place_to_the_other(
    here: Environment,
    opened: Look,
    place: MakePlace,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    *,
    files: str,
    kind: str,
) -> None:
    source = opened(here)
    bundle = fill(source)
    before, stored = state(source.database), hashes(source.database)
    source.database.dispose()
    file = str(tmp_path / "backup.zip")
    assert f" and {len(stored)} files." in told("backup", file, **here)

    there = place("there", files)
    if kind == "postgresql":
        there["DATABASE_URL"] = request.getfixturevalue("new_postgres_url")()
    assert f" and {len(stored)} files, as of " in told("restore", file, **there)

    target = opened(there)
    assert state(target.database) == before
    found = files_of(target.settings)
    assert set(found.stored_before(utc_now() + timedelta(hours=1))) == stored
    assert target.settings.artifacts_dir.exists() == (files == "folder")
    assert exported(target, "study") == bundle, "images and all"


def damage(installation: Importer, sha256: str) -> None:
    """What a bad disk does: the name stays, and the content is another one."""
    files = files_of(installation.settings)
    if isinstance(files, FileStore):
        files.path(sha256).write_bytes(b"something else")
        return
    assert isinstance(files, BucketStore)
    (files.copies / sha256).unlink(missing_ok=True)
    client = boto3.client("s3", endpoint_url=files.endpoint)
    client.put_object(Bucket=BUCKET, Key=f"{files.prefix}{sha256[:2]}/{sha256}", Body=b"something else")


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("here", ["folder", "bucket"], indirect=True)
def test_a_damaged_file_spoils_no_backup(here: Environment, opened: Look, place: MakePlace, tmp_path: Path) -> None:
    source = opened(here)
    fill(source)
    before, stored = state(source.database), hashes(source.database)
    spoilt = min(stored)
    damage(source, spoilt)
    source.database.dispose()
    file = str(tmp_path / "backup.zip")
    assert "of which 1 were missing or damaged already" in told("backup", file, **here)
    there = place("there", "folder")
    told("restore", file, **there)
    target = opened(there)
    assert state(target.database) == before
    assert set(files_of(target.settings).stored_before(utc_now() + timedelta(hours=1))) == stored - {spoilt}


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("here", ["bucket"], indirect=True)
def test_a_bucket_that_is_away_makes_no_backup(here: Environment, opened: Look, tmp_path: Path) -> None:
    source = opened(here)
    fill(source)
    source.database.dispose()
    (source.settings.data_dir / "fetched").rename(tmp_path / "on another machine")
    away = here | {"CODEJURY_BUCKET": "s3://nobody-made-it/backup"}
    answer = codejury("backup", str(tmp_path / "backup.zip"), **away)
    assert answer.returncode == 1
    assert "can't be reached" in answer.stderr
    assert not (tmp_path / "backup.zip").exists()
