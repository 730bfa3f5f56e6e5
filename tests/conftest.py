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
from tests.live_server import serve
from tests.services.postgres import PostgresServer

pytest_plugins = ["tests.services.plugin"]


SQLITE, POSTGRESQL = "sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whatever uses a database runs on both, unless it says that one is enough, or looks at what a browser does."""
    if "database_url" not in metafunc.fixturenames:
        return
    if any("database_url" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")):
        return
    is_marked = metafunc.definition.get_closest_marker("sqlite_is_enough") is not None
    both = not is_marked and "browser" not in metafunc.fixturenames
    metafunc.parametrize("database_url", [SQLITE, POSTGRESQL] if both else [SQLITE], indirect=True)


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


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Address of a migrated, empty database of the kind that pytest_generate_tests chose."""
    if request.param == "postgresql":
        template = request.getfixturevalue("postgres_template")
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.create_database(template=template)
        yield url
        server.drop_database(url)
    else:
        path = tmp_path / "codejury.sqlite3"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"


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


@pytest.fixture
def live_server(settings: Settings, database: Database) -> Iterator[str]:
    """Address of the app behind a real server."""
    with serve(settings, database) as address:
        yield address
