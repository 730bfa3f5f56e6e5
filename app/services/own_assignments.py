"""One's own assignments, and what one has answered to their items so far."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.services.grade_history import ANSWERS
from app.services.questionnaires.scales import Given, Stored, as_given
from app.storage.models import Assignment, Grade, GradeEvent, Item, Question
from app.storage.prepared import constant
from app.words import gettext

# Each grade asks for these, so they are put together once.
_OWN = select(Assignment).where(
    Assignment.public_id == bindparam("public_id"), Assignment.annotator_id == bindparam("annotator_id")
)
# NO KEY UPDATE, because rows that point to the locked one must still be added meanwhile.
_HELD = (
    select(Assignment, Item)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.annotator_id == bindparam("annotator_id"))
    .with_for_update(of=Assignment, key_share=True)
    .execution_options(populate_existing=True)
)
_OWN_HELD = _HELD.where(Assignment.public_id == bindparam("public_id"))
# A few at most are ever open; the sweeper's lock on one of them is waited for. Of the items only the one asked for.
_OPEN_HELD = (
    select(Assignment, Item)
    .outerjoin(Item, and_(Item.id == Assignment.item_id, Assignment.public_id == bindparam("public_id")))
    .where(Assignment.annotator_id == bindparam("annotator_id"), Assignment.state == constant("claimed"))
    .order_by(Assignment.position)
    .with_for_update(of=Assignment, key_share=True)
    .execution_options(populate_existing=True)
)
_REVISION = (
    select(func.count())
    .select_from(GradeEvent)
    .where(GradeEvent.annotator_id == bindparam("annotator_id"), GradeEvent.item_id == bindparam("item_id"))
    .where(GradeEvent.kind.in_(ANSWERS), GradeEvent.part == 0)
)
_GRADES = (
    select(Question, Grade)
    .join(Grade, Grade.question_id == Question.id)
    .where(Grade.annotator_id == bindparam("annotator_id"), Grade.item_id == bindparam("item_id"))
    .order_by(Question.position, Question.id)
)


@dataclass(frozen=True, slots=True)
class Past:
    """What the annotator answered to the item so far: the current grades, and in how many steps."""

    grades: list[tuple[Question, Grade]] = field(default_factory=list)
    revision: int = 0

    @property
    def answers(self) -> dict[str, Given]:
        """By the questions' names."""
        return given_of((question, Stored(grade.value, grade.text)) for question, grade in self.grades)


def past_of(session: Session, assignment: Assignment, item: Item) -> Past:
    """What was answered to the assignment's item."""
    if assignment.state == "claimed" and item.role != "practice":
        return Past()  # only practice hands out again what was answered
    subject = {"annotator_id": assignment.annotator_id, "item_id": assignment.item_id}
    grades = [(question, grade) for question, grade in session.execute(_GRADES, subject)]
    return Past(grades, session.scalar(_REVISION, subject) or 0)


def given_of(answers: Iterable[tuple[Question, Stored]]) -> dict[str, Given]:
    """Stored answers as they go over the wire, by the questions' names."""
    found = {question.name: as_given(question, stored.value, stored.text) for question, stored in answers}
    return {name: given for name, given in found.items() if given is not None}


def own_assignment(session: Session, annotator_id: int, public_id: str) -> Assignment:
    """The assignment, if it is this annotator's; anybody else's does not exist."""
    assignment = session.scalar(_OWN, {"public_id": public_id, "annotator_id": annotator_id})
    if assignment is None:
        raise _unknown()
    return assignment


def held_assignment(session: Session, annotator_id: int, public_id: str) -> tuple[Assignment, Item]:
    """One's own assignment, held until the commit, with its item."""
    row = session.execute(_OWN_HELD, {"public_id": public_id, "annotator_id": annotator_id}).first()
    if row is None:
        raise _unknown()
    assignment, item = row
    return assignment, item


def held_claims(
    session: Session, annotator_id: int, public_id: str = ""
) -> tuple[list[Assignment], tuple[Assignment, Item] | None]:
    """What the annotator holds open, in order, held until the commit; beside it the one asked for with its item."""
    rows = session.execute(_OPEN_HELD, {"annotator_id": annotator_id, "public_id": public_id}).all()
    asked = next(((assignment, item) for assignment, item in rows if item is not None), None)
    return [assignment for assignment, _ in rows], asked


def _unknown() -> NotFound:
    return NotFound(gettext("There is no such item among yours."))
