"""Metrics by a language model, chosen for an analysis: scored, compared, and missed with a message."""

import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.services.analysis import AnalysisParameters, request_analysis
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Analysis, Run, Scoring
from tests.dashboards.study import SLUG, analyse, make_graded_study, sign_in
from tests.metrics.encoders import need_encoder

CHOSEN = ("bleu", "codebertscore_f3", "embedding_cosine")


@pytest.mark.sqlite_is_enough
@pytest.mark.xdist_group("language_models")
def test_chosen_metrics_of_an_encoder_stand_beside_the_others(database: Database, settings: Settings) -> None:
    need_encoder("embedding_cosine")
    make_graded_study(database)
    analyse(database, settings, metrics=CHOSEN)
    with database.read() as session:
        result = json.loads(session.scalars(select(Analysis.result)).one())
        signatures = dict(session.execute(select(Scoring.name, Scoring.signature)).all())
    assert set(result["metric_labels"]) == set(CHOSEN)
    assert "model:packaged:minilm@" in signatures["embedding_cosine"]


@pytest.mark.sqlite_is_enough
def test_a_worker_without_the_encoder_says_what_is_missing(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_graded_study(database)
    monkeypatch.setattr("app.language_models.packaged.find_packaged", lambda name: None)
    with database.write() as session:
        chosen = AnalysisParameters(metrics=CHOSEN, draws=100)
        run_id = request_analysis(session, find_study(session, SLUG), chosen).id
    execute(database, settings, run_id)
    with database.read() as session:
        run = session.get_one(Run, run_id)
    assert (run.state, run.trace) == ("failed", None)
    assert "setup-small-models" in run.message


def test_they_are_offered_and_not_chosen_by_themselves(client: TestClient, database: Database) -> None:
    make_graded_study(database)
    sign_in(client, database, "researcher")
    page = client.get(f"/studies/{SLUG}").text
    assert '<input type="checkbox" name="metrics" value="bleu" checked>' in page
    assert '<input type="checkbox" name="metrics" value="embedding_cosine">' in page
