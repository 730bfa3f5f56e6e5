"""Exports: the page, the files, and the analysis as stored."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services import dashboards
from app.services.accounts import Principal
from app.services.exports import ExportRequest, expiry, request_export
from app.services.exports import Form as ExportForm
from app.services.exports.bundles import find_bundle, finished_bundles, pending_export
from app.services.exports.counts import count_study
from app.services.exports.wide import wide_questions
from app.services.runs import views
from app.services.studies import find_study
from app.storage.files import files_of
from app.storage.models import Study
from app.web.access import RESEARCHER, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.downloads import attachment, stored_file
from app.web.htmx import redirect
from app.web.limits import LIMITED_EXPORTS
from app.web.parameters import QueriedRow
from app.web.templating import render
from app.words import gettext

router = APIRouter()
Ticked = Literal["yes"] | None


class Choices(BaseModel):
    """What the page's form sends; a box that isn't ticked isn't sent."""

    form: ExportForm = ExportForm.BUNDLE
    skips: Ticked = None
    material: Ticked = None
    question: str | None = None
    platform_ids: Ticked = None
    answers_about_people: Ticked = None

    def as_request(self) -> ExportRequest:
        """As exports are asked for."""
        return ExportRequest(
            form=self.form,
            skips=self.skips is not None,
            material=self.material is not None,
            question=self.question or None,
            platform_ids=self.platform_ids is not None,
            answers_about_people=self.answers_about_people is not None,
        )


@router.get("/studies/{slug}/export", dependencies=[RESEARCHER])
def export_page(request: Request, session: ReadSession, principal: CurrentPrincipal, slug: str) -> Response:
    """What there is to export in which form, how many rows that would be, and the finished files."""
    study = find_study(session, slug)
    return render(
        request,
        "dashboards/export.html",
        tab="export",
        counts=count_study(session, study),
        questions=wide_questions(session, study),
        analysis=dashboards.choose_analysis(session, study, None),
        **_files(session, study, principal),
    )


@router.get("/studies/{slug}/export-status", dependencies=[RESEARCHER])
def export_status(request: Request, session: ReadSession, principal: CurrentPrincipal, slug: str) -> Response:
    """How far the newest export is, with the list of finished ones."""
    return render(request, "dashboards/_bundles.html", **_files(session, find_study(session, slug), principal))


@router.post("/studies/{slug}/export", dependencies=[RESEARCHER, LIMITED_EXPORTS])
def start_export(
    request: Request,
    session: WriteSession,
    principal: CurrentPrincipal,
    slug: str,
    choices: Annotated[Choices, Form()],
) -> Response:
    """Ask for an export."""
    study, wanted = find_study(session, slug), choices.as_request()
    pending = pending_export(session, study)
    is_asked_for = pending is not None and pending.state in ("queued", "running")
    if not (is_asked_for and pending and pending.payload == wanted.model_dump(mode="json")):  # a second press
        actor, is_admin = principal.actor, principal.role == "admin"
        request_export(session, study, wanted, actor=actor, user_id=principal.user_id, is_admin=is_admin)
    return redirect(request, f"/studies/{slug}/export")


@router.get("/artifacts/{public_id}", dependencies=[RESEARCHER])
def bundle_file(request: Request, session: ReadSession, principal: CurrentPrincipal, public_id: str) -> Response:
    """An exported file; one that tells more of people than their pseudonyms goes to admins only."""
    bundle = find_bundle(session, public_id, is_admin=principal.role == "admin")
    files = files_of(request.app.state.settings)
    if not files.has(bundle.sha256):
        raise NotFound(
            gettext("The file of this export is gone from the data folder."), remedy=gettext("Make a new one.")
        )
    return stored_file(files.path(bundle.sha256), bundle.file_name, bundle.media_type)


@router.get("/studies/{slug}/analysis.json", dependencies=[RESEARCHER])
def analysis_file(session: ReadSession, slug: str, analysis: QueriedRow = None) -> Response:
    """An analysis, byte for byte as stored."""
    study = find_study(session, slug)
    stored = dashboards.choose_analysis(session, study, analysis)
    if stored is None:
        raise NotFound(gettext("This study has no analysis yet."))
    return attachment(stored.text.encode(), f"{study.slug}-analysis-{stored.id}.json", "application/json")


def _files(session: Session, study: Study, principal: Principal) -> dict[str, Any]:
    run = pending_export(session, study)
    return {
        "study": study,
        "bundles": finished_bundles(session, study, is_admin=principal.role == "admin"),
        "run": run,
        "view": views.glimpse(session, run),
        "days_kept": expiry.KEPT_FOR.days,
        "private_days_kept": expiry.PRIVATE_KEPT_FOR.days,
    }
