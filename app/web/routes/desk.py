"""A study's desk: where its admin opens it, invites annotators, watches progress and changes settings."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.services import annotators, flags, invitation_links, study_settings
from app.services.studies import TRANSITIONS, find_study
from app.services.study_progress import annotator_rows, progress_of
from app.storage.models import Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, FormState, LongPosted, Posted, Prose, read_form
from app.web.htmx import redirect
from app.web.parameters import RowId
from app.web.templating import render

router = APIRouter()

FLAGS_SHOWN = 100  # on the page; the bundle has all


class SettingsForm(FormModel):
    """What may change at any time."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[Prose, Field(max_length=5_000)] = ""
    instructions: Annotated[Prose, Field(max_length=50_000)] = ""
    grades_per_item: Annotated[int, Field(ge=1, le=100)]
    claim_minutes: Annotated[int, Field(ge=1, le=10_080)]
    merge_identical: bool | None = None
    include_references: bool | None = None


class StateForm(FormModel):
    """The state to come to."""

    state: Literal["open", "paused", "closed"]


class NameForm(FormModel):
    """A name, or whatever the admin wants to remember of an annotator; empty removes it."""

    name: Annotated[str, Field(max_length=200)] = ""


@router.get("/studies/{slug}/desk", dependencies=[ADMIN])
def desk(request: Request, slug: str, session: ReadSession, done: str = "") -> Response:
    """The desk."""
    return _page(request, session, find_study(session, slug), saved=done == "settings")


@router.post("/studies/{slug}/desk", dependencies=[ADMIN])
def change_settings(
    request: Request, slug: str, principal: CurrentPrincipal, posted: LongPosted, session: WriteSession
) -> Response:
    """Keep new settings."""
    study = study_settings.lock(session, slug)
    try:
        form = read_form(SettingsForm, posted)
    except FormInvalid as invalid:
        return _page(request, session, study, settings_form=invalid.state, status_code=422)
    study_settings.change(session, principal.actor, study, **form.model_dump(exclude_none=True))
    return redirect(request, f"/studies/{slug}/desk?done=settings#settings")


@router.post("/studies/{slug}/desk/state", dependencies=[ADMIN])
def change_state(
    request: Request, slug: str, principal: CurrentPrincipal, posted: Posted, session: WriteSession
) -> Response:
    """Open, pause or close the study."""
    study = study_settings.lock(session, slug)
    try:
        form = read_form(StateForm, posted)
    except FormInvalid:
        raise InvalidInput("A study can be opened, paused or closed.") from None
    study_settings.change_state(session, principal.actor, study, form.state)
    return redirect(request, f"/studies/{slug}/desk")


@router.post("/studies/{slug}/desk/annotators/{annotator_id}/link", dependencies=[ADMIN])
def personal_link(
    request: Request, slug: str, annotator_id: RowId, principal: CurrentPrincipal, session: WriteSession
) -> Response:
    """Make a new personal link for an annotator who lost theirs."""
    study = find_study(session, slug)
    token = invitation_links.renew_personal_link(session, principal.actor, study, annotator_id)
    return _page(request, session, study, personal_link=_address(request, "me", token), link_for=annotator_id)


@router.post("/studies/{slug}/desk/annotators/{annotator_id}/name", dependencies=[ADMIN])
def name_annotator(
    request: Request,
    slug: str,
    annotator_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
) -> Response:
    """Keep a name or a note for an annotator."""
    try:
        form = read_form(NameForm, posted)
    except FormInvalid:
        raise InvalidInput("A name has 200 characters at most.") from None
    annotators.rename(session, principal.actor, find_study(session, slug), annotator_id, form.name)
    return redirect(request, f"/studies/{slug}/desk#annotators")


def _address(request: Request, kind: str, token: str) -> str:
    return f"{request.app.state.settings.public_url}/{kind}/{token}"


def _settings_of(study: Study) -> dict[str, Any]:
    values = {name: getattr(study, name) for name in study_settings.EDITABLE}
    return values | {name: "yes" if getattr(study, name) else "no" for name in study_settings.UNTIL_ITEMS}


def _page(
    request: Request,
    session: Session,
    study: Study,
    *,
    settings_form: FormState | None = None,
    personal_link: str | None = None,
    link_for: int | None = None,
    saved: bool = False,
    status_code: int = 200,
) -> Response:
    return render(
        request,
        "desk/desk.html",
        status_code=status_code,
        study=study,
        tab="desk",
        progress=progress_of(session, [study])[study.id],
        next_states=[state for state, befores in TRANSITIONS.items() if study.state in befores],
        annotators=annotator_rows(session, study),
        settings_form=settings_form or FormState(_settings_of(study)),
        has_items=study_settings.has_items(session, study),
        flag_count=flags.count_flags(session, study),
        flags=flags.flags_of(session, study, limit=FLAGS_SHOWN),
        personal_link=personal_link,
        link_for=link_for,
        saved=saved,
    )
