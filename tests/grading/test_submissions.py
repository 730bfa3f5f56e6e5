"""Answers: stored once, with their trace, whatever is sent twice, late, or from two windows."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.errors import AppError, Conflict, InvalidInput, NotFound
from app.services import assignments, grading
from app.services.grading import Receipt, Submission
from app.storage.engine import Database
from app.storage.models import Assignment, Grade, GradeEvent, Study
from tests.grading.helpers import add_annotators, answer, check_invariants, open_study


@pytest.fixture
def study(database: Database) -> int:
    """A small open study."""
    return open_study(database, problems=3, systems=2)


@pytest.fixture
def claim(database: Database, study: int) -> Assignment:
    """The first item of one annotator."""
    [person] = add_annotators(database, study, 1)
    with database.write() as session:
        return assignments.upcoming(session, person)[0]


def grades(database: Database) -> list[float]:
    with database.read() as session:
        return list(session.scalars(select(Grade.value).order_by(Grade.id)))


def events(database: Database) -> list[tuple[str, float | None, float | None]]:
    statement = select(GradeEvent.kind, GradeEvent.value, GradeEvent.previous).order_by(GradeEvent.id)
    with database.read() as session:
        return [tuple(row) for row in session.execute(statement)]


def test_zero_is_a_grade(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        receipt = answer(session, claim, 0)
    assert receipt.answers == {"helpfulness": 0}
    assert not receipt.replayed
    assert grades(database) == [0]


@pytest.mark.fault("F02")
def test_the_same_submission_twice_is_one_grade(database: Database, claim: Assignment) -> None:
    receipts = []
    for _ in range(2):
        with database.write() as session:
            receipts.append(answer(session, claim, 3, submission_id="one-and-the-same", revision=0))
    assert [receipt.replayed for receipt in receipts] == [False, True]
    assert grades(database) == [3]
    assert events(database) == [("grade", 3, None)]


@pytest.mark.fault("F03")
def test_the_same_id_with_another_value_is_refused(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        answer(session, claim, 3, submission_id="one-and-the-same")
    for other in (2, None):
        with pytest.raises(Conflict, match="another content"), database.write() as session:
            answer(session, claim, other, submission_id="one-and-the-same")
    assert grades(database) == [3]


@pytest.mark.fault("F03")
def test_the_same_id_for_another_item_is_refused(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        answer(session, claim, 3, submission_id="one-and-the-same")
        second = assignments.upcoming(session, claim.annotator_id)[0]
    with pytest.raises(Conflict), database.write() as session:
        answer(session, second, 3, submission_id="one-and-the-same")


def test_a_change_keeps_the_earlier_answer_in_the_trace(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        answer(session, claim, 1)
        assert answer(session, claim, 4, revision=1).revision == 2
    assert grades(database) == [4]
    assert events(database) == [("grade", 1, None), ("change", 4, 1)]


@pytest.mark.fault("F04")
def test_two_windows_do_not_overwrite_each_other_unseen(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        answer(session, claim, 1, revision=0)
    with (
        pytest.raises(Conflict, match=r"another window.*answer 1 \(Slightly helpful\) stands"),
        database.write() as session,
    ):
        answer(session, claim, 4, revision=0)
    assert grades(database) == [1]


def test_skipping_a_graded_item_withdraws_the_grade(database: Database, study: int, claim: Assignment) -> None:
    with database.write() as session:
        answer(session, claim, 2)
        answer(session, claim, None)
    assert grades(database) == []
    assert events(database)[-1] == ("withdraw", None, 2)
    with database.write() as session:
        assert answer(session, claim, 3).answers == {"helpfulness": 3}
    with database.read() as session:
        check_invariants(session, session.get_one(Study, study))


def test_a_flag_stands_beside_the_answer(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        receipt = answer(session, claim, None, kind="flag", note="It is cut off")
        assert answer(session, claim, 2, revision=receipt.revision).answers == {"helpfulness": 2}
        assert session.get_one(Assignment, claim.id).flag_note == "It is cut off"


@pytest.mark.parametrize("value", [5, -1, 0.5, float("nan"), float("inf"), 2.0**63, True])
def test_only_the_scale_is_accepted(database: Database, claim: Assignment, value: float | None) -> None:
    with pytest.raises(InvalidInput, match="0, 1, 2, 3, 4"), database.write() as session:
        answer(session, claim, value, kind="grade")
    assert grades(database) == []


def test_an_answer_must_be_there(database: Database, claim: Assignment) -> None:
    with pytest.raises(InvalidInput, match="An answer is missing"), database.write() as session:
        answer(session, claim, None, kind="grade")
    with pytest.raises(InvalidInput, match="isn't asked: taste"), database.write() as session:
        answer(session, claim, 3, answers={"helpfulness": 3, "taste": 1})
    assert grades(database) == []


def test_nobody_grades_for_somebody_else(database: Database, study: int, claim: Assignment) -> None:
    [other] = add_annotators(database, study, 1)
    submission = Submission(claim.public_id, str(uuid4()), "grade", {"helpfulness": 3})
    with pytest.raises(NotFound), database.write() as session:
        grading.submit(session, other, submission)


def test_a_closed_study_keeps_late_work_aside_and_refuses_changes(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        session.scalars(select(Study)).one().state = "closed"
        assert answer(session, claim, 3).surplus
    with pytest.raises(Conflict, match="closed"), database.write() as session:
        answer(session, claim, 1)
    with database.read() as session:
        check_invariants(session, session.scalars(select(Study)).one())


def test_a_paused_study_takes_what_was_begun(database: Database, claim: Assignment) -> None:
    with database.write() as session:
        session.scalars(select(Study)).one().state = "paused"
        assert not answer(session, claim, 3).surplus


@pytest.mark.fault("F02")
def test_fifty_deliveries_at_once_are_one_grade(database: Database, claim: Assignment) -> None:
    barrier = threading.Barrier(50 if not database.is_sqlite else 20)

    def deliver(_: int) -> Receipt:
        barrier.wait(30)
        with database.write() as session:
            return answer(session, claim, 3, submission_id="one-and-the-same", revision=0)

    with ThreadPoolExecutor(barrier.parties) as pool:
        receipts = list(pool.map(deliver, range(barrier.parties)))
    assert sum(not receipt.replayed for receipt in receipts) == 1
    assert events(database) == [("grade", 3, None)]


@pytest.mark.fault("F04")
def test_different_answers_at_once_leave_one_and_tell_the_rest(database: Database, claim: Assignment) -> None:
    barrier = threading.Barrier(8)

    def deliver(number: int) -> str:
        barrier.wait(30)
        try:
            with database.write() as session:
                answer(session, claim, number % 5, revision=0)
        except AppError as error:
            return error.message
        return "stored"

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(deliver, range(8)))
    assert outcomes.count("stored") == 1
    assert len(grades(database)) == 1
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(GradeEvent)) == 1
