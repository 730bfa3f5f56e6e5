"""``codejury doctor`` names what is missing and how to get it, and changes nothing."""

from pathlib import Path

import pytest

from app.cli import checks
from app.cli.checks import Finding
from app.config import Settings
from app.services.runs.processes import process_name
from app.services.runs.workers import beat
from app.storage import migrate
from app.storage.engine import Database
from tests.cli.test_cli import codejury


def finding(settings: Settings, subject: str) -> Finding:
    return next(each for each in checks.examine(settings) if each.subject == subject)


def settings_of(data_dir: Path, **environment: str) -> Settings:
    return Settings(CODEJURY_DATA_DIR=data_dir, **environment)  # type: ignore[call-arg]


def test_a_new_installation_lacks_nothing_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "FRONT_END", ())
    findings = checks.examine(settings_of(tmp_path / "data"))
    assert [each for each in findings if each.grade == "bad"] == []
    assert {"CodeJury", "Python", "Packages", "Database", "WordNet", "Language models"} <= {
        each.subject for each in findings
    }
    assert not (tmp_path / "data").exists()


def test_workers_and_schema_are_told(tmp_path: Path, database: Database, settings: Settings) -> None:
    assert finding(settings, "Database").grade == "good"
    assert finding(settings, "Workers").state == "none is running"
    with database.write() as session:
        beat(session, process_name(), ["cpu"], 2)
    assert process_name() in finding(settings, "Workers").state
    migrate.downgrade(settings.effective_database_url, "base")
    assert finding(settings, "Database").remedy == "Run: codejury migrate"


def test_missing_front_end_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "FRONT_END", ("nothing.min.js",))
    missing = finding(settings_of(tmp_path), "Front-end files")
    assert (missing.grade, missing.state) == ("bad", "missing: nothing.min.js")


def test_a_bucket_is_looked_at(tmp_path: Path, bucket_endpoint: str) -> None:
    there = {"CODEJURY_BUCKET_ENDPOINT": bucket_endpoint}
    assert finding(settings_of(tmp_path, CODEJURY_BUCKET="s3://jury", **there), "Bucket").grade == "good"
    missing = finding(settings_of(tmp_path, CODEJURY_BUCKET="s3://not-made", **there), "Bucket")
    assert (missing.grade, "CODEJURY_BUCKET" in missing.remedy) == ("bad", True)
    assert "Bucket" not in [each.subject for each in checks.examine(settings_of(tmp_path))]


def test_a_forgetful_broker_is_noted(tmp_path: Path, redis_url: str) -> None:
    found = finding(settings_of(tmp_path, BROKER_URL=redis_url), "Broker")
    assert (found.grade, "--appendonly yes" in found.remedy) == ("note", True)


def test_an_unreachable_team_is_exit_code_1_and_shows_no_password(tmp_path: Path) -> None:
    answer = codejury(
        "doctor",
        CODEJURY_DATA_DIR=str(tmp_path),
        DATABASE_URL="postgresql+psycopg://someone:hunter2@127.0.0.1:1/x?password=hunter2",
        BROKER_URL="redis://:hunter2@127.0.0.1:1/0",
    )
    assert answer.returncode == 1
    assert answer.stdout.count("can't be reached") == 2
    assert "hunter2" not in answer.stdout + answer.stderr


def test_a_data_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = finding(settings_of(tmp_path / "file" / "data"), "Data folder")
    assert (found.grade, found.remedy) == ("bad", "Correct CODEJURY_DATA_DIR.")
    assert found.state == f"{tmp_path / 'file' / 'data'}: {tmp_path / 'file'} is a file"
