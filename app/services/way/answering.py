"""Take an answer as grading does, and the steps on the way that it leads to."""

from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict
from app.services.grading import Receipt, Submission, take
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given, as_given
from app.services.sitting import Sitting
from app.services.way.expected import all_right
from app.services.way.practice import judge
from app.services.way.walk import move
from app.storage.models import Annotator, Assignment, GradeEvent, Item, Question
from app.words import gettext

# What the page does next, beside going on: tell how the answer was, or show where the person stands now.
Then = Literal["", "told", "moved"]
TOLD = ("practice", "loud")  # roles that say afterwards what was right
CHECKED = ("loud", "silent")


def submit(sitting: Sitting, submission: Submission) -> tuple[Receipt, Then]:
    """Store the submission of an annotator who is held, and see what follows from it, in one transaction."""
    assignment, item = sitting.assignment(submission.assignment)
    role = item.role
    if submission.kind == "flag" or role == "main":
        return take(sitting, assignment, item, submission), ""
    was_answered = assignment.state in ("graded", "skipped")
    receipt = take(sitting, assignment, item, submission)
    if not receipt.replayed:
        if was_answered and role in TOLD:
            raise Conflict(gettext("The right answer was told already, so this one stands as it is."))
        _follow(sitting, role)
    return receipt, _then(sitting.annotator, role)


def _follow(sitting: Sitting, role: str) -> None:
    session, study, annotator = sitting.session, sitting.study, sitting.annotator
    session.flush()
    if role == "practice":
        if annotator.stage == "practice":
            judge(session, study, annotator)
    elif role in CHECKED and annotator.stage in ("grading", "closing"):
        most = sitting.options.checks.most_failed
        if most and count_failed(session, annotator) >= most:
            move(session, study, annotator, "failed checks")


def _then(annotator: Annotator, role: str) -> Then:
    if role in TOLD:
        return "told"
    return "moved" if annotator.stage == "failed" else ""


def count_failed(session: Session, annotator: Annotator) -> int:
    """How many checks the annotator got wrong at first; what was changed after being told doesn't count."""
    return sum(not right for right in checks_of(session, annotator).values())


def checks_of(session: Session, annotator: Annotator) -> dict[int, bool]:
    """Each loud or silent check that the annotator answered, by item: whether the first answer was right."""
    items = {
        item.id: item
        for item in session.scalars(
            select(Item)
            .join(Assignment, Assignment.item_id == Item.id)
            .where(Assignment.annotator_id == annotator.id, Item.role.in_(CHECKED))
        )
    }
    first = _first_answers(session, annotator, list(items))
    return {
        item_id: all_right(
            questions_of(session, items[item_id].study_id, items[item_id].instrument_id),
            items[item_id].expected or {"answers": {}},
            answers,
        )
        for item_id, answers in first.items()
    }


def _first_answers(session: Session, annotator: Annotator, item_ids: list[int]) -> dict[int, dict[str, Given]]:
    rows = session.execute(
        select(GradeEvent, Question)
        .join(Question, Question.id == GradeEvent.question_id)
        .where(GradeEvent.annotator_id == annotator.id, GradeEvent.item_id.in_(item_ids))
        .where(GradeEvent.kind == "grade")
        .order_by(GradeEvent.id)
    )
    found: dict[int, dict[str, Given]] = {}
    for event, question in rows:
        given = as_given(question, event.value, event.text)
        if given is not None:
            found.setdefault(event.item_id, {}).setdefault(question.name, given)
    return found
