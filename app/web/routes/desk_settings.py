"""The desk's settings: the study's own, targets, the message to annotators, and a copy of the study."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import AppError
from app.services import study_settings
from app.services.code_languages import language_title
from app.services.desk import copying, runs
from app.services.questionnaires.instruments import instruments_of
from app.services.studies import find_study
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.desk_pages import desk_page
from app.web.forms import CodeLanguage, FormInvalid, FormModel, FormState, LongPosted, Posted, Prose, read_form
from app.web.htmx import redirect
from app.web.markdown import render_markdown
from app.web.studies import LockedStudy

router = APIRouter(prefix="/studies/{slug}/desk")


class SettingsForm(FormModel):
    """What may change at any time."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[Prose, Field(max_length=5_000)] = ""
    instructions: Annotated[Prose, Field(max_length=50_000)] = ""
    language: CodeLanguage | None = None
    grades_per_item: Annotated[int, Field(ge=1, le=100)]
    claim_minutes: Annotated[int, Field(ge=1, le=10_080)]
    merge_identical: bool | None = None
    include_references: bool | None = None


class MessageForm(FormModel):
    """What annotators are told on their pages; empty tells nothing."""

    message: Annotated[Prose, Field(max_length=5_000)] = ""
    action: str = "save"


class CopyForm(FormModel):
    """The copy's title, and whether the material comes along."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    material: bool = False


@router.get("/settings", dependencies=[ADMIN])
def settings(request: Request, slug: str, session: ReadSession, done: str = "") -> Response:
    """All of them."""
    return _page(request, session, find_study(session, slug), saved=done)


@router.post("", dependencies=[ADMIN])
def change_settings(
    request: Request, principal: CurrentPrincipal, posted: LongPosted, session: WriteSession, study: LockedStudy
) -> Response:
    """Keep new settings."""
    try:
        form = read_form(SettingsForm, posted)
    except FormInvalid as invalid:
        return _page(request, session, study, settings_form=invalid.state, status_code=422)
    study_settings.change(session, principal.actor, study, **form.model_dump(exclude_none=True))
    return redirect(request, f"/studies/{study.slug}/desk/settings?done=settings#settings")


@router.post("/targets", dependencies=[ADMIN])
def change_targets(
    request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession, study: LockedStudy
) -> Response:
    """Keep other targets for instruments; an empty one is the study's."""
    try:
        study_settings.change_targets(session, principal.actor, study, posted)
    except AppError as failure:
        form = FormState.of(failure, posted)
        return _page(request, session, study, targets_form=form, status_code=422)
    return redirect(request, f"/studies/{study.slug}/desk/settings?done=targets#targets")


@router.post("/message", dependencies=[ADMIN])
def change_message(
    request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession, study: LockedStudy
) -> Response:
    """Keep the message to annotators, or show how it will look."""
    try:
        form = read_form(MessageForm, posted)
    except FormInvalid as invalid:
        return _page(request, session, study, message_form=invalid.state, status_code=422)
    if form.action == "preview":
        return _page(request, session, study, message_form=FormState({"message": form.message}), preview=form.message)
    study_settings.change_message(session, principal.actor, study, form.message)
    return redirect(request, f"/studies/{study.slug}/desk/settings?done=message#message")


@router.post("/copy", dependencies=[ADMIN])
def copy(request: Request, slug: str, principal: CurrentPrincipal, posted: Posted, session: WriteSession) -> Response:
    """A new study like this one; large material is copied by a run."""
    source = find_study(session, slug)
    try:
        form = read_form(CopyForm, posted)
        made = copying.copy_study(session, principal.actor, source, form.title)
    except FormInvalid as invalid:
        return _page(request, session, source, copy_form=invalid.state, status_code=422)
    except AppError as failure:
        return _page(request, session, source, copy_form=FormState.of(failure, posted), status_code=422)
    if not form.material:
        return redirect(request, f"/studies/{made.slug}/desk")
    if copying.is_small(session, source):
        copying.copy_all_problems(session, source, made)
        return redirect(request, f"/studies/{made.slug}/desk")
    run = runs.request_copy(session, source, made, principal.user_id)
    return redirect(request, f"/runs/{run.public_id}")


def _settings_of(study: Study) -> dict[str, Any]:
    values = {name: getattr(study, name) for name in study_settings.EDITABLE}
    values["language"] = language_title(study.language)
    return values | {name: "yes" if getattr(study, name) else "no" for name in study_settings.UNTIL_ITEMS}


def _page(
    request: Request,
    session: Session,
    study: Study,
    *,
    settings_form: FormState | None = None,
    targets_form: FormState | None = None,
    message_form: FormState | None = None,
    copy_form: FormState | None = None,
    preview: str = "",
    saved: str = "",
    status_code: int = 200,
) -> Response:
    instruments = instruments_of(session, study.id)
    targets = {study_settings.target_field(each): each.grades_per_item for each in instruments}
    return desk_page(
        request,
        "desk/settings.html",
        study,
        "settings",
        status_code=status_code,
        settings_form=settings_form or FormState(_settings_of(study)),
        targets_form=targets_form or FormState(targets),
        message_form=message_form or FormState({"message": study.message}),
        copy_form=copy_form or FormState(),
        instruments=[(study_settings.target_field(each), each) for each in instruments],
        has_items=study_settings.has_items(session, study),
        is_small=copying.is_small(session, study),
        preview=render_markdown(preview) if preview.strip() else None,
        saved=saved,
    )
