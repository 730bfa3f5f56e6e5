"""Take an answer: a grade, a change, a skip, a flag. Each is stored once, with its trace, or refused in words."""

from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict, InvalidInput, NotFound
from app.services.assignments import hold_slot, release
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Question, Study

# Steps that change the answer; a flag stands beside it.
ANSWERS = ("grade", "change", "withdraw", "skip", "import")


@dataclass(frozen=True, slots=True)
class Submission:
    """What an annotator sent. ``revision`` is how many answers to this item the sender had seen."""

    assignment: str
    submission_id: str
    kind: Literal["grade", "skip", "flag"]
    value: float | None = None
    note: str = ""
    revision: int | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is stored now. ``replayed``: it was stored before, by an earlier delivery of the same submission."""

    submission_id: str
    revision: int
    value: float | None
    surplus: bool
    replayed: bool


def submit(session: Session, annotator_id: int, submission: Submission) -> Receipt:
    """Store the submission once. The same again is answered alike; the same id with another content is refused."""
    assignment = own_assignment(session, annotator_id, submission.assignment, lock=True)
    earlier = session.scalar(select(GradeEvent).where(GradeEvent.submission_id == submission.submission_id))
    if earlier is not None:
        return _replay(session, assignment, submission, earlier)
    study = _study_of(session, assignment)
    if submission.kind == "flag":
        _flag(session, study, assignment, submission)
    else:
        _answer(session, study, assignment, submission)
    return _receipt(session, assignment, submission.submission_id, replayed=False)


def own_assignment(session: Session, annotator_id: int, public_id: str, *, lock: bool = False) -> Assignment:
    """The assignment, if it is this annotator's; anybody else's does not exist."""
    statement = select(Assignment).where(Assignment.public_id == public_id, Assignment.annotator_id == annotator_id)
    if lock:
        statement = statement.with_for_update(key_share=True).execution_options(populate_existing=True)
    assignment = session.scalar(statement)
    if assignment is None:
        raise NotFound("There is no such item among yours.")
    return assignment


def question_of(session: Session, study_id: int) -> Question:
    """The question that the study asks of each item."""
    statement = select(Question).where(Question.study_id == study_id).order_by(Question.position, Question.id)
    question = session.scalars(statement.limit(1)).first()
    if question is None:
        raise Conflict("This study asks no question yet.")
    return question


def revision_of(session: Session, assignment: Assignment) -> int:
    """How many answers this annotator has given to the item so far."""
    statement = select(func.count()).where(
        GradeEvent.annotator_id == assignment.annotator_id,
        GradeEvent.item_id == assignment.item_id,
        GradeEvent.kind.in_(ANSWERS),
    )
    return session.scalar(statement) or 0


def grade_of(session: Session, assignment: Assignment) -> Grade | None:
    """The current grade of the assignment, if there is one."""
    return session.scalar(
        select(Grade).where(Grade.annotator_id == assignment.annotator_id, Grade.item_id == assignment.item_id)
    )


def _study_of(session: Session, assignment: Assignment) -> Study:
    annotator = session.get_one(Annotator, assignment.annotator_id)
    return session.get_one(Study, annotator.study_id)


def _answer(session: Session, study: Study, assignment: Assignment, submission: Submission) -> None:
    question = question_of(session, study.id)
    if submission.kind == "grade":
        _check_value(question, submission.value)
    grade = grade_of(session, assignment)
    _check_revision(session, assignment, submission, grade)
    if study.state not in ("open", "paused") and (grade is not None or submission.kind == "skip"):
        raise Conflict("This study is closed. Your earlier answers stand.")
    if submission.kind == "skip":
        _skip(session, assignment, grade, submission)
    elif grade is None:
        _first_grade(session, study, assignment, question, submission)
    else:
        _change(session, assignment, grade, submission)


def _check_value(question: Question, value: float | None) -> None:
    choices = [choice["value"] for choice in question.scale["choices"]]
    if isinstance(value, bool) or value not in choices:
        listed = ", ".join(f"{choice:g}" for choice in choices)
        raise InvalidInput(f"An answer is one of {listed}.")


def _check_revision(session: Session, assignment: Assignment, submission: Submission, grade: Grade | None) -> None:
    if submission.revision is None or submission.revision == revision_of(session, assignment):
        return
    stands = f"Your answer {grade.value:g} stands." if grade else "That answer stands."
    raise Conflict(
        f"You answered this item in another window or on another device meanwhile. {stands}",
        remedy="Open the item again if you want to change it.",
    )


def _first_grade(
    session: Session, study: Study, assignment: Assignment, question: Question, submission: Submission
) -> None:
    now = utc_now()
    assignment.state, assignment.finished_at = "graded", now
    _settle_slot(session, study, assignment)
    session.add(
        Grade(
            annotator_id=assignment.annotator_id,
            item_id=assignment.item_id,
            question_id=question.id,
            value=submission.value,
            surplus=assignment.surplus,
            created_at=now,
            updated_at=now,
        )
    )
    _record(session, assignment, submission, "grade", question_id=question.id, value=submission.value)


def _settle_slot(session: Session, study: Study, assignment: Assignment) -> None:
    """A claim keeps its slot. Late work takes a free one; without one it is kept as surplus, never thrown away."""
    if study.state == "closed":
        release(session, assignment)
        assignment.surplus = True
    elif assignment.slot is None:
        assignment.surplus = not hold_slot(session, assignment, study.grades_per_item)


def _change(session: Session, assignment: Assignment, grade: Grade, submission: Submission) -> None:
    previous, grade.value = grade.value, float(submission.value)  # type: ignore[arg-type]
    grade.updated_at = utc_now()
    _record(
        session,
        assignment,
        submission,
        "change",
        question_id=grade.question_id,
        value=submission.value,
        previous=previous,
    )


def _skip(session: Session, assignment: Assignment, grade: Grade | None, submission: Submission) -> None:
    """Skip the item; if it was graded, the grade is withdrawn. Its slot goes to somebody else."""
    if grade is None:
        _record(session, assignment, submission, "skip")
    else:
        _record(session, assignment, submission, "withdraw", question_id=grade.question_id, previous=grade.value)
        session.delete(grade)
    assignment.state, assignment.surplus, assignment.finished_at = "skipped", False, utc_now()
    release(session, assignment)


def _flag(session: Session, study: Study, assignment: Assignment, submission: Submission) -> None:
    if study.state == "closed":
        raise Conflict("This study is closed; nothing can be flagged any more.")
    assignment.flag_note = submission.note
    _record(session, assignment, submission, "flag", note=submission.note)


def _record(
    session: Session,
    assignment: Assignment,
    submission: Submission,
    kind: str,
    *,
    note: str | None = None,
    **values: Any,
) -> None:
    details = submission.details | ({} if note is None else {"note": note})
    session.add(
        GradeEvent(
            annotator_id=assignment.annotator_id,
            item_id=assignment.item_id,
            kind=kind,
            surplus=assignment.surplus,
            submission_id=submission.submission_id,
            details=details or None,
            **values,
        )
    )
    try:
        session.flush()
    except IntegrityError as error:
        # The same id came for two items at the same moment; the other one was first.
        raise _used_twice() from error


def _replay(session: Session, assignment: Assignment, submission: Submission, earlier: GradeEvent) -> Receipt:
    same_subject = (earlier.annotator_id, earlier.item_id) == (assignment.annotator_id, assignment.item_id)
    if not same_subject or _content(earlier) != _sent(submission):
        raise _used_twice()
    return _receipt(session, assignment, submission.submission_id, replayed=True)


def _content(event: GradeEvent) -> tuple[str, object]:
    if event.kind == "flag":
        return "flag", (event.details or {}).get("note")
    return ("grade", event.value) if event.kind in ("grade", "change") else ("skip", None)


def _sent(submission: Submission) -> tuple[str, object]:
    content = {"grade": submission.value, "flag": submission.note, "skip": None}[submission.kind]
    return submission.kind, content


def _used_twice() -> Conflict:
    return Conflict(
        "This answer was stored before with another content. The first one stands.",
        remedy="Open the item again if you want to change it.",
    )


def _receipt(session: Session, assignment: Assignment, submission_id: str, *, replayed: bool) -> Receipt:
    session.flush()
    grade = grade_of(session, assignment)
    return Receipt(
        submission_id,
        revision=revision_of(session, assignment),
        value=grade.value if grade else None,
        surplus=assignment.surplus,
        replayed=replayed,
    )
