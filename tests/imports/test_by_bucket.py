"""An installation whose files lie in a bucket imports, shows, exports and cleans up like any other."""

import io
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.clock import utc_now
from app.config import Settings
from app.services.imports.cleaning import clean_uploads
from app.services.imports.uploads import UploadedFile, keep
from app.storage.engine import Database
from app.storage.files import files_of
from app.storage.models import Artifact
from tests.exports.steps import exported, members
from tests.imports.helpers import Importer, zipped
from tests.imports.test_codegen_metrics import png
from tests.imports.test_web import LONG, sign_in, upload

TABLE = b"problem,system,output,image\np,m,x,a.png\n"

pytestmark = pytest.mark.sqlite_is_enough


@pytest.fixture
def settings(database_url: str, tmp_path: Path, bucket_endpoint: str, bucket_url: str) -> Settings:
    return Settings(  # type: ignore[call-arg]
        CODEJURY_DATA_DIR=tmp_path,
        DATABASE_URL=database_url,
        CODEJURY_BUCKET=bucket_url,
        CODEJURY_BUCKET_ENDPOINT=bucket_endpoint,
    )


def test_a_study_goes_in_and_out_and_in_again(importer: Importer, settings: Settings) -> None:
    importer.good(zipped({"table.csv": TABLE, "a.png": png("green")}))
    first = exported(importer, "study")
    importer.good(first, "bundle", title="Again")
    again = members(exported(importer, "again"))
    assert again["images/0.png"] == members(first)["images/0.png"]
    assert again["outputs.jsonl"] == members(first)["outputs.jsonl"]
    assert not settings.artifacts_dir.exists()


def test_an_upload_is_previewed_and_a_finished_file_downloaded(
    client: TestClient, importer: Importer, database: Database
) -> None:
    sign_in(database, client, "admin")
    assert "table.csv" in client.get(upload(client, "/import", {"table.csv": LONG})).text
    importer.good(LONG)
    bundle = exported(importer, "study")
    with database.read() as session:
        artifact = session.scalars(select(Artifact).where(Artifact.kind == "export")).one()
    assert client.get(f"/artifacts/{artifact.public_id}").content == bundle
    files = files_of(importer.settings)
    assert files.delete(artifact.sha256, stored_before=utc_now() + timedelta(hours=1))
    assert "Make a new one" in client.get(f"/artifacts/{artifact.public_id}").text


def test_what_was_never_confirmed_goes_after_a_week(
    importer: Importer, database: Database, settings: Settings
) -> None:
    importer.good(LONG)
    used = set(files_of(settings).stored_before(utc_now() + timedelta(hours=1)))
    forgotten = keep(settings, [UploadedFile("t.csv", io.BytesIO(b"never confirmed"))]).stored.sha256
    with time_machine.travel(utc_now() + timedelta(days=8)), database.write() as session:
        assert clean_uploads(session, settings=settings) == 1
    assert not files_of(settings).has(forgotten)
    assert set(files_of(settings).stored_before(utc_now() + timedelta(hours=1))) == used
