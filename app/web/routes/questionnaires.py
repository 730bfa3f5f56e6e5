"""A study's questionnaire: its instruments, and the page on which one of them is edited beside its preview."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.services import study_settings
from app.services.questionnaires import editing
from app.services.questionnaires.editing_drafts import (
    blank_question,
    instrument_draft,
    question_draft,
    read_instrument,
    shaped,
)
from app.services.questionnaires.editing_rules import graded_among
from app.services.questionnaires.forms import FORM_KINDS, current_form
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.ready_made import (
    BLANK,
    READY_MADE,
    READY_MADE_QUESTIONS,
    in_words,
    question_in_words,
)
from app.services.questionnaires.scales import KINDS, scale_words
from app.services.questionnaires.versions import latest_version
from app.services.studies import find_study
from app.storage.models import Instrument, Study
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormModel, Posted, read_form
from app.web.htmx import redirect
from app.web.nested_forms import Draft, NestedPosted, rearrange, steering
from app.web.parameters import RowId
from app.web.questionnaire_pages import Editor, previewed, shown_first
from app.web.studies import LockedStudy
from app.web.templating import render
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/questionnaire")

# Ready-made questions in the list of what can be added, beside the kinds.
ADDED_QUESTIONS = {f"ready-{name}": each for name, each in READY_MADE_QUESTIONS.items()}


class AddForm(FormModel):
    """Which ready-made instrument to add, or a blank one of which kind."""

    instrument: Annotated[str, Field(max_length=80)]


class MoveForm(FormModel):
    """Which way an instrument moves."""

    way: Literal["up", "down"]


@router.get("", dependencies=[ADMIN])
def overview(request: Request, slug: str, session: ReadSession, done: str = "") -> Response:
    """All that the study asks: instruments, forms, and which version of them stands."""
    study = find_study(session, slug)
    instruments = instruments_of(session, study.id)
    return render(
        request,
        "questionnaires/overview.html",
        study=study,
        tab="questionnaire",
        instruments=[(each, questions_of(session, study.id, each.id)) for each in instruments],
        items=editing.item_counts(session, study),
        stays={each.id: editing.why_it_stays(session, study, each) for each in instruments},
        forms=[(kind, current_form(session, study, kind)) for kind in FORM_KINDS],
        stands=latest_version(session, study, "questionnaire"),
        ready_made=READY_MADE.values(),
        blank=BLANK.values(),
        scale_words=scale_words,
        done=done,
    )


@router.post("/instruments", dependencies=[ADMIN])
def add_instrument(
    request: Request, principal: CurrentPrincipal, posted: Posted, session: WriteSession, study: LockedStudy
) -> Response:
    """One more instrument, and on to its page."""
    try:
        chosen = read_form(AddForm, posted).instrument
    except FormInvalid:
        chosen = ""
    draft = (READY_MADE | BLANK).get(chosen)
    if draft is None:
        raise InvalidInput(gettext("There is no such instrument to add. Choose one of the list."))
    instrument = editing.add(session, principal.actor, study, in_words(draft))
    return redirect(request, f"{_address(study, instrument)}?done=added")


@router.get("/instruments/{instrument_id}", dependencies=[ADMIN])
def instrument_page(
    request: Request, slug: str, instrument_id: RowId, session: ReadSession, done: str = ""
) -> Response:
    """Edit an instrument."""
    study = find_study(session, slug)
    instrument = editing.instrument_with_id(session, study, instrument_id)
    draft = instrument_draft(instrument, questions_of(session, study.id, instrument.id))
    return _page(request, session, study, instrument, Editor(draft, done=done))


@router.post("/instruments/{instrument_id}", dependencies=[ADMIN])
def edit_instrument(
    request: Request,
    slug: str,
    instrument_id: RowId,
    principal: CurrentPrincipal,
    *,
    draft: NestedPosted,
    session: WriteSession,
) -> Response:
    """Save what was typed; or show it again, rearranged or as annotators would see it."""
    draft = shaped(draft)
    deed, state = steering(draft, "do"), steering(draft, "state")
    if deed != "save":
        study = find_study(session, slug)
        instrument = editing.instrument_with_id(session, study, instrument_id)
        return _page(request, session, study, instrument, Editor(draft, state=state, focus=_rearranged(draft, deed)))
    study = study_settings.lock(session, slug)
    instrument = editing.instrument_with_id(session, study, instrument_id)
    editor = Editor(draft)
    try:
        if state != editing.state_of(session, instrument):
            raise InvalidInput(
                gettext("Somebody changed this instrument while you were editing it."),
                remedy=gettext("Look at it in another window. Saving again puts yours in its place."),
            )
        with session.begin_nested():
            editing.save(session, principal.actor, study, instrument, read_instrument(draft))
    except InvalidInput as failure:
        editor.refuse(failure)
        return _page(request, session, study, instrument, editor, status_code=422)
    return redirect(request, f"{_address(study, instrument)}?done=saved")


@router.post("/instruments/{instrument_id}/move", dependencies=[ADMIN])
def move_instrument(
    request: Request,
    instrument_id: RowId,
    principal: CurrentPrincipal,
    *,
    posted: Posted,
    session: WriteSession,
    study: LockedStudy,
) -> Response:
    """Put an instrument before or after its neighbour."""
    try:
        way = read_form(MoveForm, posted).way
    except FormInvalid:
        raise InvalidInput(gettext("An instrument moves up or down.")) from None
    editing.move(session, principal.actor, study, editing.instrument_with_id(session, study, instrument_id), way)
    return redirect(request, f"/studies/{study.slug}/questionnaire")


@router.post("/instruments/{instrument_id}/remove", dependencies=[ADMIN])
def remove_instrument(
    request: Request, instrument_id: RowId, principal: CurrentPrincipal, session: WriteSession, study: LockedStudy
) -> Response:
    """Take an instrument away."""
    editing.remove(session, principal.actor, study, editing.instrument_with_id(session, study, instrument_id))
    return redirect(request, f"/studies/{study.slug}/questionnaire?done=removed")


def _rearranged(draft: Draft, deed: str) -> str:
    """Do what a button of the form asks for; the place to go on at."""
    if deed == "add-question":
        return rearrange(draft, "questions.add", _new_question(str(draft.get("new_question"))))
    return rearrange(draft, deed) if "." in deed else ""


def _new_question(wanted: str) -> Draft:
    ready = ADDED_QUESTIONS.get(wanted)
    return (
        question_draft(question_in_words(ready)) if ready else blank_question(wanted if wanted in KINDS else "choice")
    )


def _address(study: Study, instrument: Instrument) -> str:
    return f"/studies/{study.slug}/questionnaire/instruments/{instrument.id}"


def _page(
    request: Request,
    session: Session,
    study: Study,
    instrument: Instrument,
    editor: Editor,
    *,
    status_code: int = 200,
) -> Response:
    rows = questions_of(session, study.id, instrument.id)
    editor.state = editor.state or editing.state_of(session, instrument)
    context: dict[str, Any] = {
        "study": study,
        "tab": "questionnaire",
        "instrument": instrument,
        "address": _address(study, instrument),
        "editor": editor,
        "graded": {str(each) for each in graded_among(session, (row.id for row in rows))},
        "has_items": instrument.id in editing.item_counts(session, study),
        "ready_made_questions": [(name, question_in_words(each).text) for name, each in ADDED_QUESTIONS.items()],
        "preview": previewed(editor.draft) | {"shown": shown_first(session, instrument)},
    }
    return render(request, "questionnaires/instrument.html", status_code=status_code, **context)
