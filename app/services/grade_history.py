"""Grades and their history: each step writes the current grade and the event that made it, together."""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Conflict
from app.services.questionnaires.scales import Stored
from app.storage.models import Assignment, Grade, GradeEvent
from app.words import gettext

# Steps that change the answer; a flag stands beside it.
ANSWERS = ("grade", "change", "withdraw", "skip", "import")


def event_of(session: Session, submission_id: str) -> GradeEvent | None:
    """The first event of an earlier delivery of the same submission."""
    return session.scalar(select(GradeEvent).where(GradeEvent.submission_id == submission_id, GradeEvent.part == 0))


def used_twice() -> Conflict:
    """One submission's id came with two contents."""
    return Conflict(
        gettext("This answer was stored before with another content. The first one stands."),
        remedy=gettext("Open the item again if you want to change it."),
    )


@dataclass(slots=True)
class History:
    """The steps of one submission, numbered; the first carries ``details``."""

    session: Session
    assignment: Assignment
    submission_id: str
    details: dict[str, Any]
    parts: int = field(default=0, init=False)

    def grade(self, question_id: int, answer: Stored, version: int) -> None:
        """A first answer to a question."""
        now = utc_now()
        grade = Grade(
            annotator_id=self.assignment.annotator_id,
            item_id=self.assignment.item_id,
            question_id=question_id,
            surplus=self.assignment.surplus,
            created_at=now,
        )
        _fill(grade, answer, version)
        self.session.add(grade)
        values: dict[str, Any] = {"question_id": question_id, "value": answer.value, "text": answer.text}
        self.add("grade", questionnaire_id=version, **values)

    def change(self, grade: Grade, answer: Stored, version: int) -> None:
        """Another answer in place of an earlier one."""
        before: dict[str, Any] = {"previous": grade.value, "previous_text": grade.text}
        _fill(grade, answer, version)
        values: dict[str, Any] = {"question_id": grade.question_id, "value": answer.value, "text": answer.text}
        self.add("change", questionnaire_id=version, **values, **before)

    def withdraw(self, grade: Grade) -> None:
        """An answer is taken back."""
        self.add(
            "withdraw",
            question_id=grade.question_id,
            previous=grade.value,
            previous_text=grade.text,
            questionnaire_id=grade.questionnaire_id,
        )
        self.session.delete(grade)
        self.session.flush()

    def add(self, kind: str, *, note: str | None = None, **values: Any) -> None:
        """An event; ``used_twice`` where the same id came for two items at one moment and the other was first."""
        details = self.details | ({} if note is None else {"note": note}) if self.parts == 0 else None
        self.session.add(
            GradeEvent(
                annotator_id=self.assignment.annotator_id,
                item_id=self.assignment.item_id,
                kind=kind,
                surplus=self.assignment.surplus,
                submission_id=self.submission_id,
                part=self.parts,
                details=details,
                **values,
            )
        )
        self.parts += 1
        try:
            self.session.flush()
        except IntegrityError as error:
            raise used_twice() from error


def _fill(grade: Grade, answer: Stored, version: int) -> None:
    grade.value, grade.text, grade.questionnaire_id, grade.updated_at = answer.value, answer.text, version, utc_now()
