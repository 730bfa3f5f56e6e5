"""Fixtures that every test may use: a migrated database of its own, the app on it, people signed in."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from sqlalchemy import Dialect, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection

from app.config import Settings, get_settings
from app.services import passwords
from app.services.kept import forget
from app.storage import migrate
from app.storage.engine import Database
from tests.apps import METRICS_TOKEN, lent_app
from tests.browsing import browse
from tests.live_server import serve
from tests.services.postgres import PostgresServer
from tests.services.reused import SHARED, ReusedDatabase

pytest_plugins = ["tests.services.plugin"]

# A test judges what comes out, not how long a busy machine takes; with CI=true Hypothesis thinks so by itself.
hypothesis_settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if not os.environ.get("CI"):
    hypothesis_settings.load_profile("busy")


# What people get is slow on purpose; tests/people/test_passwords.py looks at it.
REAL_HASHER = passwords._hasher
QUICK_HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)

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


@pytest.fixture(autouse=True)
def _settings_of_its_own() -> Iterator[None]:
    """Commands read the settings once for their process, which would be those of an earlier test."""
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Passwords of tests are no secrets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", QUICK_HASHER)
        yield


@pytest.fixture
def real_hasher(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords as people get them."""
    monkeypatch.setattr(passwords, "_hasher", REAL_HASHER)


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


@pytest.fixture(scope="session")
def reused_postgres(postgres_server: PostgresServer, postgres_template: str) -> Iterator[ReusedDatabase]:
    """The PostgreSQL database that this process' tests use one after the other."""
    reused = ReusedDatabase(postgres_server, postgres_template)
    yield reused
    reused.close()


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of a migrated, empty database of the kind that pytest_generate_tests chose."""
    if request.param == "postgresql":
        reused: ReusedDatabase = request.getfixturevalue("reused_postgres")
        reused.renew()
        return reused.url
    path = tmp_path / "codejury.sqlite3"
    shutil.copy(request.getfixturevalue("sqlite_template"), path)
    return f"sqlite:///{path}"


def _spare_the_disk(connection: sqlite3.Connection, _record: object) -> None:
    """Tests need no durability, and each commit would wait for the disk; PostgreSQL's server is told the same."""
    connection.execute("PRAGMA synchronous = OFF")


class MovingDatabase(Database):
    """Goes on from one SQLite file to the next: what its engine has compiled is of use to the next test, too."""

    def __init__(self) -> None:
        super().__init__("sqlite:///nowhere-yet.sqlite3")
        event.listen(self.engine, "do_connect", self._connect)
        event.listen(self.engine, "connect", _spare_the_disk)

    def move_to(self, url: str) -> None:
        """Let go of the last file, and of what was known of it."""
        self.dispose()
        forget(self.engine)
        self.engine.url = make_url(url)

    def _connect(self, dialect: Dialect, _record: object, _path: object, options: dict[str, Any]) -> DBAPIConnection:
        return dialect.connect(self.engine.url.database, **options)


@pytest.fixture(scope="session")
def moving_sqlite() -> MovingDatabase:
    """The engine of all tests' own SQLite files."""
    return MovingDatabase()


class SharedDatabase(Database):
    """Goes on from test to test, so that connections stay warm and statements compiled."""

    copy = 1

    def follow(self, reused: ReusedDatabase) -> None:
        """Where the last copy is gone, connections to it are of no use."""
        if self.copy != reused.copies:
            self.close()
        self.copy = reused.copies

    def dispose(self) -> None:
        """Nothing: apps and tests say this when they end."""

    def close(self) -> None:
        """Close all connections."""
        super().dispose()


@pytest.fixture(scope="session")
def shared_postgres(reused_postgres: ReusedDatabase) -> Iterator[SharedDatabase]:
    """The engine of the PostgreSQL database."""
    database = SharedDatabase(f"{reused_postgres.url}?application_name={SHARED}")
    yield database
    database.close()


@pytest.fixture
def database(database_url: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A migrated, empty database."""
    if database_url.startswith("sqlite"):
        database: Database = request.getfixturevalue("moving_sqlite")
        database.move_to(database_url)
    else:
        database = request.getfixturevalue("shared_postgres")
        database.follow(request.getfixturevalue("reused_postgres"))
        forget(database.engine)
    yield database
    database.dispose()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """Settings of an embedded installation under a temporary folder."""
    known = {"CODEJURY_DATA_DIR": tmp_path, "DATABASE_URL": database_url, "CODEJURY_METRICS_TOKEN": METRICS_TOKEN}
    return Settings(**known)  # type: ignore[arg-type]


@pytest.fixture
def app(settings: Settings, database: Database) -> Iterator[FastAPI]:
    """The app on that database."""
    with lent_app(settings, database) as app:
        yield app


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    """An event loop that answers browsers, longer than a test lives, so that its threads are there already."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def client(app: FastAPI, portal: BlockingPortal) -> TestClient:
    """A browser without cookies, at the app; it sends what a browser on our own pages sends."""
    return browse(app, portal)


@pytest.fixture
def live_server(settings: Settings, database: Database) -> Iterator[str]:
    """Address of the app behind a real server."""
    with serve(settings, database) as address:
        yield address
