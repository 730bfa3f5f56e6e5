"""When the database is away, people and programs are told to try again, and when."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.main import create_app
from app.storage.engine import Database

# Nobody listens on the port; the folder does not exist.
AWAY = [
    "postgresql+psycopg://codejury@127.0.0.1:1/codejury?connect_timeout=5",
    "sqlite:////no-such-folder/db.sqlite3",
]


@pytest.mark.parametrize("url", AWAY)
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
