"""The admin's pages of a study's way: its settings, and a preview of it all."""

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.services.studies import find_study
from app.services.study_options import options_of
from app.services.way.course import course_of
from app.services.way.options import change_options, idle_quotas, strata_of
from app.storage.models import Study
from app.web import preview_pages
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormState, LongPosted, read_form
from app.web.htmx import redirect
from app.web.studies import LockedStudy
from app.web.templating import render
from app.web.way_forms import OptionsForm, options_values
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/way")


@router.get("", dependencies=[ADMIN])
def settings(request: Request, slug: str, session: ReadSession, done: str = "") -> Response:
    """The settings of the way."""
    return _settings(request, session, find_study(session, slug), saved=done == "settings")


@router.post("", dependencies=[ADMIN])
def change_settings(
    request: Request, principal: CurrentPrincipal, posted: LongPosted, session: WriteSession, study: LockedStudy
) -> Response:
    """Keep new settings."""
    try:
        form = read_form(OptionsForm, posted)
    except FormInvalid as invalid:
        return _settings(request, session, study, form=invalid.state, status_code=422)
    change_options(session, principal.actor, study, form.options())
    return redirect(request, f"/studies/{study.slug}/way?done=settings")


@router.get("/preview/{stage}", dependencies=[ADMIN])
def preview(request: Request, slug: str, stage: preview_pages.ShownStage, session: ReadSession) -> Response:
    """A page of the way as annotators see it."""
    return preview_pages.page(request, session, find_study(session, slug), stage, f"/studies/{slug}/way/preview")


@router.get("/preview/{stage}/image", dependencies=[ADMIN])
def preview_picture(request: Request, slug: str, stage: preview_pages.ShownStage, session: ReadSession) -> Response:
    """The picture on a page of the way."""
    return preview_pages.picture(request, session, find_study(session, slug), stage)


@router.post("/preview/{stage}", dependencies=[ADMIN])
def answer_preview(
    request: Request, slug: str, stage: preview_pages.ShownStage, session: ReadSession, posted: LongPosted
) -> Response:
    """Answers are checked, and nothing is stored."""
    study = find_study(session, slug)
    return preview_pages.answer(request, session, study, stage, f"/studies/{slug}/way/preview", posted=posted)


def _settings(
    request: Request,
    session: Session,
    study: Study,
    *,
    form: FormState | None = None,
    saved: bool = False,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "way/desk/settings.html",
        status_code=status_code,
        study=study,
        tab="way",
        page="settings",
        form=form or FormState(options_values(options_of(study))),
        course=course_of(session, study),
        failing=[("stop", gettext("the work ends")), ("go on", gettext("grading begins all the same"))],
        saved=saved,
        strata=strata_of(session, study),
        idle_quotas=idle_quotas(session, study),
    )
