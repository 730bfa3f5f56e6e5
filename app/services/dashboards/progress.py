"""How far grading is, counted from the current grades."""

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.charts.progress import Progress
from app.storage.models import Annotator, Grade, Item, Output, Question, Study


def grading_progress(session: Session, study: Study) -> Progress:
    """Grades of the study's first question that count (not surplus), by item and by annotator."""
    question = session.scalar(
        select(Question.id).where(Question.study_id == study.id).order_by(Question.position, Question.id).limit(1)
    )
    counted = _counted_grades(study, question)
    per_item = counted.group_by(Grade.item_id).with_only_columns(func.count().label("grades")).subquery()
    rows = session.execute(
        select(per_item.c.grades, func.count().label("number"))
        .group_by(per_item.c.grades)
        .order_by(per_item.c.grades)
    )
    by_count: dict[int, int] = {row.grades: row.number for row in rows}
    items = session.scalar(select(func.count()).where(Item.study_id == study.id, Item.gradable.is_(True))) or 0
    without = items - sum(by_count.values())
    people = session.execute(
        counted.join(Annotator, Annotator.id == Grade.annotator_id)
        .group_by(Annotator.id)
        .order_by(Annotator.id)
        .with_only_columns(Annotator.pseudonym, func.count())
    )
    return Progress(
        items_by_grades=dict(sorted({**({0: without} if without else {}), **by_count}.items())),
        grades_by_annotator=[(name, grades) for name, grades in people],
        wanted=study.grades_per_item,
        reference_items=_reference_items(session, study),
    )


def _reference_items(session: Session, study: Study) -> int:
    """Gradable items that are no system's output: references mixed in to check the annotators."""
    outputs = select(Output.id).where(Output.item_id == Item.id).exists()
    items = select(func.count()).where(Item.study_id == study.id, Item.gradable.is_(True), ~outputs)
    return session.scalar(items) or 0


def _counted_grades(study: Study, question: int | None) -> Select[int]:
    """Grades that count. From the grades, not from the items: one pass over them, whatever the planner knows."""
    return (
        select(Grade.id)
        .join(Item, Item.id == Grade.item_id)
        .where(
            Item.study_id == study.id,
            Item.gradable.is_(True),
            Grade.question_id == question,
            Grade.surplus.is_(False),
        )
    )
