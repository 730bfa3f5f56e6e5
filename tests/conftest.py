"""Fixtures that every test may use: a migrated database of its own, the app on it, people signed in."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.main import create_app
from app.storage import migrate
from app.storage.engine import Database
from tests.services.postgres import PostgresServer

pytest_plugins = ["tests.services.plugin"]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite database that each test copies."""
    path = tmp_path_factory.mktemp("template") / "codejury.sqlite3"
    migrate.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """The name of a migrated, empty PostgreSQL database that each test copies."""
    url = postgres_server.create_database()
    migrate.upgrade(url)
    return url.rsplit("/", 1)[-1]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of a migrated, empty database; every test that uses one runs on both."""
    if request.param == "postgresql":
        template = request.getfixturevalue("postgres_template")
        server: PostgresServer = request.getfixturevalue("postgres_server")
        return server.create_database(template=template)
    path = tmp_path / "codejury.sqlite3"
    shutil.copy(request.getfixturevalue("sqlite_template"), path)
    return f"sqlite:///{path}"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated, empty database."""
    database = Database(database_url)
    yield database
    database.dispose()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings of an embedded installation under a temporary folder."""
    return Settings(CODEJURY_DATA_DIR=tmp_path, DATABASE_URL=database_url)  # type: ignore[call-arg]


@pytest.fixture
def client(settings: Settings, database: Database) -> Iterator[TestClient]:
    """A browser without cookies, at the app; it sends what a browser on our own pages sends."""
    app = create_app(settings, database)
    with TestClient(app, base_url="http://localhost", headers={"Sec-Fetch-Site": "same-origin"}) as client:
        yield client
