"""What an annotator is shown of an item. Only these fields reach a browser: none tells who wrote the code."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.grading import own_assignment, revision_of
from app.storage.models import Annotator, Artifact, Assignment, Grade, Item, Problem, Study


@dataclass(frozen=True, slots=True)
class ShownItem:
    """One item on the page, with what this annotator answered before."""

    id: str
    position: int
    intent: str | None
    context: str | None
    text: str
    language: str
    has_image: bool
    state: str
    value: float | None
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
    item, problem, study = session.execute(
        select(Item, Problem, Study)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Study, Study.id == Item.study_id)
        .where(Item.id == assignment.item_id)
    ).one()
    return ShownItem(
        id=assignment.public_id,
        position=assignment.position,
        intent=problem.intent,
        context=problem.context,
        text=item.text,
        language=study.language,
        has_image=problem.image_id is not None,
        state=assignment.state,
        value=_value(session, assignment),
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
    statement = (
        select(Assignment, Problem.intent, Item.text, Grade.value)
        .join(Item, Item.id == Assignment.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Grade, (Grade.item_id == Assignment.item_id) & (Grade.annotator_id == Assignment.annotator_id))
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


def _value(session: Session, assignment: Assignment) -> float | None:
    return session.scalar(
        select(Grade.value).where(Grade.annotator_id == assignment.annotator_id, Grade.item_id == assignment.item_id)
    )


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
