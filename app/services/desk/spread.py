"""One item with everything that people answered to it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from app.errors import NotFound
from app.services.questionnaires.instruments import questions_of
from app.services.questionnaires.scales import Given, as_given
from app.storage.models import (
    Annotator,
    Assignment,
    Grade,
    GradeEvent,
    Instrument,
    Item,
    Output,
    Problem,
    Question,
    Study,
    System,
    Variant,
)
from app.words import gettext


@dataclass(slots=True)
class AnswerOf:
    """What one annotator did with the item. ``changes``: how often an answer was changed or taken back."""

    annotator: Annotator
    assignment: Assignment
    answers: dict[str, Given] = field(default_factory=dict)
    changes: int = 0
    first_at: datetime | None = None
    active_ms: float | None = None

    @property
    def counts(self) -> bool:
        """Whether the answers count in results."""
        return self.annotator.excluded_at is None and not self.assignment.surplus


@dataclass(frozen=True, slots=True)
class ItemSpread:
    """The item, who wrote it, and all answers. ``transformation``: of a changed text."""

    item: Item
    problem: Problem
    instrument: Instrument
    systems: tuple[str, ...]
    transformation: str | None
    questions: list[Question]
    people: list[AnswerOf]

    def counted(self, question: Question) -> list[tuple[str, int]]:
        """Each different answer that counts, in words, with how often it was given; in order of the answers."""
        given = [each.answers.get(question.name) for each in self.people if each.counts]
        counts = Counter(each for each in map(in_words, given) if each)
        order = {in_words(each): each for each in given if isinstance(each, int | float)}
        return sorted(counts.items(), key=lambda each: (order.get(each[0], 0.0), each[0]))


def in_words(answer: Given | None) -> str:
    """An answer as a page shows it; empty where there is none."""
    if isinstance(answer, int | float):
        return f"{answer:g}"
    if isinstance(answer, list):
        return ", ".join(answer) or gettext("none of the labels")
    return answer or ""


def spread_of(session: Session, study: Study, item_id: int) -> ItemSpread:
    """The study's item of that number with its answers, by annotator."""
    item = session.get(Item, item_id)
    if item is None or item.study_id != study.id:
        raise NotFound(gettext("There is no such item."))
    questions = questions_of(session, study.id, item.instrument_id)
    people = _people(session, item)
    _add_answers(session, item, questions, people)
    _add_history(session, item, people)
    systems = select(System.name).join(Output, Output.system_id == System.id).where(Output.item_id == item.id)
    return ItemSpread(
        item,
        session.get_one(Problem, item.problem_id),
        session.get_one(Instrument, item.instrument_id),
        tuple(session.scalars(systems.order_by(System.position))),
        session.scalar(select(Variant.transformation).where(Variant.id == item.variant_id)),
        questions,
        list(people.values()),
    )


def _people(session: Session, item: Item) -> dict[int, AnswerOf]:
    rows = session.execute(
        select(Annotator, Assignment)
        .join(Assignment, Assignment.annotator_id == Annotator.id)
        .where(Assignment.item_id == item.id, Assignment.state.in_(("graded", "skipped")))
        .order_by(Annotator.id)
    )
    return {annotator.id: AnswerOf(annotator, assignment) for annotator, assignment in rows}


def _add_answers(session: Session, item: Item, questions: list[Question], people: dict[int, AnswerOf]) -> None:
    known = {question.id: question for question in questions}
    for grade in session.scalars(select(Grade).where(Grade.item_id == item.id)):
        answer = as_given(known[grade.question_id], grade.value, grade.text)
        if grade.annotator_id in people and answer is not None:
            people[grade.annotator_id].answers[known[grade.question_id].name] = answer


def _add_history(session: Session, item: Item, people: dict[int, AnswerOf]) -> None:
    # By annotator, as the index of the history wants it.
    mine = GradeEvent.annotator_id.in_(people), GradeEvent.item_id == item.id, GradeEvent.part == 0
    events = select(GradeEvent).options(undefer(GradeEvent.active_ms)).where(*mine)
    for event in session.scalars(events.order_by(GradeEvent.id)):
        person = people[event.annotator_id]
        person.first_at = person.first_at or event.created_at
        person.changes += event.kind in ("change", "withdraw")
        if event.active_ms is not None:
            person.active_ms = (person.active_ms or 0) + event.active_ms
