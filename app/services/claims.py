"""Claims: an annotator holds an item for a while, keeps it with a grade, or gives it back.

Two guards keep a main item within its limit however many people press at once: ``Item.load`` is raised by an update
that holds only below the limit, and (item, slot) is unique. Practice and checks have no limit: there the slot is the
annotator's own number, so that nobody waits for anybody.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple, cast

from sqlalchemy import Table, bindparam, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import new_opaque_id
from app.services.ordering import place
from app.services.own_assignments import held_claims
from app.services.questionnaires.instruments import target_of
from app.storage.models import Annotator, Assignment, Instrument, Item, Study
from app.storage.prepared import constant, run_plain

# Each grade asks for these, so they are put together once. NO KEY UPDATE, because rows that point to the locked one
# must still be added meanwhile.
_ANNOTATOR = (
    select(Annotator)
    .where(Annotator.id == bindparam("annotator_id"))
    .with_for_update(key_share=True)
    .execution_options(populate_existing=True)
)
_LAPSED = select(Assignment.id).where(
    Assignment.annotator_id == bindparam("annotator_id"), Assignment.state == constant("lapsed")
)
_LAST = (
    select(Assignment.position, Item.problem_id, _LAPSED.correlate(None).exists())
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.annotator_id == bindparam("annotator_id"))
    .order_by(Assignment.position.desc())
    .limit(constant(1))
)
_SLOTS = select(Assignment.slot).where(Assignment.item_id == bindparam("wanted"), Assignment.slot.is_not(None))
# By the table: the session's copies of items aren't read afterwards, so they need not follow.
_LOAD = update(cast("Table", Item.__table__)).where(Item.id == bindparam("wanted"), Item.role == "main")
_RAISE = _LOAD.where(Item.load < bindparam("limit"), Item.gradable).values(load=Item.load + 1).returning(Item.load)
# On a database that locks rows, one that somebody else has locked counts as full here.
_FREE_NOW = (
    select(Item.id)
    .where(Item.id.in_(bindparam("wanted", expanding=True)), Item.role == "main")
    .where(Item.load < bindparam("limit"), Item.gradable)
    .with_for_update(skip_locked=True, key_share=True)
)
_RAISE_FREE = (
    update(cast("Table", Item.__table__))
    .where(Item.id.in_(_FREE_NOW.scalar_subquery()))
    .values(load=Item.load + 1)
    .returning(Item.id, Item.load)
)
_LOWER = _LOAD.where(Item.load > 0).values(load=Item.load - 1)


class Last(NamedTuple):
    """The place of the annotator's newest assignment, and what problem it shows; 0 where there is none.

    ``any_lapsed``: whether any of them has lapsed.
    """

    position: int = 0
    problem_id: int | None = None
    any_lapsed: bool = False


@dataclass(frozen=True, slots=True)
class Quest:
    """An annotator's search for an item of one instrument. ``closed``: strata that have enough grades."""

    session: Session
    study: Study
    instrument: Instrument
    annotator: Annotator
    closed: frozenset[str] = frozenset()

    @property
    def limit(self) -> int:
        """How many grades an item may have."""
        return target_of(self.study, self.instrument)

    @property
    def lease(self) -> timedelta:
        """For how long a claim holds."""
        return timedelta(minutes=self.study.claim_minutes)


def lock_annotator(session: Session, annotator_id: int) -> Annotator:
    """The annotator, held until the commit: one person's tabs come one after the other."""
    return session.scalars(_ANNOTATOR, {"annotator_id": annotator_id}).one()


def claimed(session: Session, annotator: Annotator) -> list[Assignment]:
    """What the annotator holds open, in order."""
    return held_claims(session, annotator.id)[0]


def renew(claims: Iterable[Assignment], study: Study) -> None:
    """Whoever is still here keeps the claims; written only when a good part of the time is gone."""
    duration = timedelta(minutes=study.claim_minutes)
    now = utc_now()
    for claim in claims:
        if claim.lease_until < now + duration * 0.75:
            claim.lease_until = now + duration


def give_back(session: Session, claims: Iterable[Assignment]) -> None:
    """End the claims, so that others may have the items."""
    for claim in claims:
        claim.state = "lapsed"
        release(session, claim)


def release(session: Session, assignment: Assignment) -> None:
    """Free the assignment's slot, so that somebody else may have it."""
    if assignment.slot is None:
        return
    assignment.slot = None
    session.flush()
    session.execute(_LOWER, {"wanted": assignment.item_id})


def hold_slot(session: Session, assignment: Assignment, limit: int) -> bool:
    """Take a free slot of the assignment's item, waiting for others who are at it; False when there is none."""
    if not _is_main(session, assignment.item_id):
        assignment.slot = assignment.annotator_id
    elif load := raise_load(session, assignment.item_id, limit):
        assignment.slot = _free_slot(session, assignment.item_id, load)
    else:
        return False
    session.flush()
    return True


def raise_load(session: Session, item_id: int, limit: int) -> int | None:
    """Count one holder more, if the item has room, waiting for others who are at it.

    How many there are now; None where there is one no more.
    """
    return session.scalar(_RAISE, {"wanted": item_id, "limit": limit})


def raise_free_loads(session: Session, item_ids: Sequence[int], limit: int) -> dict[int, int]:
    """Count one holder more of each of these items that has room and that nobody else is at just now.

    How many each of those has now, by item.
    """
    raised = run_plain(session, _RAISE_FREE, {"wanted": item_ids, "limit": limit})
    return {each.id: each.load for each in raised}


def last_of(quest: Quest) -> Last:
    """The newest of the annotator's assignments."""
    row = run_plain(quest.session, _LAST, {"annotator_id": quest.annotator.id}).first()
    return Last(*row) if row else Last()


class Taken(NamedTuple):
    """A main item that the annotator may have: its load is raised, to ``load``."""

    item_id: int
    problem_id: int
    load: int


def add_claims(quest: Quest, taken: Iterable[Taken], last: Last) -> list[Assignment]:
    """The assignments that come after the annotator's last one."""
    slots = [(each.item_id, _free_slot(quest.session, each.item_id, each.load)) for each in taken]
    claims = [_claim(quest, item, slot, last.position + n) for n, (item, slot) in enumerate(slots, start=1)]
    quest.session.add_all(claims)
    quest.session.flush()
    return claims


def add_check(quest: Quest, item_id: int, last: Last) -> Assignment:
    """The same for an item that has no limit."""
    claim = _claim(quest, item_id, quest.annotator.id, last.position + 1)
    quest.session.add(claim)
    quest.session.flush()
    return claim


def _claim(quest: Quest, item_id: int, slot: int, position: int) -> Assignment:
    now = utc_now()
    return Assignment(
        public_id=new_opaque_id(),
        annotator_id=quest.annotator.id,
        item_id=item_id,
        slot=slot,
        position=position,
        state="claimed",
        swapped=_is_swapped(quest, item_id),
        claimed_at=now,
        lease_until=now + quest.lease,
    )


def claim_again(quest: Quest, assignment: Assignment) -> bool:
    """Give an item that lapsed under this annotator to them again, if it still has room."""
    if not hold_slot(quest.session, assignment, quest.limit):
        return False
    assignment.state, assignment.claimed_at = "claimed", utc_now()
    assignment.lease_until = utc_now() + quest.lease
    quest.session.flush()
    return True


def _is_main(session: Session, item_id: int) -> bool:
    return session.scalar(select(Item.role).where(Item.id == item_id)) == "main"


def _free_slot(session: Session, item_id: int, load: int) -> int:
    """The lowest slot that nobody has. The caller has raised the load, to ``load``, and so holds the item's row."""
    if load == 1:
        return 0  # there is no other holder
    used = set(run_plain(session, _SLOTS, {"wanted": item_id}).scalars())
    return next(slot for slot in range(len(used) + 1) if slot not in used)


def _is_swapped(quest: Quest, item_id: int) -> bool:
    """Whether a pair is shown the other way round: a coin that follows from the seed, the person and the pair."""
    if quest.instrument.kind != "pair":
        return False
    item = quest.session.get_one(Item, item_id)
    return place(quest.study.seed, "swap", quest.annotator.order_seed, item.shuffle) % 2 == 1
