"""A perturbed set with results of two models, and people at the app."""

import pytest
from fastapi.testclient import TestClient

from app.storage.engine import Database
from tests.dashboards.study import sign_in
from tests.prepared import prepare
from tests.robustness_results.rows import add_model, drawn, judge_solutions, make_set

BROKEN = "b/4 · docstring/ButterFingers · 1"  # whose canonical solution does not pass


def make_results(database: Database) -> None:
    """Set robust: two models, and the ceilings."""
    with database.write() as session:
        made = make_set(session)
        judge_solutions(session, made, [BROKEN])
        add_model(session, made, "good <i>one</i>", drawn(0.9, 0.2, 1))
        add_model(session, made, "=poor", drawn(0.5, 0.2, 2), seed=1)


@pytest.fixture
def results(database: Database) -> Database:
    """Set robust."""
    prepare(database, "robustness results", lambda: make_results(database))
    return database


@pytest.fixture
def researcher(client: TestClient, results: Database) -> TestClient:
    """A browser signed in as a researcher."""
    sign_in(client, results, "researcher")
    return client
