"""How far grading is, counted from the current grades."""

from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from app.charts.progress import Progress
from app.storage.models import Annotator, Grade, Item, Question, Study


def grading_progress(session: Session, study: Study) -> Progress:
    """Grades of the study's first question that count (not surplus), by item and by annotator."""
    question = session.scalar(
        select(Question.id).where(Question.study_id == study.id).order_by(Question.position, Question.id).limit(1)
    )
    per_item = _grades_per_item(study, question).subquery()
    by_count = session.execute(
        select(per_item.c.grades, func.count()).group_by(per_item.c.grades).order_by(per_item.c.grades)
    )
    people = session.execute(
        select(Annotator.pseudonym, func.count())
        .join(Grade, Grade.annotator_id == Annotator.id)
        .join(Item, Item.id == Grade.item_id)
        .where(
            Annotator.study_id == study.id,
            Grade.question_id == question,
            Grade.surplus.is_(False),
            Item.gradable.is_(True),
        )
        .group_by(Annotator.id)
        .order_by(Annotator.id)
    )
    return Progress(
        items_by_grades=dict(by_count.tuples()),
        grades_by_annotator=[(name, grades) for name, grades in people],
        wanted=study.grades_per_item,
    )


def _grades_per_item(study: Study, question: int | None) -> Select[int]:
    counts = and_(Grade.item_id == Item.id, Grade.question_id == question, Grade.surplus.is_(False))
    return (
        select(func.count(Grade.id).label("grades"))
        .select_from(Item)
        .outerjoin(Grade, counts)
        .where(Item.study_id == study.id, Item.gradable.is_(True))
        .group_by(Item.id)
    )
