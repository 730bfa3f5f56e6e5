"""Exports: asked for, listed, downloaded."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response

from app.services.exports import ExportRequest, request_export
from app.services.exports.bundles import Bundle, finished_bundles
from app.services.studies import find_study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import Page, shown_page
from app.web.api.permissions import READ_GRADES
from app.web.api.runs import RunShown, shown_run
from app.web.api.shapes import Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.limits import LIMITED_EXPORTS
from app.web.routes.exports import bundle_file

router = APIRouter(tags=["exports"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"application/octet-stream": {}}}
}


class ExportShown(Outgoing):
    """One finished file."""

    export: str
    file_name: str
    media_type: str
    size: int
    sha256: str
    created_at: datetime
    links: dict[str, str]


@router.get("/studies/{slug}/exports", dependencies=[READ_GRADES])
def list_exports(session: ReadSession, principal: CurrentPrincipal, slug: str) -> Page[ExportShown]:
    """The newest finished exports."""
    found = finished_bundles(session, find_study(session, slug), is_admin=principal.role == "admin")
    return shown_page([_shown(each) for each in found], None)


@router.post("/studies/{slug}/exports", dependencies=[READ_GRADES, LIMITED_EXPORTS], status_code=202)
@once
def start_export(
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    wanted: Annotated[ExportRequest, body(ExportRequest)],
) -> RunShown:
    """Ask for an export in one of the forms; the finished run's link ``file`` leads to it."""
    run = request_export(
        session,
        find_study(session, slug),
        wanted,
        actor=principal.actor,
        user_id=principal.user_id,
        is_admin=principal.role == "admin",
    )
    return shown_run(session, run)


@router.get("/exports/{public_id}", dependencies=[READ_GRADES], response_class=Response, responses=FILE)
def download(request: Request, session: ReadSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """The file of an export; one that tells more of people than their pseudonyms goes to admins only."""
    return bundle_file(request, session, principal, public_id)


def _shown(each: Bundle) -> ExportShown:
    return ExportShown(
        export=each.public_id,
        file_name=each.file_name,
        media_type=each.media_type,
        size=each.size,
        sha256=each.sha256,
        created_at=each.created_at,
        links={"file": f"/api/v1/exports/{each.public_id}"},
    )
