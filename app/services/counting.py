"""Which grades count: conditions that are met from indexes alone, however many grades there are.

Those that don't count are few, so they are named and left out: a join would look up each grade's item and annotator.
"""

from sqlalchemy import ColumnElement, Select, select, text

from app.storage.models import Annotator, Grade, Item, Question
from app.storage.models.material import LEFT_OUT

CHECKS = ("practice", "loud", "silent", "repeat")


def counting_grades(question: Question) -> list[ColumnElement[bool]]:
    """Grades of the question that count: no surplus, nobody who was excluded, no practice and no checks."""
    excluded = select(Annotator.id).where(
        Annotator.study_id == question.study_id, Annotator.excluded_at.is_not(None)
    )
    return [
        Grade.question_id == question.id,
        Grade.surplus.is_(False),
        Grade.annotator_id.not_in(excluded),
        Grade.item_id.not_in(checks_of(question.instrument_id)),
    ]


def checks_of(instrument_id: int) -> Select[int]:
    """Practice and checks: of these it is known which answer is right."""
    return select(Item.id).where(Item.instrument_id == instrument_id, Item.role.in_(CHECKS))


def resting_items(instrument_id: int) -> Select[int]:
    """Items that nobody is asked about (any more), as a sample may say."""
    return select(Item.id).where(
        Item.instrument_id == instrument_id, text(f"({LEFT_OUT})"), Item.gradable.is_(False)
    )
