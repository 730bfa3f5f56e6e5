"""Exclude somebody and take them back: nothing is lost, limits hold, results follow."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.errors import Conflict, InvalidInput, NotFound
from app.services import assignments
from app.services.analysis.inputs import load_grades
from app.services.analysis.revision import study_revision
from app.services.dashboards import grading_progress
from app.services.desk import exclusion
from app.services.study_progress import progress_of
from app.storage.engine import Database
from app.storage.models import Annotator, Assignment, AuditEvent, Grade, Item, Question, Study
from tests.factories import add_grade
from tests.grading.helpers import add_annotators, answer, grade_everything, open_study


def check_loads(session: Session) -> None:
    """An item's load is its claims and the grades that count, whoever is excluded; nobody excluded holds a slot."""
    counts = select(Assignment.item_id, func.count()).join(Annotator, Annotator.id == Assignment.annotator_id)
    held = Assignment.state.in_(("claimed", "graded")) & Assignment.surplus.is_(False)
    loads = dict(
        session.execute(counts.where(held, Annotator.excluded_at.is_(None)).group_by(Assignment.item_id)).all()
    )
    for item in session.scalars(select(Item)):
        assert item.load == loads.get(item.id, 0)
        assert item.load <= session.get_one(Study, item.study_id).grades_per_item
    slots = select(func.count()).select_from(Assignment).join(Annotator, Annotator.id == Assignment.annotator_id)
    assert session.scalar(slots.where(Annotator.excluded_at.is_not(None), Assignment.slot.is_not(None))) == 0


def exclude(database: Database, annotator: int, *, back: bool = False) -> None:
    with database.write() as session:
        study = session.get_one(Study, session.get_one(Annotator, annotator).study_id)
        work = exclusion.restore if back else exclusion.exclude
        work(session, "user:1", study, annotator, "Pressed 3 all the time" if not back else "A misunderstanding")
    with database.read() as session:
        check_loads(session)


def totals(database: Database, study_id: int) -> tuple[int, int, int, int]:
    """Held towards the target, on the overview, in the analysis, stored in all."""
    with database.read() as session:
        study = session.get_one(Study, study_id)
        return (
            progress_of(session, [study])[study_id].held,
            grading_progress(session, study).grades,
            len(load_grades(session, study, None).labels),
            session.scalar(select(func.count()).select_from(Grade)) or 0,
        )


def test_others_take_the_place_and_who_comes_back_is_surplus_there(database: Database) -> None:
    study = open_study(database, problems=3, systems=2, grades_per_item=2)
    first, second, third = add_annotators(database, study, 3)
    assert len(grade_everything(database, first)) == len(grade_everything(database, second)) == 6
    assert grade_everything(database, third) == [], "every item has its two grades"
    before = _revision(database, study)
    assert totals(database, study) == (12, 12, 12, 12)

    exclude(database, first)
    assert totals(database, study) == (6, 6, 6, 12)
    assert _revision(database, study) != before, "analyses are stale"
    with database.write() as session:
        taken = assignments.upcoming(session, third)[:1]
        for claim in taken:
            answer(session, claim, 1)
    assert totals(database, study) == (7, 7, 7, 13)

    exclude(database, first, back=True)
    # One grade found its place taken; another item is claimed by the third person at this moment, or will be.
    with database.read() as session:
        surplus = session.scalars(select(Assignment).where(Assignment.surplus)).all()
        grades = session.scalars(select(Grade.item_id).where(Grade.surplus)).all()
        assert {each.annotator_id for each in surplus} == {first}
        assert sorted(grades) == sorted(each.item_id for each in surplus)
        assert taken[0].item_id in grades
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id.desc()).limit(2)).all()
    assert [event.action for event in events] == ["annotator restored", "annotator excluded"]
    assert events[1].details == {"annotator": first, "reason": "Pressed 3 all the time", "items": 6}
    assert events[0].details["surplus"] == len(grades)
    assert totals(database, study)[3] == 13, "nothing was deleted"


def test_out_and_in_again_changes_nothing_else(database: Database) -> None:
    study = open_study(database, problems=2, systems=2, grades_per_item=3)
    (person, _other) = add_annotators(database, study, 2)
    grade_everything(database, person)
    before = totals(database, study)
    exclude(database, person)
    exclude(database, person, back=True)
    assert totals(database, study) == before == (4, 4, 4, 4)
    with database.read() as session:
        assert session.scalars(select(Assignment.slot)).all() == [0, 0, 0, 0]


def test_who_is_excluded_gets_nothing_and_what_comes_late_is_kept(database: Database) -> None:
    study = open_study(database, problems=2, systems=2, grades_per_item=1)
    person, other = add_annotators(database, study, 2)
    with database.write() as session:
        claim = assignments.upcoming(session, person)[0]
    exclude(database, person)
    with database.write() as session:
        assert assignments.upcoming(session, person) == []
    with database.write() as session:
        assert answer(session, claim, 4).surplus, "it was in the browser's outbox"
    with database.read() as session:
        check_loads(session)
    assert len(grade_everything(database, other)) == 4, "the other person gets all items, that one too"
    exclude(database, person, back=True)
    assert totals(database, study) == (4, 4, 4, 5)


def test_imported_grades_come_back_even_above_the_target(database: Database) -> None:
    study_id = open_study(database, problems=1, systems=1, grades_per_item=1)
    with database.write() as session:
        question = session.scalars(select(Question.id)).one()
        item = session.scalars(select(Item.id)).one()
        people = [Annotator(study_id=study_id, pseudonym=f"g{n}", kind="imported", order_seed=n) for n in range(2)]
        session.add_all(people)
        session.flush()
        for each in people:
            add_grade(session, each, item, question, 2.0)
    ids = [each.id for each in people]
    for back in (False, True):
        with database.write() as session:
            work = exclusion.restore if back else exclusion.exclude
            work(session, "user:1", session.get_one(Study, study_id), ids[0], "why")
        with database.read() as session:
            assert session.scalars(select(Item.load)).one() == (2 if back else 1)
    assert totals(database, study_id) == (1, 2, 2, 2)


def test_reasons_are_needed_and_nobody_elses_annotator_is_touched(database: Database) -> None:
    study = open_study(database)
    elsewhere = open_study(database, title="Elsewhere")
    (person,) = add_annotators(database, study, 1)
    for slug, reason, error in ((study, "  ", InvalidInput), (elsewhere, "why", NotFound)):
        with pytest.raises(error), database.write() as session:
            exclusion.exclude(session, "user:1", session.get_one(Study, slug), person, reason)
    with pytest.raises(Conflict), database.write() as session:
        exclusion.restore(session, "user:1", session.get_one(Study, study), person, "why")


@pytest.mark.parametrize("round_number", range(3))
def test_people_grade_while_they_are_excluded_and_restored(database: Database, round_number: int) -> None:
    study = open_study(database, problems=6, systems=2, grades_per_item=2, seed=round_number)
    people = add_annotators(database, study, 6)
    barrier = threading.Barrier(len(people) + 1)

    def grade(person: int) -> int:
        barrier.wait(60)
        stored = 0
        for _ in range(8):
            with database.write() as session:
                claims = assignments.upcoming(session, person)
            for claim in claims:
                with database.write() as session:
                    stored += not answer(session, claim, 3).replayed
        return stored

    def decide(_: int) -> int:
        barrier.wait(60)
        for back in (False, True, False):
            for person in people[:3]:
                exclude_now(person, back)
        return 0

    def exclude_now(person: int, back: bool) -> None:
        with database.write() as session:
            study_row = session.get_one(Study, study)
            (exclusion.restore if back else exclusion.exclude)(session, "user:1", study_row, person, "why")

    with ThreadPoolExecutor(len(people) + 1) as pool:
        stored = sum(pool.map(lambda work: work[0](work[1]), [(decide, 0), *((grade, person) for person in people)]))
    with database.read() as session:
        check_loads(session)
        assert session.scalar(select(func.count()).select_from(Grade)) == stored, "no grade is lost"


def _revision(database: Database, study_id: int) -> dict[str, object]:
    with database.read() as session:
        return study_revision(session, session.get_one(Study, study_id))
