"""A study's instruments and their questions."""

from collections.abc import Iterable

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, object_session

from app.errors import Conflict, NotFound
from app.services.questionnaires.ready_made import InstrumentDraft, QuestionDraft
from app.services.questionnaires.scales import bounds_of, parse_scale
from app.storage.models import Instrument, Question, Study
from app.words import gettext

# Each grade asks for these, so they are put together once.
_INSTRUMENTS = (
    select(Instrument)
    .where(Instrument.study_id == bindparam("study_id"))
    .order_by(Instrument.position, Instrument.id)
)
_QUESTIONS = (
    select(Question)
    .join(Instrument, Instrument.id == Question.instrument_id)
    .where(Question.study_id == bindparam("study_id"))
    .order_by(Instrument.position, Instrument.id, Question.position, Question.id)
)
_OWN_QUESTIONS = _QUESTIONS.where(Question.instrument_id == bindparam("instrument_id"))


def instruments_of(session: Session, study_id: int) -> list[Instrument]:
    """The study's instruments in the order in which they are graded."""
    return list(session.scalars(_INSTRUMENTS, {"study_id": study_id}))


def instrument_named(session: Session, study: Study, name: str) -> Instrument:
    """The study's instrument of that name."""
    mine = select(Instrument).where(Instrument.study_id == study.id, Instrument.name == name)
    instrument = session.scalar(mine)
    if instrument is None:
        raise NotFound(gettext("This study has no instrument called %(name)s.", name=repr(name)))
    return instrument


def output_instrument(session: Session, study: Study) -> Instrument:
    """The first instrument that asks about outputs: imports hang their items on it."""
    for instrument in instruments_of(session, study.id):
        if instrument.kind == "output":
            return instrument
    raise Conflict(
        gettext("This study asks nothing about outputs."), remedy=gettext("Add an instrument for outputs first.")
    )


def questions_of(session: Session, study_id: int, instrument_id: int | None = None) -> list[Question]:
    """The questions in the order in which they are asked, of one instrument or of all."""
    if instrument_id is None:
        return list(session.scalars(_QUESTIONS, {"study_id": study_id}))
    return list(session.scalars(_OWN_QUESTIONS, {"study_id": study_id, "instrument_id": instrument_id}))


def compared_questions(session: Session, study_id: int) -> list[Question]:
    """What systems can be compared by: questions about outputs whose answers are numbers, in the order of asking."""
    asked = {each.id for each in instruments_of(session, study_id) if each.kind == "output"}
    return [each for each in questions_of(session, study_id) if each.instrument_id in asked and bounds_of(each)]


def asks_about_outputs(study: Study) -> bool:
    """Whether people grade outputs of systems here; a survey of prompts has instruments, and none of that kind.

    Asks in the study's own session: the tabs of each page about a study hang on it, whichever page it is.
    """
    kinds = {each.kind for each in instruments_of(_session_of(study), study.id)}
    return not kinds or "output" in kinds


def _session_of(study: Study) -> Session:
    session = object_session(study)
    if session is None:
        raise ValueError("The study belongs to no session.")
    return session


def target_of(study: Study, instrument: Instrument) -> int:
    """How many grades each of the instrument's items should have."""
    return instrument.grades_per_item or study.grades_per_item


def add_instrument(session: Session, study: Study, draft: InstrumentDraft) -> Instrument:
    """A new instrument at the end of the study's questionnaire."""
    instrument = Instrument(
        study_id=study.id,
        position=len(instruments_of(session, study.id)),
        name=draft.name,
        title=draft.title,
        kind=draft.kind,
    )
    session.add(instrument)
    session.flush()
    add_questions(session, study, instrument, draft.questions)
    return instrument


def add_questions(
    session: Session, study: Study, instrument: Instrument, drafts: Iterable[QuestionDraft]
) -> list[Question]:
    """New questions at the end of an instrument; their scales are checked."""
    first = len(questions_of(session, study.id, instrument.id))
    questions = [
        Question(
            study_id=study.id,
            instrument_id=instrument.id,
            position=position,
            name=draft.name,
            text=draft.text,
            kind=draft.kind,
            help=draft.help,
            required=draft.required,
            scale=parse_scale(draft.kind, draft.scale).model_dump(),
        )
        for position, draft in enumerate(drafts, start=first)
    ]
    session.add_all(questions)
    session.flush()
    return questions
