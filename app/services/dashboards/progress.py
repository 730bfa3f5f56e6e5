"""How far grading is, counted from the current grades."""

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.charts.progress import Progress
from app.services.counting import counting_grades, lent_items, resting_items
from app.services.lately import Lately, lately
from app.services.questionnaires.instruments import compared_questions, instruments_of, questions_of, target_of
from app.storage.models import Annotator, Grade, Instrument, Item, Question, Study


def recent_progress(session: Session, study: Study) -> Lately[Progress]:
    """The same for a page: of a big study it may be some seconds old."""
    return lately(session, "progress", _asked(session, study), lambda: grading_progress(session, study))


def grading_progress(session: Session, study: Study) -> Progress:
    """Grades of the first question that systems are compared by, as far as they count, by item and by annotator."""
    asked = _asked(session, study)
    by_count = _items_by_grades(session, asked)
    without = _items(session, asked) - sum(by_count.values())
    return Progress(
        items_by_grades={**({0: without} if without else {}), **by_count},
        grades_by_annotator=_grades_by_annotator(session, asked),
        wanted=target_of(study, session.get_one(Instrument, asked.instrument_id)),
        reference_items=_items(session, asked, Item.is_reference.is_(True)),
        question=asked.name if len(instruments_of(session, study.id)) > 1 else "",
    )


def _asked(session: Session, study: Study) -> Question:
    return (compared_questions(session, study.id) or questions_of(session, study.id))[0]


def _items_by_grades(session: Session, asked: Question) -> dict[int, int]:
    """How many items have so many grades, of those that have any; the fewest first."""
    per_item = select(func.count().label("grades")).where(*_counted(asked)).group_by(Grade.item_id).subquery()
    rows = select(per_item.c.grades, func.count()).group_by(per_item.c.grades).order_by(per_item.c.grades)
    return dict(session.execute(rows).all())


def _grades_by_annotator(session: Session, asked: Question) -> list[tuple[str, int]]:
    per_person = select(Grade.annotator_id, func.count().label("grades")).where(*_counted(asked))
    found = per_person.group_by(Grade.annotator_id).subquery()
    rows = (
        select(Annotator.pseudonym, found.c.grades)
        .join(found, found.c.annotator_id == Annotator.id)
        .order_by(Annotator.id)
    )
    return [(name, grades) for name, grades in session.execute(rows)]


def _counted(asked: Question) -> list[ColumnElement[bool]]:
    others = resting_items(asked.instrument_id), lent_items([asked.instrument_id])
    return [*counting_grades(asked), *(Grade.item_id.not_in(each) for each in others)]


def _items(session: Session, asked: Question, *conditions: ColumnElement[bool]) -> int:
    """The items that the question is asked about: all but those that rest, and those that are practice or checks."""
    main = (Item.instrument_id == asked.instrument_id, Item.role == "main", *conditions)
    all_items = session.scalar(select(func.count()).where(*main)) or 0
    resting = resting_items(asked.instrument_id).where(*main).with_only_columns(func.count())
    lent = select(func.count()).where(*main, Item.id.in_(lent_items([asked.instrument_id])))
    lent = lent.where(Item.gradable)  # the others rest already
    return all_items - (session.scalar(resting) or 0) - (session.scalar(lent) or 0)
