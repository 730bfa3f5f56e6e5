"""Items that need a look: short of grades, retired by skips, and those on which people differ most."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.services.counting import counting_grades, lent_items
from app.services.excerpts import first_line, in_one_line
from app.services.questionnaires.instruments import target_of
from app.storage.models import Assignment, Grade, Instrument, Item, Problem, Question, Study
from app.storage.prepared import constant

MOST_LISTED = 100
# Questions whose answers can lie apart; of comments each is another.
COMPARED = ("choice", "number", "labels")


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item in a list. ``title``: a line of what was asked for, then ``text`` of the item; or of the item."""

    id: int
    problem: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ShortItem:
    """An item that lacks grades. ``claims``: people who are at it now, whose grades are still missing."""

    item: ListedItem
    grades: int
    claims: int
    missing: int


@dataclass(frozen=True, slots=True)
class SpreadItem:
    """An item on which people differ. Of labels there is no deviation: ``answers`` counts the different ones."""

    item: ListedItem
    grades: int
    answers: int
    deviation: float | None
    lowest: float | None
    highest: float | None


class _Spread(NamedTuple):
    item: int
    grades: int
    answers: int
    deviation: float | None = None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class RetiredItem:
    """An item that too many people skipped."""

    item: ListedItem
    skips: int
    retired_at: datetime
    reasons: tuple[str, ...]


def short_items(session: Session, study: Study, instrument: Instrument) -> list[ShortItem]:
    """Those with the fewest grades first, MOST_LISTED at most."""
    target = target_of(study, instrument)
    claims = _claims(session, instrument)
    wanted = (
        *(Item.instrument_id == instrument.id, Item.role == "main", Item.gradable, Item.retired_at.is_(None)),
        Item.id.not_in(lent_items([instrument.id])),
    )
    loads = dict(session.execute(select(Item.id, Item.load).where(*wanted, Item.id.in_(claims))).all())
    for is_reference in (False, True):
        # Each is a range of ix_items_next, read from its start.
        rows = select(Item.id, Item.load).where(*wanted, Item.is_reference == is_reference, Item.load < target)
        loads |= dict(session.execute(rows.order_by(Item.load, Item.shuffle).limit(MOST_LISTED)).all())
    grades = {item: load - claims.get(item, 0) for item, load in loads.items()}
    short = sorted((item for item in grades if grades[item] < target), key=lambda item: grades[item])[:MOST_LISTED]
    items = _items(session, short)
    return [ShortItem(items[each], grades[each], claims.get(each, 0), target - grades[each]) for each in short]


def _claims(session: Session, instrument: Instrument) -> dict[int, int]:
    """Open claims by item: an item's load counts them like grades."""
    rows = (
        select(Assignment.item_id, func.count())
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.state == constant("claimed"), Item.instrument_id == instrument.id)
        .group_by(Assignment.item_id)
    )
    return dict(session.execute(rows).all())


def widest_disagreement(session: Session, question: Question) -> list[SpreadItem]:
    """Items with at least two answers that count, the widest apart first, MOST_LISTED at most."""
    widest = _widest_labels if question.kind == "labels" else _widest_numbers
    found = widest(session, question)
    items = _items(session, [each.item for each in found])
    return [
        SpreadItem(items[each.item], each.grades, each.answers, each.deviation, each.lowest, each.highest)
        for each in found
    ]


def _widest_numbers(session: Session, question: Question) -> list[_Spread]:
    """One pass over the question's index of grades; different answers are counted only of what is listed."""
    variance = func.avg(Grade.value * Grade.value) - func.avg(Grade.value) * func.avg(Grade.value)
    lowest, highest = func.min(Grade.value), func.max(Grade.value)
    counted = [*counting_grades(question), Grade.value.is_not(None)]
    rows = session.execute(
        select(Grade.item_id, func.count(), variance, lowest, highest)
        .where(*counted)
        .group_by(Grade.item_id)
        .having(func.count() > 1, lowest < highest)
        .order_by(variance.desc(), func.count().desc(), Grade.item_id)
        .limit(MOST_LISTED)
    ).all()
    answers = select(Grade.item_id, func.count(func.distinct(Grade.value))).where(*counted)
    of_listed = answers.where(Grade.item_id.in_([item for item, *_ in rows])).group_by(Grade.item_id)
    different = dict(session.execute(of_listed).all())
    return [
        _Spread(item, grades, different[item], math.sqrt(max(0.0, spread or 0.0)), least, most)
        for item, grades, spread, least, most in rows
    ]


def _widest_labels(session: Session, question: Question) -> list[_Spread]:
    answers = func.count(func.distinct(Grade.text))
    rows = session.execute(
        select(Grade.item_id, func.count(), answers)
        .where(*counting_grades(question), Grade.text.is_not(None))
        .group_by(Grade.item_id)
        .having(func.count() > 1, answers > 1)
        .order_by(answers.desc(), func.count().desc(), Grade.item_id)
        .limit(MOST_LISTED)
    ).all()
    return [_Spread(item, grades, different) for item, grades, different in rows]


def retired_items(session: Session, study: Study) -> list[RetiredItem]:
    """The latest first, MOST_LISTED at most, each with what people gave as reasons."""
    rows = session.execute(
        select(Item.id, Item.skips, Item.retired_at)
        .where(Item.study_id == study.id, Item.retired_at.is_not(None))
        .order_by(Item.retired_at.desc(), Item.id)
        .limit(MOST_LISTED)
    ).all()
    ids = [item for item, *_ in rows]
    items = _items(session, ids)
    reasons: dict[int, list[str]] = {}
    skipped = select(Assignment.item_id, Assignment.skip_reason).where(Assignment.item_id.in_(ids))
    for item, reason in session.execute(skipped.where(Assignment.state == "skipped").order_by(Assignment.id)):
        if reason:
            reasons.setdefault(item, []).append(reason)
    return [
        RetiredItem(items[item], skips, at, tuple(reasons.get(item, ())))
        for item, skips, at in rows
        if at is not None
    ]


def _items(session: Session, ids: list[int]) -> dict[int, ListedItem]:
    rows = session.execute(
        select(Item.id, Problem.key, Problem.intent, Item.text)
        .join(Problem, Problem.id == Item.problem_id)
        .where(Item.id.in_(ids))
    )
    return {row[0]: _listed(*row) for row in rows}


def _listed(item: int, problem: str, intent: str | None, text: str) -> ListedItem:
    return ListedItem(item, problem, first_line(intent or text), in_one_line(text) if intent else "")
