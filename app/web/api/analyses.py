"""Analyses and measurements: stored ones, byte for byte, and new ones."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Response
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.agreement import AgreementParameters, all_documents, request_agreement
from app.services.analysis import AnalysisParameters, StoredAnalysis, find_analysis, latest_analysis, request_analysis
from app.services.listings import newest_analyses
from app.services.studies import find_study
from app.storage.models import Analysis, Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import After, Limit, Page, page_of
from app.web.api.permissions import COMPUTE, READ
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.parameters import RowId
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}", tags=["analyses"])

DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The document, byte for byte as stored.", "content": {"application/json": {}}}
}


class AnalysisShown(Outgoing):
    """One analysis without its result."""

    analysis: int
    created_at: datetime
    parameters: dict[str, Any]
    signature: dict[str, Any]


@router.get("/analyses", dependencies=[READ])
def list_analyses(session: ReadSession, slug: str, after: After, limit: Limit = 50) -> Page[AnalysisShown]:
    """The study's analyses, the newest first."""
    return page_of(newest_analyses(session, find_study(session, slug), after.row, limit), _shown, after)


@router.get("/analyses/{analysis_id}", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def one_analysis(session: ReadSession, slug: str, analysis_id: RowId) -> Response:
    """One analysis."""
    return _document(find_analysis(session, find_study(session, slug), analysis_id).text)


@router.get("/analyses/{analysis_id}/pairs", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def pairs_of_analysis(session: ReadSession, slug: str, analysis_id: RowId) -> Response:
    """Every pair of systems of an analysis, as columns."""
    return _document(find_analysis(session, find_study(session, slug), analysis_id).pairs_text)


@router.get("/analysis", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def newest_analysis(session: ReadSession, slug: str) -> Response:
    """The newest analysis; the header X-Stale says whether the study has moved on since."""
    stored = _newest(session, find_study(session, slug))
    return _document(stored.text, **{"X-Stale": "true" if stored.stale else "false"})


@router.post("/analyses", dependencies=[COMPUTE], status_code=202)
@once
def start_analysis(
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    parameters: Annotated[AnalysisParameters, body(AnalysisParameters)],
) -> RunShown:
    """Ask for an analysis with these parameters; whatever is not said is as in the study."""
    run = request_analysis(session, find_study(session, slug), parameters, user_id=principal.user_id)
    return shown_run(session, run)


@router.get("/agreement", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def newest_measurements(session: ReadSession, slug: str) -> Response:
    """Agreement, survey and "is it enough?" as last measured: a list of documents."""
    text = all_documents(session, find_study(session, slug))
    if text is None:
        raise NotFound(
            gettext("Nothing of this study has been measured yet."),
            remedy=gettext("POST /api/v1/studies/%(slug)s/agreement does it.", slug=slug),
        )
    return _document(text)


@router.post("/agreement", dependencies=[COMPUTE], status_code=202)
@once
def start_measuring(
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    parameters: Annotated[AgreementParameters, body(AgreementParameters)],
) -> RunShown:
    """Ask for the study's grades to be measured."""
    run = request_agreement(session, find_study(session, slug), parameters, user_id=principal.user_id)
    return shown_run(session, run)


def _newest(session: Session, study: Study) -> StoredAnalysis:
    stored = latest_analysis(session, study)
    if stored is None:
        raise NotFound(
            gettext("This study has no analysis yet."),
            remedy=gettext("POST /api/v1/studies/%(slug)s/analyses makes one.", slug=study.slug),
        )
    return stored


def _shown(analysis: Analysis) -> AnalysisShown:
    return AnalysisShown(
        analysis=analysis.id,
        created_at=analysis.created_at,
        parameters=analysis.parameters,
        signature=analysis.signature,
    )


def _document(text: str, **headers: str) -> Response:
    return Response(text.encode(), headers=headers, media_type="application/json")
