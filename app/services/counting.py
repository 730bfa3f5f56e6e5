"""Which grades and items count: conditions that are met from indexes alone, however many grades there are.

Those that don't count are few, so they are named and left out: a join would look up each grade's item and annotator.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, func, select, text
from sqlalchemy.orm import Session, aliased

from app.storage.models import Annotator, Grade, Item, Question
from app.storage.models.material import LEFT_OUT

CHECKS = ("practice", "loud", "silent", "repeat")
COPIED = ("practice", "loud", "silent")

_COPY = aliased(Item)  # once: to make an alias costs more than most statements do


def counting_grades(question: Question) -> list[ColumnElement[bool]]:
    """Grades of the question that count: no surplus, nobody who was excluded, no practice and no checks."""
    excluded = select(Annotator.id).where(Annotator.study_id == question.study_id, Annotator.excluded_at.is_not(None))
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
    return select(Item.id).where(Item.instrument_id == instrument_id, text(f"({LEFT_OUT})"), Item.gradable.is_(False))


def lent_items(instruments: Sequence[int | ColumnElement[int]]) -> Select[int | None]:
    """Items that are in use as practice or checks.

    Whoever saw the copy may know what is right, and in the end all see it. So nobody is asked about the item itself,
    and it counts towards no target; grades that it has stay.
    """
    return select(_COPY.repeats_id).where(
        _COPY.instrument_id.in_(instruments),
        _COPY.role.in_(COPIED),
        _COPY.gradable.is_(True),
        _COPY.repeats_id.is_not(None),
    )


def count_lent(session: Session, instruments: Sequence[int]) -> int:
    """How many items are in use as practice or checks, of those that would be graded otherwise."""
    lent = select(func.count()).where(Item.id.in_(lent_items(instruments)))
    return session.scalar(lent.where(Item.gradable, Item.retired_at.is_(None))) or 0
