"""The items that an annotator could get next, fewest grades first, in an order that follows from the seed."""

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Integer, Select, String, bindparam, false, func, or_, select, true
from sqlalchemy.orm import aliased

from app.services.claims import Quest
from app.services.counting import COPIED
from app.services.sitting import Sitting
from app.storage.models import Assignment, Item
from app.storage.prepared import constant, run_plain

# How many of the next items are looked at to keep outputs of one problem apart.
LOOK_AHEAD = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that the annotator could get."""

    item_id: int
    problem_id: int
    shuffle: int = 0


def candidates(quest: Quest) -> list[Candidate]:
    """The next items for this annotator: of each kind those with the fewest holders, mixed by the study's order.

    Outputs and references are ranked by load apart: where grades were imported, only references have none, and would
    otherwise all come first, so that people soon knew which they are.
    """
    start = quest.annotator.order_seed
    lowest = run_plain(quest.session, _LOWEST, {"instrument_id": quest.instrument.id}).one()
    kinds = [
        _of_kind(quest, load, references=references)
        for references, load in zip((False, True), lowest, strict=True)
        if load is not None
    ]
    # The order begins at the person's own place and goes round.
    mixed = heapq.merge(*kinds, key=lambda each: (each[0], each[1].shuffle < start, each[1].shuffle, each[1].item_id))
    return [candidate for _, candidate in islice(mixed, LOOK_AHEAD)]


def count_free(quest: Quest, most: int) -> int:
    """How many items the annotator could still get, or get again, counted up to ``most``."""
    values = {
        "instrument_id": quest.instrument.id,
        "annotator_id": quest.annotator.id,
        "limit": quest.limit,
        "closed": list(quest.closed),
        "most": most,
    }
    return quest.session.scalar(_FREE, values) or 0


def closed_strata(sitting: Sitting) -> frozenset[str]:
    """Strata whose items have, or are about to get, as many grades as their quota allows."""
    quotas = sitting.options.quotas
    if not quotas:
        return frozenset()
    held = dict(
        sitting.session.execute(
            select(Item.stratum, func.sum(Item.load))
            .where(Item.study_id == sitting.study.id, Item.role == "main", Item.stratum.in_(quotas))
            .group_by(Item.stratum)
        ).all()
    )
    return frozenset(stratum for stratum, most in quotas.items() if held.get(stratum, 0) >= most)


def arrange(found: list[Candidate], last_problem: int | None, *, complete: bool) -> list[Candidate]:
    """The candidates in order of preference, so that one problem is never shown twice in a row if avoidable.

    When these are all that is left and more than half belong to one problem, that problem must come now: otherwise
    its outputs would end up beside each other.
    """
    counts = Counter(candidate.problem_id for candidate in found)
    crowded = {problem for problem, count in counts.items() if complete and count > len(found) // 2}

    def rank(candidate: Candidate) -> int:
        if candidate.problem_id == last_problem:
            return 2
        return 0 if candidate.problem_id in crowded else 1

    return sorted(found, key=rank)


def _of_kind(quest: Quest, lowest: int, *, references: bool) -> list[tuple[int, Candidate]]:
    """Items of one kind in order, each with its rank: how many levels of load lie below."""
    values = {
        "instrument_id": quest.instrument.id,
        "annotator_id": quest.annotator.id,
        "start": quest.annotator.order_seed,
        "closed": list(quest.closed),
    }
    found: list[tuple[int, Candidate]] = []
    rank = 0
    for load in range(lowest, quest.limit):
        before = len(found)
        for side in _SIDES[references]:
            rows = run_plain(quest.session, side, values | {"level": load})
            found += [(rank, Candidate(*row)) for row in rows]
            if len(found) >= LOOK_AHEAD:
                return found[:LOOK_AHEAD]
        rank += len(found) > before
    return found


# Statements that each grade asks, put together once. They read ranges of ix_items_next from their start, however big
# the study; of the lowest level of each kind only its first entry.
_MAIN = (Item.instrument_id == bindparam("instrument_id"), Item.role == constant("main"))
_LOWEST = select(
    *(
        select(func.min(Item.load)).where(*_MAIN, Item.is_reference == kind).scalar_subquery()
        for kind in (false(), true())
    )
)
_KNOWN = (
    select(Assignment.id)
    .where(Assignment.item_id == Item.id, Assignment.annotator_id == bindparam("annotator_id"))
    .correlate(Item)
    .exists()
)
_COPY = aliased(Item)
# Main items that are in use as practice or checks (see app.services.counting), and those of which the annotator saw a
# copy before it was removed. From the few checks, not from all that the person has done.
USED_AS_CHECK = select(_COPY.repeats_id).where(
    _COPY.instrument_id == bindparam("instrument_id"),
    _COPY.role.in_([constant(role) for role in COPIED]),
    _COPY.repeats_id.is_not(None),
    or_(
        _COPY.gradable,
        select(Assignment.id)
        .where(Assignment.item_id == _COPY.id, Assignment.annotator_id == bindparam("annotator_id"))
        .correlate(_COPY)
        .exists(),
    ),
)
# What is handed out is what is counted as still to come.
_OPEN = (
    Item.gradable,
    Item.retired_at.is_(None),
    Item.stratum.not_in(bindparam("closed", type_=String, expanding=True)),
    Item.id.not_in(USED_AS_CHECK),
)
_NEXT = (
    select(Item.id, Item.problem_id, Item.shuffle)
    .where(*_MAIN, Item.load == bindparam("level"), *_OPEN, ~_KNOWN)
    .order_by(Item.shuffle, Item.id)
    .limit(constant(LOOK_AHEAD))
)


def _sides(next_ones: Select[int, int, int]) -> tuple[Select[int, int, int], ...]:
    """What lies behind the person's own place, then what lies before it."""
    return next_ones.where(Item.shuffle >= bindparam("start")), next_ones.where(Item.shuffle < bindparam("start"))


_SIDES = {
    False: _sides(_NEXT.where(Item.is_reference == false())),
    True: _sides(_NEXT.where(Item.is_reference == true())),
}
_HELD_OR_DONE = select(Assignment.item_id).where(
    Assignment.annotator_id == bindparam("annotator_id"), Assignment.state != "lapsed"
)
_FREE = select(func.count()).select_from(
    select(Item.id)
    # Both kinds are named, so that ix_items_next leads straight to the items with a free slot.
    .where(*_MAIN, Item.is_reference.in_((False, True)), Item.load < bindparam("limit"))
    .where(*_OPEN, Item.id.not_in(_HELD_OR_DONE))
    .limit(bindparam("most", type_=Integer))
    .subquery()
)
