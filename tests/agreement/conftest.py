"""A study of changed prompts with everything that can be measured, and a researcher at the app."""

import pytest
from fastapi.testclient import TestClient

from app.config import Settings
from app.storage.engine import Database
from tests.agreement.study import measure, survey_study
from tests.dashboards.study import sign_in
from tests.prepared import prepare


@pytest.fixture
def surveyed(database: Database) -> Database:
    """The study, graded and not measured."""
    prepare(database, "surveyed", lambda: survey_study(database))
    return database


@pytest.fixture
def measured(database: Database, settings: Settings) -> Database:
    """The study, measured."""

    def make() -> None:
        survey_study(database)
        measure(database, settings)

    prepare(database, "measured", make)
    return database


@pytest.fixture
def researcher(client: TestClient, database: Database, request: pytest.FixtureRequest) -> TestClient:
    """A browser signed in as a researcher."""
    for study in {"surveyed", "measured"} & {*request.fixturenames}:  # it goes into an empty database
        request.getfixturevalue(study)
    sign_in(client, database, "researcher")
    return client
