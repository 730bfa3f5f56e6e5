"""A study of changed prompts with everything that can be measured, and a researcher at the app."""

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.storage.engine import Database
from tests.agreement.study import measure, survey_study
from tests.dashboards.study import sign_in


@pytest.fixture
def surveyed(database: Database) -> Database:
    """The study, graded and not measured."""
    survey_study(database)
    return database


@pytest.fixture
def measured(surveyed: Database, settings: Settings) -> Database:
    """The study, measured."""
    measure(surveyed, settings)
    return surveyed


@pytest.fixture
def researcher(client: TestClient, database: Database) -> TestClient:
    """A browser signed in as a researcher."""
    sign_in(client, database, "researcher")
    return client
