"""The preview of a damaged bundle names each file and row: what the import would refuse, it finds."""

import json
import re

import pytest
from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.exports.test_bent_bundles import resummed
from tests.imports.helpers import Importer, zipped
from tests.imports.test_study_bundle import odd_study
from tests.imports.test_web import sign_in, upload

Files = dict[str, bytes]


@pytest.fixture
def admin(client: TestClient, database: Database) -> TestClient:
    sign_in(database, client, "admin")
    return client


@pytest.fixture
def files(importer: Importer) -> Files:
    return odd_study(importer)


def preview(admin: TestClient, files: Files) -> str:
    """What the page says, with its spaces made one."""
    return re.sub(r"\s+", " ", admin.get(upload(admin, "/import", {"study.zip": zipped(files)})).text)


def changed(files: Files, name: str, **values: object) -> Files:
    """With other values in the file's first line."""
    first, *others = files[name].splitlines(keepends=True)
    line = json.dumps(json.loads(first) | values).encode() + b"\n"
    return files | {name: b"".join([line, *others])}


def test_a_changed_file_is_named(admin: TestClient, files: Files) -> None:
    page = preview(admin, files | {"outputs.jsonl": files["outputs.jsonl"] + b"\n"})
    assert "The bundle is not as it was exported." in page
    assert "<li>outputs.jsonl: Its SHA-256 is not the one in SHA256SUMS" in page


def test_a_missing_file_is_named(admin: TestClient, files: Files) -> None:
    page = preview(admin, {name: data for name, data in files.items() if name != "items.jsonl"})
    assert "<li>items.jsonl: It is missing, or has no checksum." in page


def test_a_bad_setting_is_named(admin: TestClient, files: Files) -> None:
    about = json.loads(files["study.json"]) | {"seed": 10**40}
    page = preview(admin, resummed(files | {"study.json": json.dumps(about).encode()}))
    assert "<li>study.json: seed: " in page


def test_a_row_that_comes_twice_is_found_before_anything_is_stored(admin: TestClient, files: Files) -> None:
    grades = files["grades.jsonl"]
    rows = grades.count(b"\n")
    page = preview(admin, resummed(files | {"grades.jsonl": grades + grades.splitlines(keepends=True)[0]}))
    assert "This import adds" not in page
    assert f"<li>grades.jsonl, row {rows + 1}: Row 1 says the same, or takes its place." in page


def test_good_rows_alone_are_not_spoken_of(admin: TestClient, files: Files) -> None:
    """A bundle is taken whole or not at all."""
    page = preview(admin, resummed(changed(files, "grades.jsonl", label=99)))
    assert "grades.jsonl, row 1: " in page
    assert "As the file is, nothing will be stored." in page
    assert "The good rows alone" not in page
