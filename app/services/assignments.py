"""Who grades what next: claim an item for an annotator, fewest grades first, in an order that follows from the seed.

Each transaction waits for at most one item's row while it holds no other, and always locks the study (where it has
quotas), then the annotator, then items, so that no two transactions can wait for each other.
"""

from datetime import timedelta

from sqlalchemy import String, bindparam, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import Busy
from app.services.candidates import LOOK_AHEAD, USED_AS_CHECK, Candidate, arrange, candidates, closed_strata
from app.services.claims import Quest, add_claim, claim_again, claimed, last_of, raise_load, release, renew
from app.services.runs.periodic import periodic
from app.services.sitting import Sitting
from app.services.way.check_items import claim_check
from app.services.way.gate import Gate
from app.services.way.practice import next_practice
from app.storage.models import Assignment, Instrument, Item
from app.words import gettext

# The item on the page and the one after it, so that the next is there before it is needed.
CLAIMS_AT_ONCE = 2
# Each round is lost to somebody else's success, so this many in a row mean that something is stuck.
ROUNDS = 200


def upcoming(session: Session, annotator_id: int) -> list[Assignment]:
    """The annotator's open items in order, claiming what is missing; empty when there is nothing to do now.

    Asking twice gives the same items. In a study that isn't open, only what was claimed before is given. Whoever has
    read the instructions, or is done, moves on along the way.
    """
    return open_items(Sitting.held(session, annotator_id))


def open_items(sitting: Sitting) -> list[Assignment]:
    """``upcoming`` for an annotator who is held already."""
    gate = Gate(sitting.session, sitting.study, sitting.annotator)
    if gate.annotator.excluded_at is not None or not gate.lets_in():
        return []
    if gate.annotator.stage == "practice":
        return next_practice(sitting.session, sitting.study, gate.annotator)
    mine = claimed(sitting.session, gate.annotator)
    renew(mine, sitting.study)
    if sitting.study.state == "open":
        _fill(sitting, mine, most=min(CLAIMS_AT_ONCE, gate.room()))
        gate.leave(found=bool(mine))
    return mine


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


def _fill(sitting: Sitting, mine: list[Assignment], *, most: int) -> None:
    """One instrument after the other: the next one begins when nothing of those before is left for this person."""
    for instrument in sitting.instruments:
        if mine and len(sitting.instruments) > 1 and not _is_of(sitting.session, mine[-1], instrument):
            continue
        _fill_from(sitting, instrument, mine, most)
        if mine:
            return


def _is_of(session: Session, claim: Assignment, instrument: Instrument) -> bool:
    return session.scalar(_INSTRUMENT, {"wanted": claim.item_id}) == instrument.id


def _fill_from(sitting: Sitting, instrument: Instrument, mine: list[Assignment], most: int) -> None:
    may_wait = True
    while len(mine) < most:
        # Anew for each: the claim before may have taken its stratum's last place.
        closed = closed_strata(sitting)
        quest = Quest(sitting.session, sitting.study, instrument, sitting.annotator, closed)
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
    values = {
        "annotator_id": quest.annotator.id,
        "instrument_id": quest.instrument.id,
        "limit": quest.limit,
        "closed": list(quest.closed),
    }
    assignment = quest.session.scalar(_LAPSED, values)
    return assignment if assignment is not None and claim_again(quest, assignment) else None


def _claim_new(quest: Quest, *, may_wait: bool) -> Assignment | None:
    last = last_of(quest)
    for _ in range(ROUNDS):
        found = candidates(quest)
        if not found:
            return None
        check = claim_check(quest, last)
        if check is not None:
            return check
        preferred = arrange(found, last.problem_id, complete=len(found) < LOOK_AHEAD)
        taken = _take_first(quest.session, preferred, quest.limit, may_wait=may_wait)
        if taken is not None:
            return add_claim(quest, taken, last, is_main=True)
        if not may_wait:
            return None
    raise Busy(
        gettext("Too many people ask for the same items at this moment."),
        remedy=gettext("Try again in a few seconds."),
    )


def _take_first(session: Session, preferred: list[Candidate], limit: int, *, may_wait: bool) -> int | None:
    """Raise the load of the first item that nobody is at; if all are busy, wait for the first when allowed."""
    for candidate in preferred:
        if raise_load(session, candidate.item_id, limit, unless_busy=True):
            return candidate.item_id
    if may_wait and raise_load(session, preferred[0].item_id, limit):
        return preferred[0].item_id
    return None


# Statements that each grade asks, put together once.
_INSTRUMENT = select(Item.instrument_id).where(Item.id == bindparam("wanted"))
_LAPSED = (
    select(Assignment)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.annotator_id == bindparam("annotator_id"), Assignment.state == "lapsed")
    .where(Item.instrument_id == bindparam("instrument_id"), Item.load < bindparam("limit"), Item.gradable)
    .where(Item.role != "practice", Item.retired_at.is_(None), Item.id.not_in(USED_AS_CHECK))
    .where(Item.stratum.not_in(bindparam("closed", type_=String, expanding=True)))
    .order_by(Assignment.position)
    .limit(1)
    .with_for_update(of=Assignment, key_share=True)
)
