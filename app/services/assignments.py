"""Who grades what next: claim an item for an annotator, give claims back, never more holders than the limit.

Two guards keep an item within its limit however many people press at once: ``Item.load`` is raised by an update that
holds only below the limit, and (item, slot) is unique. Each transaction waits for at most one item's row while it
holds no other, and always locks the annotator before items, so that no two transactions can wait for each other.
"""

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from sqlalchemy import ColumnElement, Update, func, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Busy
from app.ids import new_opaque_id
from app.services.ordering import place
from app.services.questionnaires.instruments import instruments_of, target_of
from app.services.runs.periodic import periodic
from app.storage.models import Annotator, Assignment, Instrument, Item, Study

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


@dataclass(frozen=True, slots=True)
class Quest:
    """An annotator's search for an item of one instrument."""

    session: Session
    study: Study
    instrument: Instrument
    annotator: Annotator

    @property
    def limit(self) -> int:
        """How many grades an item may have."""
        return target_of(self.study, self.instrument)

    @property
    def lease(self) -> timedelta:
        """For how long a claim holds."""
        return timedelta(minutes=self.study.claim_minutes)


def upcoming(session: Session, annotator_id: int) -> list[Assignment]:
    """The annotator's open items in order, claiming what is missing; empty when nothing is left for this person.

    Asking twice gives the same items. In a study that isn't open, only what was claimed before is given.
    """
    annotator = lock_annotator(session, annotator_id)
    study = session.get_one(Study, annotator.study_id)
    if study.state not in ("open", "paused") or annotator.excluded_at is not None:
        return []
    mine = _claimed(session, annotator)
    _renew(mine, study)
    if study.state == "open":
        _fill(session, annotator, study, mine)
    return mine


def lock_annotator(session: Session, annotator_id: int) -> Annotator:
    """The annotator, held until the commit: one person's tabs come one after the other."""
    # NO KEY UPDATE, because rows that point to the annotator must still be added meanwhile.
    statement = select(Annotator).where(Annotator.id == annotator_id).with_for_update(key_share=True)
    return session.scalars(statement.execution_options(populate_existing=True)).one()


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


def release(session: Session, assignment: Assignment) -> None:
    """Free the assignment's slot, so that somebody else may have it."""
    if assignment.slot is None:
        return
    assignment.slot = None
    session.flush()
    session.execute(_load_of(assignment.item_id, Item.load > 0).values(load=Item.load - 1))


def hold_slot(session: Session, assignment: Assignment, limit: int) -> bool:
    """Take a free slot of the assignment's item, waiting for others who are at it; False when there is none."""
    if not _raise_load(session, assignment.item_id, limit):
        return False
    assignment.slot = _free_slot(session, assignment.item_id)
    session.flush()
    return True


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


def _claimed(session: Session, annotator: Annotator) -> list[Assignment]:
    statement = (
        select(Assignment)
        .where(Assignment.annotator_id == annotator.id, Assignment.state == "claimed")
        .order_by(Assignment.position)
    )
    # Two at most are ever open; the sweeper's lock on one of them is waited for.
    return list(session.scalars(statement.with_for_update(key_share=True)))


def _renew(claims: Iterable[Assignment], study: Study) -> None:
    """Whoever is still here keeps the claims; written only when a good part of the time is gone."""
    duration = timedelta(minutes=study.claim_minutes)
    now = utc_now()
    for claim in claims:
        if claim.lease_until < now + duration * 0.75:
            claim.lease_until = now + duration


def _fill(session: Session, annotator: Annotator, study: Study, mine: list[Assignment]) -> None:
    """One instrument after the other: the next one begins when nothing of those before is left for this person."""
    for instrument in instruments_of(session, study.id):
        quest = Quest(session, study, instrument, annotator)
        if mine and not _is_of(session, mine[-1], instrument):
            continue
        _fill_from(quest, mine)
        if mine:
            return


def _is_of(session: Session, claim: Assignment, instrument: Instrument) -> bool:
    return session.get_one(Item, claim.item_id).instrument_id == instrument.id


def _fill_from(quest: Quest, mine: list[Assignment]) -> None:
    may_wait = True
    while len(mine) < CLAIMS_AT_ONCE:
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
        .order_by(Assignment.position)
        .limit(1)
        .with_for_update(of=Assignment, key_share=True)
    )
    assignment = quest.session.scalar(statement)
    if assignment is None or not hold_slot(quest.session, assignment, quest.limit):
        return None
    assignment.state, assignment.claimed_at = "claimed", utc_now()
    assignment.lease_until = utc_now() + quest.lease
    quest.session.flush()
    return assignment


def _claim_new(quest: Quest, *, may_wait: bool) -> Assignment | None:
    last_problem = _last_problem(quest.session, quest.annotator)
    for _ in range(ROUNDS):
        candidates = _candidates(quest)
        if not candidates:
            return None
        preferred = arrange(candidates, last_problem, complete=len(candidates) < LOOK_AHEAD)
        taken = _take_first(quest.session, preferred, quest.limit, may_wait=may_wait)
        if taken is not None:
            return _add_claim(quest, taken)
        if not may_wait:
            return None
    raise Busy("Too many people ask for the same items at this moment.", remedy="Try again in a few seconds.")


def _candidates(quest: Quest) -> list[Candidate]:
    """The next items for this annotator: of each kind those with the fewest holders, mixed by the study's order.

    Outputs and references are ranked by load apart: where grades were imported, only references have none, and would
    otherwise all come first, so that people soon knew which they are.
    """
    kinds = [_candidates_of(quest, references=kind) for kind in (False, True)]
    start = quest.annotator.order_seed
    # The order begins at the person's own place and goes round.
    mixed = heapq.merge(*kinds, key=lambda each: (each[0], each[1].shuffle < start, each[1].shuffle, each[1].item_id))
    return [candidate for _, candidate in islice(mixed, LOOK_AHEAD)]


def _candidates_of(quest: Quest, *, references: bool) -> list[tuple[int, Candidate]]:
    """Items of one kind in order, each with its rank: how many levels of load lie below its own."""
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
                .where(Item.gradable, ~_is_known_to(quest.annotator))
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
        if _is_free_now(session, candidate.item_id) and _raise_load(session, candidate.item_id, limit):
            return candidate.item_id
    if may_wait and _raise_load(session, preferred[0].item_id, limit):
        return preferred[0].item_id
    return None


def _is_free_now(session: Session, item_id: int) -> bool:
    """Lock the item unless somebody else has it locked (SQLite has one writer at a time: always free)."""
    statement = select(Item.id).where(Item.id == item_id).with_for_update(skip_locked=True, key_share=True)
    return session.scalar(statement) is not None


def _raise_load(session: Session, item_id: int, limit: int) -> bool:
    statement = _load_of(item_id, Item.load < limit, Item.gradable.is_(True)).values(load=Item.load + 1)
    return session.scalar(statement.returning(Item.id)) is not None


def _load_of(item_id: int, *conditions: ColumnElement[bool]) -> Update:
    # The session's copies of items aren't read afterwards, so they need not follow.
    return update(Item).where(Item.id == item_id, *conditions).execution_options(synchronize_session=False)


def _free_slot(session: Session, item_id: int) -> int:
    """The lowest slot that nobody has. The caller has raised the load and so holds the item's row."""
    statement = select(Assignment.slot).where(Assignment.item_id == item_id, Assignment.slot.is_not(None))
    used = set(session.scalars(statement))
    return next(slot for slot in range(len(used) + 1) if slot not in used)


def _add_claim(quest: Quest, item_id: int) -> Assignment:
    highest = select(func.max(Assignment.position)).where(Assignment.annotator_id == quest.annotator.id)
    now = utc_now()
    assignment = Assignment(
        public_id=new_opaque_id(),
        annotator_id=quest.annotator.id,
        item_id=item_id,
        slot=_free_slot(quest.session, item_id),
        position=(quest.session.scalar(highest) or 0) + 1,
        state="claimed",
        swapped=_is_swapped(quest, item_id),
        claimed_at=now,
        lease_until=now + quest.lease,
    )
    quest.session.add(assignment)
    quest.session.flush()
    return assignment


def _is_swapped(quest: Quest, item_id: int) -> bool:
    """Whether a pair is shown the other way round: a coin that follows from the seed, the person and the pair."""
    if quest.instrument.kind != "pair":
        return False
    item = quest.session.get_one(Item, item_id)
    return place(quest.study.seed, "swap", quest.annotator.order_seed, item.shuffle) % 2 == 1
