"""The API for programs: the newest analysis and measurements, new ones, an export, and how far a run is."""

from typing import Any

from fastapi import APIRouter, Response

from app.errors import NotFound
from app.services.agreement import AgreementParameters, all_documents, request_agreement
from app.services.analysis import AnalysisParameters, latest_analysis, request_analysis
from app.services.exports import ExportRequest, request_export
from app.services.runs.queueing import find as find_run
from app.services.studies import find_study
from app.storage.models import Run
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.words import gettext

router = APIRouter(prefix="/api/v1")


@router.get("/studies/{slug}/analysis", dependencies=[RESEARCHER])
def newest_analysis(session: ReadSession, slug: str) -> Response:
    """The newest analysis, byte for byte as stored."""
    study = find_study(session, slug)
    stored = latest_analysis(session, study)
    if stored is None:
        raise NotFound(
            gettext("This study has no analysis yet."),
            remedy=gettext("POST /api/v1/studies/%(slug)s/analyses makes one.", slug=slug),
        )
    return Response(stored.text.encode(), media_type="application/json")


@router.post("/studies/{slug}/analyses", dependencies=[RESEARCHER], status_code=202)
def start_analysis(
    session: WriteSession, principal: CurrentPrincipal, slug: str, parameters: AnalysisParameters
) -> dict[str, Any]:
    """Ask for an analysis with these parameters."""
    run = request_analysis(session, find_study(session, slug), parameters, user_id=principal.user_id)
    return _with_links(run)


@router.get("/studies/{slug}/agreement", dependencies=[RESEARCHER])
def newest_measurements(session: ReadSession, slug: str) -> Response:
    """Agreement, survey and precision as last measured: a list of documents, byte for byte as stored."""
    text = all_documents(session, find_study(session, slug))
    if text is None:
        raise NotFound(
            gettext("Nothing of this study has been measured yet."),
            remedy=gettext("POST /api/v1/studies/%(slug)s/agreement does it.", slug=slug),
        )
    return Response(text.encode(), media_type="application/json")


@router.post("/studies/{slug}/agreement", dependencies=[RESEARCHER], status_code=202)
def start_measuring(
    session: WriteSession, principal: CurrentPrincipal, slug: str, parameters: AgreementParameters
) -> dict[str, Any]:
    """Ask for the study's grades to be measured."""
    return _with_links(request_agreement(session, find_study(session, slug), parameters, user_id=principal.user_id))


@router.post("/studies/{slug}/exports", dependencies=[RESEARCHER], status_code=202)
def start_export(
    session: WriteSession, principal: CurrentPrincipal, slug: str, wanted: ExportRequest
) -> dict[str, Any]:
    """Ask for an export in one of the forms; the finished run's links lead to the file."""
    run = request_export(
        session,
        find_study(session, slug),
        wanted,
        actor=principal.actor,
        user_id=principal.user_id,
        is_admin=principal.role == "admin",
    )
    return _with_links(run)


@router.get("/runs/{public_id}", dependencies=[RESEARCHER])
def run_state(session: ReadSession, public_id: str) -> dict[str, Any]:
    """Where a run stands."""
    return _run_json(find_run(session, public_id))


def _with_links(run: Run) -> dict[str, Any]:
    return _run_json(run) | {"links": {"run": f"/api/v1/runs/{run.public_id}", "page": f"/runs/{run.public_id}"}}


def _run_json(run: Run) -> dict[str, Any]:
    return {
        "run": run.public_id,
        "kind": run.kind,
        "state": run.state,
        "done": run.done,
        "total": run.total,
        "unit": run.unit,
        "message": run.message,
        "result": run.result,
    }
