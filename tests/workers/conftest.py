"""Workers for tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.workers.process import Launched, wait_for_worker

Start = Callable[[], Launched]


@pytest.fixture
def data_dir(tmp_path: Path, database: Database, settings: Settings) -> Path:
    """The data folder of an embedded installation; the database lies in it where a worker looks for it."""
    assert settings.effective_database_url == f"sqlite:///{tmp_path / 'codejury.sqlite3'}"
    return tmp_path


@pytest.fixture
def start_worker(data_dir: Path, database: Database) -> Iterator[Start]:
    """Starts embedded workers and ends them with the test."""
    started: list[Launched] = []

    def start() -> Launched:
        started.append(Launched("worker", CODEJURY_DATA_DIR=str(data_dir)))
        wait_for_worker(database)
        return started[-1]

    yield start
    for each in started:
        each.end()
