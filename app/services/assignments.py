"""Who grades what next: claim an item for an annotator, fewest grades first, in an order that follows from the seed.

Each transaction waits for at most one item's row while it holds no other, and always locks the study (where it has
quotas), then the annotator, then items, so that no two transactions can wait for each other.
"""

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Busy
from app.services.claims import Quest, add_claim, claim_again, claimed, lock_annotator, raise_load, release, renew
from app.services.questionnaires.instruments import instruments_of
from app.services.runs.periodic import periodic
from app.services.study_options import options_of
from app.services.way.check_items import claim_check, shown_as_check
from app.services.way.gate import Gate
from app.services.way.practice import next_practice
from app.storage.models import Annotator, Assignment, Instrument, Item, Study
from app.words import gettext

# The item on the page and the one after it, so that the next is there before it is needed.
CLAIMS_AT_ONCE = 2
# How many of the next items are looked at to keep outputs of one problem apart.
LOOK_AHEAD = 64
# Each round is lost to somebody else's success, so this many in a row mean that something is stuck.
ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that the annotator could get."""

    item_id: int
    problem_id: int
    shuffle: int = 0


def upcoming(session: Session, annotator_id: int) -> list[Assignment]:
    """The annotator's open items in order, claiming what is missing; empty when there is nothing to do now.

    Asking twice gives the same items. In a study that isn't open, only what was claimed before is given. Whoever has
    read the instructions, or is done, moves on along the way.
    """
    study = _study_of(session, annotator_id)
    gate = Gate(session, study, lock_annotator(session, annotator_id))
    if gate.annotator.excluded_at is not None or not gate.lets_in():
        return []
    if gate.annotator.stage == "practice":
        return next_practice(session, study, gate.annotator)
    mine = claimed(session, gate.annotator)
    renew(mine, study)
    if study.state == "open":
        _fill(session, study, gate.annotator, mine, most=min(CLAIMS_AT_ONCE, gate.room()))
        gate.leave(found=bool(mine))
    return mine


def _study_of(session: Session, annotator_id: int) -> Study:
    """The annotator's study; one with quotas is held, so that two claims can't both take the last place."""
    study = session.scalars(
        select(Study).join(Annotator, Annotator.study_id == Study.id).where(Annotator.id == annotator_id)
    ).one()
    if options_of(study).quotas:
        session.refresh(study, with_for_update={"key_share": True})
    return study


@periodic(every=timedelta(seconds=30))
def lapse_claims(session: Session, *, study_id: int | None = None) -> int:
    """Give unused claims whose time is over back to everyone; returns how many. For the sweeper."""
    statement = (
        select(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.state == "claimed", Assignment.lease_until < utc_now())
        .order_by(Assignment.item_id)  # the same order for everyone who locks several items
        .with_for_update(of=Assignment, skip_locked=True, key_share=True)
    )
    if study_id is not None:
        statement = statement.where(Item.study_id == study_id)
    lapsed = session.scalars(statement.execution_options(populate_existing=True)).all()
    for assignment in lapsed:
        assignment.state = "lapsed"
        release(session, assignment)
    return len(lapsed)


def arrange(candidates: list[Candidate], last_problem: int | None, *, complete: bool) -> list[Candidate]:
    """The candidates in order of preference, so that one problem is never shown twice in a row if avoidable.

    When these are all that is left and more than half belong to one problem, that problem must come now: otherwise
    its outputs would end up beside each other.
    """
    counts = Counter(candidate.problem_id for candidate in candidates)
    crowded = {problem for problem, count in counts.items() if complete and count > len(candidates) // 2}

    def rank(candidate: Candidate) -> int:
        if candidate.problem_id == last_problem:
            return 2
        return 0 if candidate.problem_id in crowded else 1

    return sorted(candidates, key=rank)


def _fill(session: Session, study: Study, annotator: Annotator, mine: list[Assignment], *, most: int) -> None:
    """One instrument after the other: the next one begins when nothing of those before is left for this person."""
    closed = _closed_strata(session, study)
    for instrument in instruments_of(session, study.id):
        quest = Quest(session, study, instrument, annotator, closed)
        if mine and not _is_of(session, mine[-1], instrument):
            continue
        _fill_from(quest, mine, most)
        if mine:
            return


def _closed_strata(session: Session, study: Study) -> frozenset[str]:
    """Strata whose items have, or are about to get, as many grades as their quota allows."""
    quotas = options_of(study).quotas
    if not quotas:
        return frozenset()
    held = dict(
        session.execute(
            select(Item.stratum, func.sum(Item.load))
            .where(Item.study_id == study.id, Item.role == "main", Item.stratum.in_(quotas))
            .group_by(Item.stratum)
        ).all()
    )
    return frozenset(stratum for stratum, most in quotas.items() if held.get(stratum, 0) >= most)


def _is_of(session: Session, claim: Assignment, instrument: Instrument) -> bool:
    return session.get_one(Item, claim.item_id).instrument_id == instrument.id


def _fill_from(quest: Quest, mine: list[Assignment], most: int) -> None:
    may_wait = True
    while len(mine) < most:
        claim = _revive(quest) if may_wait else None
        claim = claim or _claim_new(quest, may_wait=may_wait)
        if claim is None and may_wait and not mine and lapse_claims(quest.session, study_id=quest.study.id):
            claim = _claim_new(quest, may_wait=False)
        if claim is None:
            return
        mine.append(claim)
        may_wait = False  # an item is held now: waiting for another one could become a circle


def _revive(quest: Quest) -> Assignment | None:
    """An item that lapsed under this annotator, if it still has room: it is theirs before anything new."""
    statement = (
        select(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.annotator_id == quest.annotator.id, Assignment.state == "lapsed")
        .where(Item.instrument_id == quest.instrument.id, Item.load < quest.limit, Item.gradable)
        .where(Item.role != "practice", Item.retired_at.is_(None), Item.stratum.not_in(quest.closed))
        .order_by(Assignment.position)
        .limit(1)
        .with_for_update(of=Assignment, key_share=True)
    )
    assignment = quest.session.scalar(statement)
    return assignment if assignment is not None and claim_again(quest, assignment) else None


def _claim_new(quest: Quest, *, may_wait: bool) -> Assignment | None:
    last_problem = _last_problem(quest.session, quest.annotator)
    for _ in range(ROUNDS):
        candidates = _candidates(quest)
        if not candidates:
            return None
        check = claim_check(quest)
        if check is not None:
            return check
        preferred = arrange(candidates, last_problem, complete=len(candidates) < LOOK_AHEAD)
        taken = _take_first(quest.session, preferred, quest.limit, may_wait=may_wait)
        if taken is not None:
            return add_claim(quest, taken)
        if not may_wait:
            return None
    raise Busy(
        gettext("Too many people ask for the same items at this moment."),
        remedy=gettext("Try again in a few seconds."),
    )


def _candidates(quest: Quest) -> list[Candidate]:
    """The next items for this annotator: of each kind those with the fewest holders, mixed by the study's order.

    Outputs and references are ranked by load apart: where grades were imported, only references have none, and would
    otherwise all come first, so that people soon knew which they are.
    """
    hidden = shown_as_check(quest)
    kinds = [_candidates_of(quest, hidden, references=kind) for kind in (False, True)]
    start = quest.annotator.order_seed
    # The order begins at the person's own place and goes round.
    mixed = heapq.merge(*kinds, key=lambda each: (each[0], each[1].shuffle < start, each[1].shuffle, each[1].item_id))
    return [candidate for _, candidate in islice(mixed, LOOK_AHEAD)]


def _candidates_of(quest: Quest, hidden: Sequence[int], *, references: bool) -> list[tuple[int, Candidate]]:
    """Items of one kind in order, none of the hidden ones, each with its rank: how many levels of load lie below."""
    start = quest.annotator.order_seed
    found: list[tuple[int, Candidate]] = []
    rank = 0
    for load in range(quest.limit):
        before = len(found)
        for side in (Item.shuffle >= start, Item.shuffle < start):
            # A range of ix_items_next, read from its start, however big the study.
            statement = (
                select(Item.id, Item.problem_id, Item.shuffle)
                .where(Item.instrument_id == quest.instrument.id, Item.role == "main")
                .where(Item.is_reference == references, Item.load == load, side)
                .where(Item.gradable, Item.retired_at.is_(None), Item.stratum.not_in(quest.closed))
                .where(~_is_known_to(quest.annotator), Item.id.not_in(hidden))
                .order_by(Item.shuffle, Item.id)
                .limit(LOOK_AHEAD - len(found))
            )
            found += [(rank, Candidate(*row)) for row in quest.session.execute(statement)]
            if len(found) == LOOK_AHEAD:
                return found
        rank += len(found) > before
    return found


def _is_known_to(annotator: Annotator) -> ColumnElement[bool]:
    return (
        select(Assignment.id)
        .where(Assignment.item_id == Item.id, Assignment.annotator_id == annotator.id)
        .correlate(Item)
        .exists()
    )


def _last_problem(session: Session, annotator: Annotator) -> int | None:
    statement = (
        select(Item.problem_id)
        .join(Assignment, Assignment.item_id == Item.id)
        .where(Assignment.annotator_id == annotator.id)
        .order_by(Assignment.position.desc())
        .limit(1)
    )
    return session.scalar(statement)


def _take_first(session: Session, preferred: list[Candidate], limit: int, *, may_wait: bool) -> int | None:
    """Raise the load of the first item that nobody is at; if all are busy, wait for the first when allowed."""
    for candidate in preferred:
        if _is_free_now(session, candidate.item_id) and raise_load(session, candidate.item_id, limit):
            return candidate.item_id
    if may_wait and raise_load(session, preferred[0].item_id, limit):
        return preferred[0].item_id
    return None


def _is_free_now(session: Session, item_id: int) -> bool:
    """Lock the item unless somebody else has it locked (SQLite has one writer at a time: always free)."""
    statement = select(Item.id).where(Item.id == item_id).with_for_update(skip_locked=True, key_share=True)
    return session.scalar(statement) is not None
