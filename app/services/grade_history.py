"""Grades and their history: each step writes the current grade and the event that made it, together."""

from dataclasses import dataclass, field
from typing import Any, cast

from sqlalchemy import Table, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import set_committed_value

from app.clock import utc_now
from app.errors import Conflict
from app.services.questionnaires.scales import Stored
from app.storage.models import Assignment, Grade, GradeEvent
from app.storage.together import Together
from app.words import gettext

# Steps that change the answer; a flag stands beside it.
ANSWERS = ("grade", "change", "withdraw", "skip", "import")


# Each grade asks for these, so they are put together once. New rows go in by the table: nothing reads them again.
_ASSIGNMENTS, _GRADES = cast("Table", Assignment.__table__), cast("Table", Grade.__table__)
_EVENTS = cast("Table", GradeEvent.__table__)
_NEW_GRADE = insert(_GRADES)
_NEW_EVENT = insert(_EVENTS)
_FIRST_EVENT = select(GradeEvent).where(GradeEvent.submission_id == bindparam("submission_id"), GradeEvent.part == 0)

# The commonest step of all. What grade and event share is bound once; "first_" keeps the names apart from columns.
_SAME = ("annotator_id", "item_id", "surplus", "question_id", "value", "text", "questionnaire_id", "created_at")
_SHARED: dict[str, Any] = {name: bindparam(f"first_{name}") for name in _SAME}
_FIRST_GRADE = Together(
    update(_ASSIGNMENTS)
    .where(_ASSIGNMENTS.c.id == bindparam("first_assignment_id"))
    .values(state="graded", finished_at=_SHARED["created_at"]),
    insert(_GRADES).values(_SHARED | {"updated_at": _SHARED["created_at"]}).inline(),
    insert(_EVENTS)
    .values(_SHARED | {name: bindparam(f"first_{name}") for name in ("submission_id", "details")})
    .values(kind="grade", part=0)
    .inline(),
)


def event_of(session: Session, submission_id: str) -> GradeEvent | None:
    """The first event of an earlier delivery of the same submission."""
    return session.scalar(_FIRST_EVENT, {"submission_id": submission_id})


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

    def first_grade(self, question_id: int, answer: Stored, version: int) -> None:
        """The first and only answer to an item, which finishes its assignment: all of it in one trip."""
        now = utc_now()
        values = self._subject | _values(question_id, answer, version) | {"created_at": now}
        values |= {"submission_id": self.submission_id, "details": self.details}
        values |= {"assignment_id": self.assignment.id}
        try:
            _FIRST_GRADE.run(self.session, {f"first_{name}": value for name, value in values.items()})
        except IntegrityError as error:
            raise used_twice() from error
        set_committed_value(self.assignment, "state", "graded")
        set_committed_value(self.assignment, "finished_at", now)
        self.parts += 1

    def grade(self, question_id: int, answer: Stored, version: int) -> None:
        """A first answer to a question."""
        now = utc_now()
        values = _values(question_id, answer, version)
        grade = self._subject | values | {"created_at": now, "updated_at": now}
        self.session.execute(_NEW_GRADE, grade)
        self.add("grade", **values)

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
        event = {"kind": kind, "submission_id": self.submission_id, "part": self.parts, "details": details}
        try:
            self.session.execute(_NEW_EVENT, self._subject | event | values)
        except IntegrityError as error:
            raise used_twice() from error
        self.parts += 1

    @property
    def _subject(self) -> dict[str, Any]:
        return {
            "annotator_id": self.assignment.annotator_id,
            "item_id": self.assignment.item_id,
            "surplus": self.assignment.surplus,
        }


def _values(question_id: int, answer: Stored, version: int) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "value": answer.value,
        "text": answer.text,
        "questionnaire_id": version,
    }


def _fill(grade: Grade, answer: Stored, version: int) -> None:
    grade.value, grade.text, grade.questionnaire_id, grade.updated_at = answer.value, answer.text, version, utc_now()
