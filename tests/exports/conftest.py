"""Two installations: one with a study, and an empty one on the other kind of database."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.exports.rich import make_rich_study
from tests.exports.steps import exported
from tests.imports.conftest import importer
from tests.imports.helpers import Importer
from tests.prepared import prepare
from tests.services.reused import ReusedDatabase

__all__ = ["importer"]


@pytest.fixture
def here(database: Database, settings: Settings) -> Importer:
    """An installation with the rich study."""
    prepare(database, "rich", lambda: make_rich_study(database))
    return Importer(database, settings)


@pytest.fixture(scope="session")
def whole_bundle(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The rich study's bundle with all that one can hold, made once."""
    folder = tmp_path_factory.mktemp("rich")
    shutil.copy(sqlite_template, folder / "codejury.sqlite3")
    url = f"sqlite:///{folder / 'codejury.sqlite3'}"
    database = Database(url)
    make_rich_study(database)
    installation = Importer(database, Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url))  # type: ignore[call-arg]
    data = exported(installation, platform_ids=True, answers_about_people=True)
    database.dispose()
    return data


@pytest.fixture
def empty(database: Database, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Importer]:
    """An empty installation on PostgreSQL where the other one is on SQLite, and the other way round."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if database.is_sqlite:
        reused: ReusedDatabase = request.getfixturevalue("reused_postgres")
        reused.renew()
        url = reused.url
    else:
        url = f"sqlite:///{folder / 'codejury.sqlite3'}"
        shutil.copy(request.getfixturevalue("sqlite_template"), folder / "codejury.sqlite3")
    other = Database(url)
    yield Importer(other, Settings(CODEJURY_DATA_DIR=folder, DATABASE_URL=url))  # type: ignore[call-arg]
    other.dispose()
