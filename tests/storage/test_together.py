"""Several writes in one trip: all of them happen, the session knows of it, and one that fails undoes all."""

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.clock import utc_now
from app.services import grading
from app.services.grading import Submission
from app.services.sitting import Sitting
from app.services.supply import supply
from app.storage.engine import Database
from app.storage.models import Assignment, Grade, GradeEvent, Study, User
from app.storage.together import Together
from tests.grading.helpers import add_annotators, open_study


def test_a_first_grade_is_stored_with_its_event_and_its_finished_assignment(database: Database) -> None:
    study = open_study(database, problems=3, systems=2)
    (person,) = add_annotators(database, study, 1)
    with database.write() as session:
        claim = supply(Sitting.held(session, person), ()).items[0]
    before = utc_now()
    with database.write() as session:
        sent = Submission(claim.id, "submission-of-a-grade", "grade", {"helpfulness": 3}, details={"active_ms": 12})
        receipt = grading.submit(session, person, sent)
        here = session.scalars(select(Assignment).where(Assignment.public_id == claim.id)).one()
        assert (here.state, here.surplus) == ("graded", False)
    assert (receipt.revision, receipt.answers, receipt.moves_slot) == (1, {"helpfulness": 3}, False)
    with database.read() as session:
        assignment = session.scalars(select(Assignment).where(Assignment.public_id == claim.id)).one()
        grade, event = session.scalars(select(Grade)).one(), session.scalars(select(GradeEvent)).one()
        assert assignment.state == "graded"
        assert assignment.finished_at is not None
        assert before <= assignment.finished_at == grade.created_at == grade.updated_at == event.created_at
        assert (grade.value, grade.item_id) == (event.value, event.item_id) == (3, assignment.item_id)
        assert (event.kind, event.part, event.submission_id) == ("grade", 0, "submission-of-a-grade")
        assert event.details is not None
        assert event.details["active_ms"] == 12
        assert (grade.questionnaire_id, grade.surplus) == (event.questionnaire_id, event.surplus)


def test_one_that_fails_undoes_all(database: Database) -> None:
    study = open_study(database, problems=1, systems=1)
    users = User.__table__
    twice = {"name": "somebody", "email": "a@example.org", "role": "admin", "password_hash": ""}
    twice |= {"created_at": utc_now()}  # type: ignore[dict-item]
    both = Together(
        update(Study.__table__).where(Study.__table__.c.id == study).values(title="changed"),  # type: ignore[arg-type]
        insert(users).values(twice),  # type: ignore[arg-type]
        insert(users).values(twice),  # type: ignore[arg-type]
    )
    with pytest.raises(IntegrityError), database.write() as session:
        both.run(session, {})
    with database.read() as session:
        assert session.get_one(Study, study).title != "changed"
        assert session.scalar(select(func.count(User.id))) == 0
