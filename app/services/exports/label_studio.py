"""Label Studio's JSON: a task for each item, an annotation for each person who graded or skipped it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.chunks import ItemName, item_names, problem_chunks
from app.services.exports.formats import Row, iso
from app.services.exports.grade_table import plain_number, seen_of
from app.services.exports.tables import references_of
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import ChoiceScale, scale_of
from app.storage.models import Annotator, Assignment, Grade, Item, Problem, Question, Study

SHOWN = "text"  # the object of a task's data that the answers are about
Results = list[Row]


@dataclass(slots=True)
class _Answered:
    """What one person made of one item."""

    person: Row
    created_at: datetime
    updated_at: datetime
    skipped: bool = False
    surplus: bool = False
    swapped: bool = False
    excluded: bool = False
    active_ms: int | None = None
    results: Results = field(default_factory=list)

    def as_annotation(self, number: int, task: int) -> Row:
        return {
            "id": number,
            "completed_by": self.person,
            "result": self.results,
            "was_cancelled": self.skipped,
            "ground_truth": False,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
            "lead_time": None if self.active_ms is None else self.active_ms / 1000,
            "result_count": len(self.results),
            "task": task,
            # Label Studio passes over what it doesn't know; CodeJury's import needs it.
            "surplus": self.surplus,
            "swapped": self.swapped,
            "excluded": self.excluded,
        }


def label_studio_lines(session: Session, study: Study) -> Iterator[bytes]:
    """A JSON list of tasks, one at a time."""
    yield b"["
    for number, task in enumerate(label_studio_tasks(session, study)):
        yield (b",\n" if number else b"\n") + json.dumps(task, ensure_ascii=False, allow_nan=False).encode()
    yield b"\n]\n"


def label_studio_tasks(session: Session, study: Study) -> Iterator[Row]:
    """Every item, numbered from 1 in the study's order. A pseudonym stands where Label Studio has an address."""
    reader = _Reader(session, study)
    task, annotation = 0, 0
    for problems in problem_chunks(session, study):
        names, answered = item_names(session, problems), reader.answered(problems)
        texts = references_of(session, problems)
        for item, intent, context in session.execute(_items(problems)):
            task += 1
            annotations = []
            for each in answered.get(item.id, {}).values():
                annotation += 1
                annotations.append(each.as_annotation(annotation, task))
            data = _data(item, intent, context, names[item.id])
            data["references"] = [text for text, _ in texts[item.problem_id]]
            yield {"id": task, "data": data, "annotations": annotations, "predictions": []}


class _Reader:
    """Grades and skips as annotations."""

    def __init__(self, session: Session, study: Study) -> None:
        self.session = session
        self.questions = {each.id: each for each in questions_of(session, study.id)}
        people = session.scalars(select(Annotator).where(Annotator.study_id == study.id).order_by(Annotator.id)).all()
        self.people = {
            each.id: {"id": number, "email": each.pseudonym, "first_name": "", "last_name": ""}
            for number, each in enumerate(people, start=1)
        }
        self.excluded = {each.id for each in people if each.excluded_at is not None}

    def answered(self, problems: Sequence[int]) -> dict[int, dict[int, _Answered]]:
        """By item and annotator."""
        found: dict[int, dict[int, _Answered]] = {}
        for grade, swapped in self.session.execute(_grades(problems)):
            of_item = found.setdefault(grade.item_id, {})
            new = _Answered(self.people[grade.annotator_id], grade.created_at, grade.updated_at)
            mine = of_item.setdefault(grade.annotator_id, new)
            mine.surplus, mine.swapped = grade.surplus, bool(swapped)
            mine.excluded = grade.annotator_id in self.excluded
            mine.updated_at = max(mine.updated_at, grade.updated_at)
            mine.results.append(_result(self.questions[grade.question_id], grade))
        for shown in self.session.scalars(_skipped(problems)):
            ended = shown.finished_at or shown.claimed_at
            skip = _Answered(self.people[shown.annotator_id], ended, ended, skipped=True)
            found.setdefault(shown.item_id, {}).setdefault(shown.annotator_id, skip)
        for (annotator, item), seen in seen_of(self.session, problems).items():
            if annotator in found.get(item, {}):
                found[item][annotator].active_ms = seen.active_ms
        return found


def _items(problems: Sequence[int]) -> Any:
    return (
        select(Item, Problem.intent, Problem.context)
        .join(Problem, Problem.id == Item.problem_id)
        .where(Problem.id.in_(problems))
        .order_by(Problem.position, Item.id)
    )


def _grades(problems: Sequence[int]) -> Any:
    shown = (Assignment.annotator_id == Grade.annotator_id) & (Assignment.item_id == Grade.item_id)
    return (
        select(Grade, Assignment.swapped)
        .outerjoin(Assignment, shown)
        .join(Item, Item.id == Grade.item_id)
        .join(Question, Question.id == Grade.question_id)
        .where(Item.problem_id.in_(problems))
        .order_by(Grade.item_id, Grade.annotator_id, Question.position, Question.id)
    )


def _skipped(problems: Sequence[int]) -> Any:
    return (
        select(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Item.problem_id.in_(problems), Assignment.state == "skipped")
        .order_by(Assignment.item_id, Assignment.annotator_id)
    )


def _data(item: Item, intent: str | None, context: str | None, name: ItemName) -> Row:
    return {
        "task": name.task,
        "instrument": name.instrument,
        "problem": name.problem,
        "item": name.identity,
        "role": name.role,
        "stratum": name.stratum,
        "systems": list(name.systems),
        "intent": intent,
        "context": context,
        "original": item.original,
        SHOWN: item.text,
    }


def _result(question: Question, grade: Grade) -> Row:
    kind, value = _value(question, grade)
    place = {"id": f"grade-{question.name}", "from_name": question.name, "to_name": SHOWN, "origin": "manual"}
    times = {"created_at": iso(grade.created_at), "updated_at": iso(grade.updated_at)}
    return place | {"type": kind, "value": {kind if kind != "textarea" else "text": value}} | times


def _value(question: Question, grade: Grade) -> tuple[str, Any]:
    """The type of Label Studio's control and what it holds: a rating is stars from 1, so other scales are choices."""
    if question.kind == "comment":
        return "textarea", [grade.text or ""]
    if question.kind == "labels":
        return "choices", json.loads(grade.text or "[]")
    number = plain_number(grade.value or 0.0)
    if question.kind == "number":
        return "number", number
    scale = scale_of(question)
    values = [each.value for each in scale.choices] if isinstance(scale, ChoiceScale) else []
    return ("rating", number) if values == list(range(1, len(values) + 1)) else ("choices", [f"{number}"])
