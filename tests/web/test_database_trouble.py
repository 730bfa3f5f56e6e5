"""When the database is away, people and programs are told to try again, and when."""

import sqlite3
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy.exc import IntegrityError

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from app.web.access import ANYONE
from tests.browsing import browse

# Nobody listens on the port; the folder does not exist.
AWAY = [
    "postgresql+psycopg://codejury@127.0.0.1:1/codejury?connect_timeout=5",
    "sqlite:////no-such-folder/db.sqlite3",
]


@pytest.mark.parametrize("url", AWAY)
@pytest.mark.fault("F17")
def test_a_database_that_is_away_means_try_again(url: str, tmp_path: Path) -> None:
    settings = Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=url)  # type: ignore[call-arg]
    form = {"email": "admin@example.org", "password": "correct purple battery"}
    with TestClient(
        create_app(settings, Database(url)),
        base_url="http://localhost",
        headers={"Sec-Fetch-Site": "same-origin"},
        raise_server_exceptions=False,
    ) as client:
        page = client.post("/sign-in", data=form)
        problem = client.post("/sign-in", data=form, headers={"Accept": "application/json"})
    for answer in (page, problem):
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert "no-such-folder" not in answer.text
    assert "Nothing was changed." in page.text
    assert problem.headers["content-type"] == "application/problem+json"
    assert problem.json()["remedy"] == "Try again in a few seconds."


@pytest.mark.sqlite_is_enough
def test_who_meets_another_one_is_told_to_look_again(app: FastAPI, portal: BlockingPortal) -> None:
    def meet() -> None:
        cause = sqlite3.IntegrityError("UNIQUE constraint failed: ada@example.org")
        cause.sqlite_errorcode = sqlite3.SQLITE_CONSTRAINT_UNIQUE
        raise IntegrityError("INSERT", {}, cause)

    app.get("/meet", dependencies=[ANYONE])(meet)
    client = browse(app, portal, raises=False)
    page, problem = client.get("/meet"), client.get("/meet", headers={"Accept": "application/json"})
    assert (page.status_code, problem.status_code) == (409, 409)
    assert "Look at it again, then try again." in page.text
    assert "Nothing of yours was stored" in problem.json()["detail"]
    assert "ada@example.org" not in page.text + problem.text
