"""A graded study in a database, with and without an analysis, and a researcher at the app."""

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.storage.engine import Database
from tests.dashboards.study import make_analysed_study, make_graded_study, sign_in
from tests.prepared import prepare


@pytest.fixture
def graded(database: Database) -> Database:
    """The study, not analysed."""
    prepare(database, "graded", lambda: make_graded_study(database))
    return database


@pytest.fixture
def analysed(database: Database, settings: Settings) -> Database:
    """The study with one analysis."""
    prepare(database, "analysed", lambda: make_analysed_study(database, settings))
    return database


@pytest.fixture
def researcher(client: TestClient, database: Database, request: pytest.FixtureRequest) -> TestClient:
    """A browser signed in as a researcher."""
    for study in {"graded", "analysed"} & {*request.fixturenames}:  # it goes into an empty database
        request.getfixturevalue(study)
    sign_in(client, database, "researcher")
    return client
