"""Who grades what next: claim an item for an annotator, fewest grades first, in an order that follows from the seed.

Each transaction waits for at most one item's row while it holds no other, and always takes the annotator, then (where
the study has quotas) the turn of the study's claims, then items, so that no two transactions can wait for each other.
"""

from datetime import timedelta

from sqlalchemy import String, bindparam, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.candidates import USED_AS_CHECK, closed_strata
from app.services.claims import Quest, claim_again, last_of, release, renew
from app.services.new_claims import claim_new
from app.services.runs.periodic import periodic
from app.services.sitting import Sitting
from app.services.way.gate import Gate
from app.services.way.practice import next_practice
from app.storage.models import Assignment, Instrument, Item
from app.storage.prepared import constant

# The item on the page and the one after it, so that the next is there before it is needed.
CLAIMS_AT_ONCE = 2


def upcoming(session: Session, annotator_id: int) -> list[Assignment]:
    """The annotator's open items in order, claiming what is missing; empty when there is nothing to do now.

    Asking twice gives the same items. In a study that isn't open, only what was claimed before is given. Whoever has
    read the instructions, or is done, moves on along the way.
    """
    return open_items(Sitting.held(session, annotator_id))


def open_items(sitting: Sitting) -> list[Assignment]:
    """``upcoming`` for an annotator who is held already."""
    gate = Gate(sitting)
    if gate.annotator.excluded_at is not None or not gate.lets_in():
        return []
    if gate.annotator.stage == "practice":
        return next_practice(sitting.session, sitting.study, gate.annotator)
    mine = sitting.claims()
    renew(mine, sitting.study)
    if sitting.study.state == "open":
        _fill(sitting, mine, room=gate.room())
        gate.leave(found=bool(mine))
    return mine


@periodic(every=timedelta(seconds=30))
def lapse_claims(session: Session, *, study_id: int | None = None) -> int:
    """Give unused claims whose time is over back to everyone; returns how many. For the sweeper."""
    statement = (
        select(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.state == constant("claimed"), Assignment.lease_until < utc_now())
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


def _fill(sitting: Sitting, mine: list[Assignment], *, room: int) -> None:
    """One instrument after the other: the next one begins when nothing of those before is left for this person."""
    for instrument in sitting.instruments:
        if len(mine) >= CLAIMS_AT_ONCE:
            return
        if mine and len(sitting.instruments) > 1 and not _is_of(sitting.session, mine[-1], instrument):
            continue
        _fill_from(sitting, instrument, mine, room)
        if mine:
            return


def _is_of(session: Session, claim: Assignment, instrument: Instrument) -> bool:
    return session.scalar(_INSTRUMENT, {"wanted": claim.item_id}) == instrument.id


def _fill_from(sitting: Sitting, instrument: Instrument, mine: list[Assignment], room: int) -> None:
    may_wait = True
    while len(mine) < min(CLAIMS_AT_ONCE, room):
        # Anew for each claim where there are quotas: the one before may have taken its stratum's last place.
        closed = closed_strata(sitting)
        quest = Quest(sitting.session, sitting.study, instrument, sitting.annotator, closed)
        room_now = 1 if sitting.options.quotas else room - len(mine)
        last = last_of(quest)
        claims = _revive(quest) if may_wait and last.any_lapsed else []
        claims = claims or claim_new(quest, last, room_now, may_wait=may_wait)
        if not claims and may_wait and not mine and lapse_claims(quest.session, study_id=quest.study.id):
            claims = claim_new(quest, last, room_now, may_wait=False)
        if not claims:
            return
        mine += claims
        may_wait = False  # an item is held now: waiting for another one could become a circle


def _revive(quest: Quest) -> list[Assignment]:
    """An item that lapsed under this annotator, if it still has room: it is theirs before anything new."""
    values = {
        "annotator_id": quest.annotator.id,
        "instrument_id": quest.instrument.id,
        "limit": quest.limit,
        "closed": list(quest.closed),
    }
    assignment = quest.session.scalar(_LAPSED, values)
    return [assignment] if assignment is not None and claim_again(quest, assignment) else []


# Statements that each grade asks, put together once.
_INSTRUMENT = select(Item.instrument_id).where(Item.id == bindparam("wanted"))
_LAPSED = (
    select(Assignment)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.annotator_id == bindparam("annotator_id"), Assignment.state == constant("lapsed"))
    .where(Item.instrument_id == bindparam("instrument_id"), Item.load < bindparam("limit"), Item.gradable)
    .where(Item.role != constant("practice"), Item.retired_at.is_(None), Item.id.not_in(USED_AS_CHECK))
    .where(Item.stratum.not_in(bindparam("closed", type_=String, expanding=True)))
    .order_by(Assignment.position)
    .limit(constant(1))
    .with_for_update(of=Assignment, key_share=True)
)
