"""Executions: what models solve of a benchmark, tests beside people in a study, and running a study's tests."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from app.config import Settings
from app.services.analysis.computation import canonical_json
from app.services.benchmarks import find_benchmark
from app.services.dashboards.reliability import what_is_asked
from app.services.execution_results.joined import METHODS, study_execution
from app.services.execution_results.pass_at_k import benchmark_results, compared_pair
from app.services.studies import find_study
from app.statistics.consensus import ConsensusMethod
from app.web import benchmark_deeds
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.permissions import CHANGE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.database import ReadSession, WriteSession

router = APIRouter(tags=["executions"])

DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The document with the signature of what made it.", "content": {"application/json": {}}}
}
Name = Annotated[str | None, Query(max_length=300)]


@router.get("/benchmarks/{benchmark}/results", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def results_of_benchmark(session: ReadSession, benchmark: str) -> Response:
    """pass@k of each model with its interval, what is incomplete, and each problem's counts."""
    return _document(benchmark_results(session, find_benchmark(session, benchmark)))


@router.get(
    "/benchmarks/{benchmark}/results/comparison", dependencies=[READ], response_class=Response, responses=DOCUMENT
)
def comparison_of_models(
    session: ReadSession,
    benchmark: str,
    a: Annotated[str, Query(max_length=300)],
    b: Annotated[str, Query(max_length=300)],
) -> Response:
    """pass@1 of two models, named as in the results, by the paired bootstrap over problems."""
    return _document(compared_pair(session, find_benchmark(session, benchmark), (a, b)))


@router.get("/studies/{slug}/execution", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def execution_beside_grades(
    session: ReadSession, slug: str, question: Name = None, consensus: ConsensusMethod = METHODS[0]
) -> Response:
    """Verdicts, and how they agree with what people gave; outputs on which they differ."""
    study = find_study(session, slug)
    chosen = what_is_asked(session, study).choose(question, about_outputs=True)
    return _document(study_execution(session, study, chosen, consensus))


@router.post("/studies/{slug}/execution", dependencies=[CHANGE], status_code=202)
@once
def run_tests_of_study(request: Request, session: WriteSession, principal: CurrentPrincipal, slug: str) -> RunShown:
    """Ask for the study's outputs to be run against the tests of their problems."""
    settings: Settings = request.app.state.settings
    study = find_study(session, slug)
    return shown_run(session, benchmark_deeds.run_tests_of(session, settings, principal, study))


def _document(document: dict[str, Any]) -> Response:
    return Response(canonical_json(document).encode(), media_type="application/json")
