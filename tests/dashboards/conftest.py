"""A graded study in a database, with and without an analysis, and a researcher at the app."""

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.storage.engine import Database
from tests.dashboards.study import analyse, make_graded_study, sign_in


@pytest.fixture
def graded(database: Database) -> Database:
    """The study, not analysed."""
    make_graded_study(database)
    return database


@pytest.fixture
def analysed(graded: Database, settings: Settings) -> Database:
    """The study with one analysis."""
    analyse(graded, settings)
    return graded


@pytest.fixture
def researcher(client: TestClient, database: Database) -> TestClient:
    """A browser signed in as a researcher."""
    sign_in(client, database, "researcher")
    return client
