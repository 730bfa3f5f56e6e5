"""Execution is a metric beside BLEU: offered, computed with, shown on every dashboard, and stale when run again."""

import json

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.config import Settings
from app.services.analysis import AnalysisParameters, latest_analysis, request_analysis
from app.services.execution.scoring import store_execution_scores
from app.services.exports.chart_tables import study_tables
from app.services.runs import execute
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import Execution, Run
from tests.execution_results.rows import outputs_of

STUDY = "/studies/executed"


@pytest.fixture
def analysed(results: Database, settings: Settings) -> Database:
    with results.write() as session:
        chosen = AnalysisParameters(metrics=("bleu", "execution"), draws=200)
        run_id = request_analysis(session, find_study(session, "executed"), chosen).id
    assert execute(results, settings, run_id)
    with results.read() as session:
        run = session.get_one(Run, run_id)
        assert run.state == "done", run.message
    return results


def test_every_dashboard_shows_it_beside_bleu(researcher: TestClient, analysed: Database) -> None:
    for page in ("/systems", "/significance", "/agreement", "/points?metric=execution", "/compare"):
        answer = researcher.get(STUDY + page)
        assert answer.status_code == 200, page
        shown = answer.text.partition('id="choices"')[0]
        assert "Execution" in shown, page
        assert "BLEU" in shown or "points" in page, page


def test_its_score_is_the_share_that_passes(researcher: TestClient, analysed: Database) -> None:
    with analysed.read() as session:
        study = find_study(session, "executed")
        stored = latest_analysis(session, study)
        verdicts = dict(session.execute(select(Execution.output_id, Execution.verdict)).all())
        passed: dict[int, list[bool]] = {}
        for output in outputs_of(session, study):
            passed.setdefault(output.system_id, []).append(verdicts[output.id] == "passed")
    assert stored is not None
    scores = [system["scores"]["execution"]["score"] for system in stored.document["systems"][:2]]
    assert scores == [pytest.approx(100 * sum(each) / len(each)) for each in passed.values()]
    assert json.loads(stored.text)["signature"]["metrics"]["execution"].startswith("metric:execution|")


def test_the_form_of_an_analysis_offers_it(researcher: TestClient, results: Database) -> None:
    assert 'name="metrics" value="execution" checked' in researcher.get(f"{STUDY}/systems").text


def test_another_execution_makes_the_analysis_stale(analysed: Database) -> None:
    with analysed.write() as session:
        study = find_study(session, "executed")
        stored = latest_analysis(session, study)
        assert stored is not None
        assert not stored.stale
        run = Run(public_id="again", kind="execution", study_id=study.id, payload={}, state="done")
        session.add(run)
        session.flush()
        store_execution_scores(session, study, run.id)
        session.flush()
        again = latest_analysis(session, study)
        assert again is not None
        assert again.stale


def test_bundles_hold_its_tables(results: Database) -> None:
    with results.read() as session:
        names = {table.name for table in study_tables(session, find_study(session, "executed"))}
    assert {"execution-agreement", "execution-coefficients", "verdicts", "passes-but-low", "fails-but-high"} <= names
