"""A setting that nobody knows stops the start, and what was meant is named."""

import re
import subprocess

import pytest

from app.config import PROJECT_ROOT, get_settings, known_names
from app.errors import InvalidInput
from app.misspelt import ELSEWHERE, refuse_unknown
from tests.cli.test_cli import codejury


def said(**environment: str) -> str:
    """What the start says to these variables; "" when it goes on."""
    try:
        refuse_unknown(environment, known_names())
    except InvalidInput as refusal:
        return refusal.in_words()
    return ""


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CODEJURY_DATADIR", "CODEJURY_DATA_DIR"),
        ("CODEJURY_DATA_DIRECTORY", "CODEJURY_DATA_DIR"),
        ("CODEJURY_HTTP", "CODEJURY_HTTPS"),
        ("CODEJURY_MAX_UPLOAD", "CODEJURY_MAX_UPLOAD_MB"),
        ("CODEJURY_DATABASE_URL", "DATABASE_URL"),
        ("CODEJURY_PORT", "PORT"),
        ("codejury_base_uri", "CODEJURY_BASE_URL"),
        ("DATABSE_URL", "DATABASE_URL"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("SQLALCHEMY_DATABASE_URL", "DATABASE_URL"),
        ("BROKER_URI", "BROKER_URL"),
        ("BROKERURL", "BROKER_URL"),
        ("CELERY_BROKER_URL", "BROKER_URL"),
        ("REDIS_URL", "BROKER_URL"),
    ],
)
def test_the_nearest_name_is_named(name: str, meant: str) -> None:
    message = said(**{name: "a-secret"})
    assert name.upper() in message
    assert re.search(rf"\b{meant}\b", message)
    assert "a-secret" not in message


def test_what_resembles_nothing_gets_the_list() -> None:
    message = said(CODEJURY_XQZ="1")
    assert "CODEJURY_DATA_DIR, CODEJURY_ENV" in message


def test_all_are_named_at_once() -> None:
    assert said(CODEJURY_DATADIR="1", DATABSE_URL="2").count("\n") == 2


@pytest.mark.parametrize(
    "environment",
    [
        {"CODEJURY_DATA_DIR": "x", "database_url": "y"},
        {"HOME": "/", "DATABASE": "x", "DATABASE_URL_OF_TESTS": "y", "REDIS_HOST": "z", "URL": "w"},
        {"REDIS_URL": "of another program", "BROKER_URL": "redis://here"},
        {"CODEJURY_DATADIR": ""},
        dict.fromkeys(known_names() | ELSEWHERE, "x"),
    ],
    ids=["known", "foreign", "foreign beside ours", "empty", "all"],
)
def test_what_is_known_foreign_or_empty_is_left_alone(environment: dict[str, str]) -> None:
    assert said(**environment) == ""


def test_a_start_stops() -> None:
    answer = codejury("migrate", CODEJURY_DATADIR="/tmp/x")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "CODEJURY_DATADIR: There is no such setting. Did you mean CODEJURY_DATA_DIR?" in answer.stderr


def test_the_web_application_alone_stops_too() -> None:
    with pytest.MonkeyPatch.context() as patch:
        get_settings.cache_clear()
        patch.setenv("CODEJURY_DATADIR", "x")
        with pytest.raises(InvalidInput):
            get_settings()


def test_every_variable_that_is_read_or_told_of_is_known() -> None:
    places = ("app", "workers", "scripts", "Makefile", "docs")
    command = ["git", "grep", "-hoE", r"\bCODEJURY_[A-Z_]*[A-Z]\b", "--", *places]
    named = set(subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout.split())
    assert named - known_names() - ELSEWHERE == set()
