"""What a study asks: instruments with their questions, the forms around the grading, and the versions of it all."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput
from app.services.questionnaires import editing
from app.services.questionnaires.editing_drafts import read_instrument
from app.services.questionnaires.forms import NOTHING, publish_form
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.ready_made import BLANK, READY_MADE, in_words
from app.services.questionnaires.version_texts import version_with_id, versions_of
from app.services.questionnaires.versions import latest_version, question_content
from app.services.studies import find_study
from app.storage.models import FormVersion, Instrument, Study
from app.web.access import CurrentPrincipal
from app.web.api.once import once
from app.web.api.paging import Page, shown_page
from app.web.api.permissions import CHANGE, READ
from app.web.api.shapes import Incoming, Outgoing, body
from app.web.database import ReadSession, WriteSession
from app.web.parameters import RowId
from app.web.studies import LockedStudy
from app.words import gettext

router = APIRouter(prefix="/studies/{slug}/questionnaire", tags=["questionnaire"])

FormKind = Annotated[Literal["consent", "profile", "closing"], Path()]
QuestionKind = Literal["choice", "labels", "number", "comment"]


class QuestionShown(Outgoing):
    """A question of an instrument."""

    id: int
    name: str
    text: str
    kind: QuestionKind
    help: str
    required: bool
    scale: dict[str, Any]


class InstrumentShown(Outgoing):
    """Questions that are asked together. ``state`` changes with whatever changes here."""

    id: int
    name: str
    title: str
    kind: Literal["output", "prompt", "pair"]
    instructions: str
    grades_per_item: int | None
    state: str
    questions: list[QuestionShown]


class VersionShown(Outgoing):
    """What people read, as it stood."""

    id: int
    kind: str
    number: int
    created_at: datetime
    content: dict[str, Any]


class QuestionnaireShown(Outgoing):
    """All that the study asks now. Of the forms: their content, null where the study has none."""

    instruments: list[InstrumentShown]
    forms: dict[str, dict[str, Any] | None]
    version: int | None = Field(description="The questionnaire's number, once the study has opened.")


class NewInstrument(Incoming):
    """A ready-made instrument, or a blank one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"instrument": "naturalness"}]})

    instrument: str = Field(max_length=80)


class Question(Incoming):
    """A question; with its ``id`` the stored one changes, without one it is new."""

    id: int | None = None
    name: str = Field("", max_length=80, description="Empty: made from the text.")
    text: str
    kind: QuestionKind = "choice"
    help: str = ""
    required: bool = False
    scale: dict[str, Any]


class InstrumentContent(Incoming):
    """An instrument as it shall be. With ``state`` it is refused when somebody else changed it meanwhile."""

    title: str
    kind: Literal["output", "prompt", "pair"] = "output"
    instructions: str = ""
    grades_per_item: int | None = None
    questions: list[Question]
    state: str | None = None


class Move(Incoming):
    """Which way."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"way": "down"}]})

    way: Literal["up", "down"]


class FormContent(Incoming):
    """The form as it shall be asked from now on; null drops it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": {"text": "You agree to take part."}}]})

    content: dict[str, Any] | None


@router.get("", dependencies=[READ])
def show_questionnaire(session: ReadSession, slug: str) -> QuestionnaireShown:
    """All of it."""
    return _questionnaire(session, find_study(session, slug))


@router.post("/instruments", dependencies=[CHANGE], status_code=201)
@once
def add_instrument(
    principal: CurrentPrincipal,
    wanted: Annotated[NewInstrument, body(NewInstrument)],
    session: WriteSession,
    study: LockedStudy,
) -> InstrumentShown:
    """One more instrument, at the end."""
    offered = READY_MADE | BLANK
    draft = offered.get(wanted.instrument)
    if draft is None:
        raise InvalidInput(
            gettext("There is no such instrument to add: %(names)s.", names=wanted.instrument),
            remedy=gettext("Known: %(names)s.", names=", ".join(offered)),
        )
    return _instrument(session, editing.add(session, principal.actor, study, in_words(draft)))


@router.put("/instruments/{instrument_id}", dependencies=[CHANGE])
@once
def save_instrument(
    instrument_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[InstrumentContent, body(InstrumentContent)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> InstrumentShown:
    """Keep the instrument as it is sent; what was graded keeps its meaning. While the study runs, a new version."""
    instrument = editing.instrument_with_id(session, study, instrument_id)
    if wanted.state not in (None, editing.state_of(session, instrument)):
        raise Conflict(
            gettext("Somebody changed this instrument while you were editing it."),
            remedy=gettext("Get it again, and change that."),
        )
    draft = wanted.model_dump(exclude={"state"}, exclude_none=True)
    editing.save(session, principal.actor, study, instrument, read_instrument(draft))
    return _instrument(session, instrument)


@router.post("/instruments/{instrument_id}/move", dependencies=[CHANGE])
@once
def move_instrument(
    instrument_id: RowId,
    principal: CurrentPrincipal,
    wanted: Annotated[Move, body(Move)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> QuestionnaireShown:
    """Put an instrument before or after its neighbour."""
    instrument = editing.instrument_with_id(session, study, instrument_id)
    editing.move(session, principal.actor, study, instrument, wanted.way)
    return _questionnaire(session, study)


@router.delete("/instruments/{instrument_id}", dependencies=[CHANGE])
@once
def remove_instrument(
    instrument_id: RowId, principal: CurrentPrincipal, session: WriteSession, study: LockedStudy
) -> QuestionnaireShown:
    """Take an instrument away with its items, while nobody has been handed any of them."""
    editing.remove(session, principal.actor, study, editing.instrument_with_id(session, study, instrument_id))
    return _questionnaire(session, study)


@router.put("/forms/{kind}", dependencies=[CHANGE])
@once
def publish(
    kind: FormKind,
    principal: CurrentPrincipal,
    wanted: Annotated[FormContent, body(FormContent)],
    session: WriteSession,
    *,
    study: LockedStudy,
) -> QuestionnaireShown:
    """Ask this form from now on, or no more."""
    publish_form(session, principal.actor, study, kind, wanted.content or NOTHING)
    return _questionnaire(session, study)


@router.get("/versions", dependencies=[READ])
def list_versions(session: ReadSession, slug: str) -> Page[VersionShown]:
    """Every version of the questionnaire and of the forms, the newest first."""
    found = versions_of(session, find_study(session, slug))
    return shown_page([_version(each) for each in found], None)


@router.get("/versions/{version_id}", dependencies=[READ])
def show_version(session: ReadSession, slug: str, version_id: RowId) -> VersionShown:
    """One version as people read it."""
    return _version(version_with_id(session, find_study(session, slug), version_id))


def _questionnaire(session: Session, study: Study) -> QuestionnaireShown:
    forms = {kind: latest_version(session, study, kind) for kind in ("consent", "profile", "closing")}
    stands = latest_version(session, study, "questionnaire")
    return QuestionnaireShown(
        instruments=[_instrument(session, each) for each in instruments_of(session, study.id)],
        forms={kind: version.content or None if version else None for kind, version in forms.items()},
        version=stands.number if stands else None,
    )


def _instrument(session: Session, instrument: Instrument) -> InstrumentShown:
    questions = questions_of(session, instrument.study_id, instrument.id)
    return InstrumentShown(
        id=instrument.id,
        name=instrument.name,
        title=instrument.title,
        kind=instrument.kind,
        instructions=instrument.instructions,
        grades_per_item=instrument.grades_per_item,
        state=editing.state_of(session, instrument),
        questions=[QuestionShown(id=each.id, **question_content(each)) for each in questions],
    )


def _version(version: FormVersion) -> VersionShown:
    return VersionShown(
        id=version.id,
        kind=version.kind,
        number=version.number,
        created_at=version.created_at,
        content=version.content,
    )
