"""How far grading is, counted from the current grades."""

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.charts.progress import Progress
from app.services.questionnaires.instruments import compared_questions, questions_of, target_of
from app.storage.models import Annotator, Grade, Instrument, Item, Question, Study


def grading_progress(session: Session, study: Study) -> Progress:
    """Grades of the first question that systems are compared by, as far as they count, by item and by annotator."""
    asked = (compared_questions(session, study.id) or questions_of(session, study.id))[0]
    counted = _counted_grades(asked)
    per_item = counted.group_by(Grade.item_id).with_only_columns(func.count().label("grades")).subquery()
    rows = session.execute(
        select(per_item.c.grades, func.count().label("number"))
        .group_by(per_item.c.grades)
        .order_by(per_item.c.grades)
    )
    by_count: dict[int, int] = {row.grades: row.number for row in rows}
    items = session.scalar(select(func.count()).where(*_items_of(asked))) or 0
    without = items - sum(by_count.values())
    people = session.execute(
        counted.group_by(Annotator.id).order_by(Annotator.id).with_only_columns(Annotator.pseudonym, func.count())
    )
    return Progress(
        items_by_grades=dict(sorted({**({0: without} if without else {}), **by_count}.items())),
        grades_by_annotator=[(name, grades) for name, grades in people],
        wanted=target_of(study, session.get_one(Instrument, asked.instrument_id)),
        reference_items=_reference_items(session, asked),
    )


def _items_of(question: Question) -> tuple[ColumnElement[bool], ...]:
    """The items that the question is asked about, practice and checks apart."""
    return Item.instrument_id == question.instrument_id, Item.role == "main", Item.gradable.is_(True)


def _reference_items(session: Session, question: Question) -> int:
    """Items that are references, mixed in to check the annotators."""
    return session.scalar(select(func.count()).where(*_items_of(question), Item.is_reference)) or 0


def _counted_grades(question: Question) -> Select[int]:
    """Grades that count. From the grades, not from the items: one pass over them, whatever the planner knows."""
    return (
        select(Grade.id)
        .join(Item, Item.id == Grade.item_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(*_items_of(question), Grade.question_id == question.id, Grade.surplus.is_(False))
        .where(Annotator.excluded_at.is_(None))
    )
