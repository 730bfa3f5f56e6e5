"""Exports: the page, the bundle's file, and the analysis as stored."""

from fastapi import APIRouter, Request, Response

from app.errors import NotFound
from app.services import dashboards
from app.services.exports import request_export
from app.services.exports.bundles import find_bundle, finished_bundles, pending_export
from app.services.runs.workers import capacity
from app.services.studies import find_study
from app.storage.files import FileStore
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment, stored_file
from app.web.htmx import redirect
from app.web.parameters import QueriedRow
from app.web.templating import render

router = APIRouter()


@router.get("/studies/{slug}/export", dependencies=[RESEARCHER])
def export_page(request: Request, session: ReadSession, slug: str) -> Response:
    """What a bundle holds, the finished ones, and the button for a new one."""
    study = find_study(session, slug)
    return render(
        request,
        "dashboards/export.html",
        study=study,
        tab="export",
        bundles=finished_bundles(session, study),
        run=pending_export(session, study),
        has_worker=capacity(session, "cpu") > 0,
        analysis=dashboards.choose_analysis(session, study, None),
    )


@router.get("/studies/{slug}/export-status", dependencies=[RESEARCHER])
def export_status(request: Request, session: ReadSession, slug: str) -> Response:
    """How far the newest export is, with the list of finished ones."""
    study = find_study(session, slug)
    return render(
        request,
        "dashboards/_bundles.html",
        study=study,
        bundles=finished_bundles(session, study),
        run=pending_export(session, study),
        has_worker=capacity(session, "cpu") > 0,
    )


@router.post("/studies/{slug}/export", dependencies=[RESEARCHER])
def start_export(request: Request, session: WriteSession, principal: CurrentPrincipal, slug: str) -> Response:
    """Ask for a bundle."""
    study = find_study(session, slug)
    pending = pending_export(session, study)
    if pending is None or pending.state not in ("queued", "running"):  # a second press asks for nothing new
        request_export(session, study, user_id=principal.user_id)
    return redirect(request, f"/studies/{slug}/export")


@router.get("/artifacts/{public_id}", dependencies=[RESEARCHER])
def bundle_file(request: Request, session: ReadSession, public_id: str) -> Response:
    """The bundle's zip."""
    bundle = find_bundle(session, public_id)
    path = FileStore(request.app.state.settings.artifacts_dir).path(bundle.sha256)
    if not path.exists():
        raise NotFound("The file of this bundle is gone from the data folder.", remedy="Make a new bundle.")
    return stored_file(path, bundle.file_name, "application/zip")


@router.get("/studies/{slug}/analysis.json", dependencies=[RESEARCHER])
def analysis_file(session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """An analysis, byte for byte as stored."""
    study = find_study(session, slug)
    stored = dashboards.choose_analysis(session, study, analysis)
    if stored is None:
        raise NotFound("This study has no analysis yet.")
    return attachment(stored.text.encode(), f"{study.slug}-analysis-{stored.id}.json", "application/json")
