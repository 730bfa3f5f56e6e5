"""What an annotator is shown of an item. Only these fields reach a browser: none tells who wrote the code."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.grading import answers_of, own_assignment, revision_of
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import Given
from app.services.questionnaires.versions import questionnaire_number
from app.services.running_text import is_running_text
from app.storage.models import Annotator, Artifact, Assignment, Instrument, Item, Problem, Question, Study
from app.words import gettext


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item on the page, with what this annotator answered before.

    ``texts`` holds one text, or the two of a pair in the order in which this annotator sees them. ``opens``: the
    item before was asked other questions, or there was none, in a study with several instruments.
    """

    id: str
    position: int
    kind: str
    instrument: str
    title: str
    instructions: str
    opens: bool
    questions: list[Question]
    intent: str | None
    context: str | None
    texts: tuple[str, ...]
    is_prose: bool
    language: str
    has_image: bool
    image_alt: str | None
    state: str
    answers: dict[str, Given]
    revision: int
    version: int | None
    flag_note: str | None
    previous: str | None


def show(session: Session, assignment: Assignment) -> ShownItem:
    """The item of an assignment."""
    item, problem, study, instrument = session.execute(
        select(Item, Problem, Study, Instrument)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Study, Study.id == Item.study_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Item.id == assignment.item_id)
    ).one()
    previous = _previous(session, assignment)
    is_output = instrument.kind == "output"  # beside anything else, the intent would tell what was changed
    texts = texts_of(item, assignment)
    return ShownItem(
        id=assignment.public_id,
        position=assignment.position,
        kind=instrument.kind,
        instrument=instrument.name,
        title=instrument.title,
        instructions=instrument.instructions,
        opens=_opens(session, study, instrument, previous),
        questions=questions_of(session, study.id, instrument.id),
        intent=problem.intent if is_output else None,
        context=problem.context if is_output else None,
        texts=texts,
        is_prose=is_running_text(session, instrument, texts),
        language=study.language,
        has_image=problem.image_id is not None,
        image_alt=problem.image_alt,
        state=assignment.state,
        answers=answers_of(session, assignment),
        revision=revision_of(session, assignment),
        version=questionnaire_number(session, study),
        flag_note=assignment.flag_note,
        previous=previous.public_id if previous else None,
    )


def texts_of(item: Item, assignment: Assignment) -> tuple[str, ...]:
    """What is shown of the item, from left to right: a pair's order is the assignment's."""
    if item.original is None:
        return (item.text,)
    return (item.text, item.original) if assignment.swapped else (item.original, item.text)


def image_of(session: Session, annotator_id: int, public_id: str) -> Artifact:
    """The picture of the problem behind one's own assignment."""
    assignment = own_assignment(session, annotator_id, public_id)
    artifact = session.scalar(
        select(Artifact)
        .join(Problem, Problem.image_id == Artifact.id)
        .join(Item, Item.problem_id == Problem.id)
        .where(Item.id == assignment.item_id)
    )
    if artifact is None:
        raise NotFound(gettext("This item has no picture."))
    return artifact


def study_of(session: Session, annotator_id: int) -> Study:
    """The study that the annotator takes part in."""
    return session.get_one(Study, session.get_one(Annotator, annotator_id).study_id)


def _previous(session: Session, assignment: Assignment) -> Assignment | None:
    """What this annotator saw before this item."""
    return session.scalar(
        select(Assignment)
        .where(
            Assignment.annotator_id == assignment.annotator_id,
            Assignment.position < assignment.position,
            Assignment.state != "lapsed",
        )
        .order_by(Assignment.position.desc())
        .limit(1)
    )


def _opens(session: Session, study: Study, instrument: Instrument, previous: Assignment | None) -> bool:
    if previous is not None:
        return session.get_one(Item, previous.item_id).instrument_id != instrument.id
    return len(instruments_of(session, study.id)) > 1
