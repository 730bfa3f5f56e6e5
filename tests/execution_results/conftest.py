"""A benchmark with results and a study that was executed and graded, and people at the app."""

import pytest
from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.dashboards.study import sign_in
from tests.execution_results.rows import add_generation, make_benchmark, make_executed_study, rising
from tests.prepared import prepare


def make_results(database: Database) -> None:
    """The study executed, and its benchmark with a third model of ten samples."""
    with database.write() as session:
        make_executed_study(session)
        benchmark = make_benchmark(session)
        verdicts = rising(0.6, 10)
        verdicts[0][0] = "sandbox_error"
        add_generation(session, benchmark, "=many<b>", verdicts, seed=2)


@pytest.fixture
def results(database: Database) -> Database:
    """Benchmark bench, study executed."""
    prepare(database, "execution results", lambda: make_results(database))
    return database


@pytest.fixture
def researcher(client: TestClient, results: Database) -> TestClient:
    """A browser signed in as a researcher."""
    sign_in(client, results, "researcher")
    return client


@pytest.fixture
def admin(client: TestClient, results: Database) -> TestClient:
    """A browser signed in as an admin."""
    sign_in(client, results, "admin")
    return client
