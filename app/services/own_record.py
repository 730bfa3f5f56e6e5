"""What an annotator has graded, finished lately and holds open, in one statement: each grade asks for it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, or_, select

from app.clock import utc_now
from app.services.sitting import Sitting
from app.storage.models import Annotator, Assignment, Item
from app.storage.prepared import constant

LONGEST_SITTING = timedelta(hours=12)


class Answered(NamedTuple):
    """When an item of which instrument was finished."""

    at: datetime
    instrument_id: int


@dataclass(frozen=True, slots=True)
class Record:
    """``graded``: items ever. ``answered``: items of the last hours, the latest first. ``held``: open ones, by
    instrument. None of these counts practice.

    ``next_position``: of the first open item, whatever it is; where none is open, of the one that would come.
    """

    graded: int
    answered: Sequence[Answered]
    held: Mapping[int, int]
    next_position: int


def record_of(sitting: Sitting) -> Record:
    """The annotator's record as it stands in this transaction."""
    values = {
        "annotator_id": sitting.annotator.id,
        "since": utc_now() - LONGEST_SITTING,
        "instruments": [instrument.id for instrument in sitting.instruments],
    }
    rows = sitting.session.execute(_RECORD, values).all()
    graded, last = rows[0].graded, rows[0].last  # the same in each; there is always one row
    known = [row for row in rows if row.state is not None]
    claims = [row for row in known if row.state == "claimed"]
    finished = [row for row in known if row.state != "claimed" and row.role != "practice"]
    return Record(
        graded,
        sorted((Answered(row.finished_at, row.instrument_id) for row in finished), reverse=True),
        Counter(row.instrument_id for row in claims if row.role != "practice"),
        min((row.position for row in claims), default=(last or 0) + 1),
    )


_MINE = Assignment.annotator_id == bindparam("annotator_id")
_PRACTISED = (
    select(func.count())
    .select_from(Item)
    .join(Assignment, Assignment.item_id == Item.id)
    # By instrument, since the index begins with it; from the few practice items, not from all that was done.
    .where(Item.instrument_id.in_(bindparam("instruments", expanding=True)), Item.role == constant("practice"))
    .where(_MINE, Assignment.state == constant("graded"))
)
_GRADED = select(func.count()).where(_MINE, Assignment.state == constant("graded"))
_LAST = select(func.max(Assignment.position)).where(_MINE)
_LATELY = or_(Assignment.state == constant("claimed"), Assignment.finished_at > bindparam("since"))
_RECORD = (
    select(
        (_GRADED.scalar_subquery() - _PRACTISED.scalar_subquery()).label("graded"),
        _LAST.scalar_subquery().label("last"),
        *(Assignment.state, Assignment.position, Assignment.finished_at, Item.instrument_id, Item.role),
    )
    .select_from(Annotator)
    .outerjoin(Assignment, and_(Assignment.annotator_id == Annotator.id, _LATELY))
    .outerjoin(Item, Item.id == Assignment.item_id)
    .where(Annotator.id == bindparam("annotator_id"))
)
