"""The long table: one row per current grade, scalars only; the first columns are what crowd-kit reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row as Fetched
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.chunks import ItemName, item_names, problem_chunks
from app.services.exports.formats import Row, iso
from app.storage.models import (
    Annotator,
    Assignment,
    FormVersion,
    Grade,
    GradeEvent,
    Item,
    Problem,
    Question,
    Study,
)

# Column -> its type in Parquet. ``label``: the answer as a number; ``text``: a comment, or the chosen labels as JSON.
GRADE_COLUMNS: dict[str, str] = {
    "task": "string",
    "worker": "string",
    "label": "double",
    "text": "string",
    "question": "string",
    "instrument": "string",
    "kind": "string",
    "role": "string",
    "problem": "string",
    "system": "string",
    "systems": "string",
    "is_reference": "bool",
    "stratum": "string",
    "transformation": "string",
    "variant_seed": "int64",
    "item": "string",
    "repeats": "string",
    "position": "int64",
    "swapped": "bool",
    "surplus": "bool",
    "excluded": "bool",
    "skipped": "bool",
    "reason": "string",
    "started_at": "time",
    "submitted_at": "time",
    "updated_at": "time",
    "active_ms": "int64",
    "first_key_ms": "int64",
    "changes": "int64",
    "questionnaire": "int64",
    "seed": "int64",
}
# Steps that tell of an annotator at an item. A flag is none: the answer that follows holds its time.
STEPS = ("grade", "change", "withdraw", "skip")


def grade_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every current grade, in the order of the problems, items, annotators and questions."""
    for problems in problem_chunks(session, study):
        names, seen = item_names(session, problems), seen_of(session, problems)
        for grade in session.execute(_grades(problems)):
            yield _grade_row(study, grade, names[grade.item_id], seen.get((grade.annotator_id, grade.item_id)))


def skip_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every item that an annotator skipped, as a row without an answer."""
    for problems in problem_chunks(session, study):
        names, seen = item_names(session, problems), seen_of(session, problems)
        for skip in session.execute(_skips(problems)):
            yield _skip_row(study, skip, names[skip.item_id], seen.get((skip.annotator_id, skip.item_id)))


def plain_number(value: float) -> float | int:
    """3.0 as 3: a grade reads as people gave it."""
    return int(value) if value.is_integer() else value


@dataclass(slots=True)
class Seen:
    """What the history tells of an annotator at an item."""

    active_ms: int | None = None
    first_key_ms: int | None = None
    noted: int = 0  # changes of mind that the browser saw before they were sent
    changes: dict[int, int] = field(default_factory=dict)  # by question: answers given anew

    def add(self, kind: str, question: int | None, details: dict[str, Any] | None, active: float | None) -> None:
        details = details or {}
        if active is not None:
            self.active_ms = (self.active_ms or 0) + round(active)
        if self.first_key_ms is None:
            self.first_key_ms = _count(details.get("first_key_ms"))
        self.noted += _count(details.get("changes")) or 0
        if kind != "grade" and question is not None:
            self.changes[question] = self.changes.get(question, 0) + 1

    def changes_of(self, question: int | None) -> int:
        """Changes of mind about a question, those before sending included."""
        return self.noted + (self.changes.get(question, 0) if question else 0)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def seen_of(session: Session, problems: Sequence[int]) -> dict[tuple[int, int], Seen]:
    """What the history tells, by annotator and item."""
    # By way of what was shown to whom: the history's index begins with the annotator, and a scan of all of it for
    # each few problems would make an export's time grow with the square of its size.
    shown = (Assignment.annotator_id == GradeEvent.annotator_id) & (Assignment.item_id == GradeEvent.item_id)
    rows = session.execute(
        select(GradeEvent.annotator_id, GradeEvent.item_id, GradeEvent.kind, GradeEvent.question_id)
        .add_columns(GradeEvent.details, GradeEvent.active_ms)
        .join(Assignment, shown)
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.problem_id.in_(problems), GradeEvent.kind.in_(STEPS))
        .order_by(GradeEvent.id)
    )
    seen: dict[tuple[int, int], Seen] = {}
    for annotator, item, *step in rows:
        seen.setdefault((annotator, item), Seen()).add(*step)
    return seen


def _grades(problems: Sequence[int]) -> Any:
    shown = (Assignment.annotator_id == Grade.annotator_id) & (Assignment.item_id == Grade.item_id)
    return (
        select(Grade.item_id, Grade.annotator_id, Grade.question_id, Grade.value, Grade.text, Grade.surplus)
        .add_columns(Grade.created_at, Grade.updated_at, Annotator.pseudonym, Annotator.excluded_at)
        .add_columns(Question.name.label("question"), Question.kind, FormVersion.number)
        .add_columns(Assignment.position, Assignment.swapped, Assignment.claimed_at)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .join(Question, Question.id == Grade.question_id)
        .outerjoin(FormVersion, FormVersion.id == Grade.questionnaire_id)
        .outerjoin(Assignment, shown)
        .where(Item.problem_id.in_(problems))
        .order_by(Problem.position, Item.id, Annotator.id, Question.position, Question.id)
    )


def _skips(problems: Sequence[int]) -> Any:
    return (
        select(Assignment.item_id, Assignment.annotator_id, Assignment.position, Assignment.swapped)
        .add_columns(Assignment.skip_reason, Assignment.claimed_at, Assignment.finished_at)
        .add_columns(Annotator.pseudonym, Annotator.excluded_at)
        .join(Item, Item.id == Assignment.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .where(Item.problem_id.in_(problems), Assignment.state == "skipped")
        .order_by(Problem.position, Item.id, Annotator.id)
    )


def _grade_row(study: Study, grade: Fetched[Any], name: ItemName, seen: Seen | None) -> Row:
    return {
        "task": name.task,
        "worker": grade.pseudonym,
        "label": None if grade.value is None else plain_number(grade.value),
        "text": grade.text,
        "question": grade.question,
        **_about_item(name, grade.kind),
        "position": grade.position,
        "swapped": bool(grade.swapped),
        "surplus": grade.surplus,
        "excluded": grade.excluded_at is not None,
        "skipped": False,
        "reason": None,
        "started_at": iso(grade.claimed_at),
        "submitted_at": iso(grade.created_at),
        "updated_at": iso(grade.updated_at),
        **_about_time(seen, grade.question_id),
        "questionnaire": grade.number,
        "seed": study.seed,
    }


def _skip_row(study: Study, skip: Fetched[Any], name: ItemName, seen: Seen | None) -> Row:
    return {
        "task": name.task,
        "worker": skip.pseudonym,
        "label": None,
        "text": None,
        "question": None,
        **_about_item(name, None),
        "position": skip.position,
        "swapped": skip.swapped,
        "surplus": False,
        "excluded": skip.excluded_at is not None,
        "skipped": True,
        "reason": skip.skip_reason,
        "started_at": iso(skip.claimed_at),
        "submitted_at": iso(skip.finished_at or skip.claimed_at),
        "updated_at": iso(skip.finished_at or skip.claimed_at),
        **_about_time(seen, None),
        "questionnaire": None,
        "seed": study.seed,
    }


def _about_item(name: ItemName, kind: str | None) -> Row:
    return {
        "instrument": name.instrument,
        "kind": kind,
        "role": name.role,
        "problem": name.problem,
        "system": name.system,
        "systems": "|".join(system.replace("|", r"\|") for system in name.systems),
        # An output that reads like a reference is an output: analyses count it, and so must whoever reads the file.
        "is_reference": name.reference is not None and not name.systems,
        "stratum": name.stratum,
        "transformation": name.transformation,
        "variant_seed": name.seed,
        "item": name.identity,
        "repeats": name.repeats,
    }


def _about_time(seen: Seen | None, question: int | None) -> Row:
    seen = seen or Seen()
    return {
        "active_ms": seen.active_ms,
        "first_key_ms": seen.first_key_ms,
        "changes": seen.changes_of(question),
    }
