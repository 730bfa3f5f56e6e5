"""What an annotator is shown of an item. Only these fields reach a browser: none tells who wrote the code."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.grading import answers_of, own_assignment, revision_of
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given
from app.storage.models import Annotator, Artifact, Assignment, Grade, Instrument, Item, Problem, Question, Study


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item on the page, with what this annotator answered before."""

    id: str
    position: int
    kind: str
    instrument: str
    questions: list[Question]
    intent: str | None
    context: str | None
    text: str
    original: str | None
    swapped: bool
    language: str
    has_image: bool
    image_alt: str | None
    state: str
    answers: dict[str, Given]
    revision: int
    flag_note: str | None
    previous: str | None


@dataclass(frozen=True, slots=True)
class GradedItem:
    """A line of the list of one's own answers."""

    id: str
    position: int
    title: str
    state: str
    value: float | None
    flagged: bool


def show(session: Session, assignment: Assignment) -> ShownItem:
    """The item of an assignment."""
    item, problem, study, instrument = session.execute(
        select(Item, Problem, Study, Instrument)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Study, Study.id == Item.study_id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Item.id == assignment.item_id)
    ).one()
    return ShownItem(
        id=assignment.public_id,
        position=assignment.position,
        kind=instrument.kind,
        instrument=instrument.name,
        questions=questions_of(session, study.id, instrument.id),
        intent=problem.intent if instrument.kind == "output" else None,
        context=problem.context if instrument.kind == "output" else None,
        text=item.text,
        original=item.original,
        swapped=assignment.swapped,
        language=study.language,
        has_image=problem.image_id is not None,
        image_alt=problem.image_alt,
        state=assignment.state,
        answers=answers_of(session, assignment),
        revision=revision_of(session, assignment),
        flag_note=assignment.flag_note,
        previous=_previous(session, assignment),
    )


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
        raise NotFound("This item has no picture.")
    return artifact


def answered(session: Session, annotator_id: int, *, before: int | None, limit: int) -> list[GradedItem]:
    """One's own answers, the latest first; ``before`` is the position where the last page ended."""
    # One line for each item, however many questions it was asked.
    first_question = (
        select(Question.instrument_id, func.min(Question.id).label("id")).group_by(Question.instrument_id).subquery()
    )
    statement = (
        select(Assignment, Problem.intent, Item.text, Grade.value)
        .join(Item, Item.id == Assignment.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(first_question, first_question.c.instrument_id == Item.instrument_id)
        .outerjoin(
            Grade,
            (Grade.item_id == Assignment.item_id)
            & (Grade.annotator_id == Assignment.annotator_id)
            & (Grade.question_id == first_question.c.id),
        )
        .where(Assignment.annotator_id == annotator_id, Assignment.state.in_(("graded", "skipped")))
        .order_by(Assignment.position.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(Assignment.position < before)
    return [_line(*row) for row in session.execute(statement)]


def study_of(session: Session, annotator_id: int) -> Study:
    """The study that the annotator takes part in."""
    return session.get_one(Study, session.get_one(Annotator, annotator_id).study_id)


def _line(assignment: Assignment, intent: str | None, text: str, value: float | None) -> GradedItem:
    first_line = (intent or text).strip().split("\n", 1)[0]
    title = first_line if len(first_line) <= 120 else f"{first_line[:119]}…"
    flagged = assignment.flag_note is not None
    return GradedItem(assignment.public_id, assignment.position, title or "(empty)", assignment.state, value, flagged)


def _previous(session: Session, assignment: Assignment) -> str | None:
    """The item that this annotator saw before this one."""
    return session.scalar(
        select(Assignment.public_id)
        .where(
            Assignment.annotator_id == assignment.annotator_id,
            Assignment.position < assignment.position,
            Assignment.state != "lapsed",
        )
        .order_by(Assignment.position.desc())
        .limit(1)
    )
