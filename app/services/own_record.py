"""What an annotator has graded, did in this sitting and holds open, in one statement: each grade asks for it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import String, bindparam, cast, func, null, select, true, union_all

from app.clock import utc_now
from app.services.sitting import Sitting
from app.storage.elapsed import Seconds
from app.storage.models import Annotator, Assignment, Item
from app.storage.prepared import constant, run_plain

# A longer gap between two answers is a break: it ends a sitting and says nothing about the pace.
BREAK_SECONDS = 30 * 60
LONGEST_SITTING = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Record:
    """``graded``: items ever. ``held``: open ones, by instrument. ``ages``: seconds since items were finished, of the
    last hours, the latest first. ``sitting``: how many of those since the last break, by instrument. None of these
    counts practice.

    ``next_position``: of the first open item, whatever it is; where none is open, of the one that would come.
    """

    graded: int
    held: Mapping[int, int]
    ages: Sequence[float]
    sitting: Mapping[int, int]
    next_position: int


def record_of(sitting: Sitting) -> Record:
    """The annotator's record as it stands in this transaction."""
    now = utc_now()
    values = {
        "annotator_id": sitting.annotator.id,
        "now": now,
        "since": now - LONGEST_SITTING,
        "instruments": [instrument.id for instrument in sitting.instruments],
    }
    rows = run_plain(sitting.session, _RECORD, values).all()
    graded, last = rows[0].graded, rows[0].last  # the same in each; there is always one row
    claims = [row for row in rows if row.position is not None]
    finished = sorted((age, row.instrument_id) for row in rows if row.ages for age in _read(row.ages))
    return Record(
        graded,
        Counter(row.instrument_id for row in claims if row.role != "practice"),
        [age for age, _ in finished],
        Counter(instrument_id for _, instrument_id in _since_break(finished)),
        min((row.position for row in claims), default=(last or 0) + 1),
    )


def _read(ages: str) -> Iterable[float]:
    """To the millisecond, which is what both databases tell exactly."""
    return (round(float(age), 3) for age in ages.split())


def _since_break(finished: Sequence[tuple[float, int]]) -> Sequence[tuple[float, int]]:
    """Those of this sitting: the latest ones, up to a gap that is a break."""
    later = 0.0
    for place, (age, _) in enumerate(finished):
        if age - later > BREAK_SECONDS:
            return finished[:place]
        later = age
    return finished


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

# Of a long sitting there are hundreds: as one text for each instrument they cost next to nothing.
_AGE = Seconds(Assignment.finished_at, bindparam("now", type_=Assignment.finished_at.type))
_AGES = func.aggregate_strings(cast(_AGE, String), " ")
_OPEN_OR_FINISHED = union_all(
    select(Item.instrument_id, Item.role, Assignment.position, null().label("ages"))
    .join(Item, Item.id == Assignment.item_id)
    .where(_MINE, Assignment.state == constant("claimed")),
    select(Item.instrument_id, null(), null(), _AGES)
    .join(Item, Item.id == Assignment.item_id)
    .where(_MINE, Assignment.finished_at > bindparam("since"), Assignment.state != constant("claimed"))
    .where(Item.role != constant("practice"))
    .group_by(Item.instrument_id),
).subquery()
_RECORD = (
    select(
        (_GRADED.scalar_subquery() - _PRACTISED.scalar_subquery()).label("graded"),
        _LAST.scalar_subquery().label("last"),
        _OPEN_OR_FINISHED,
    )
    .select_from(Annotator)
    .outerjoin(_OPEN_OR_FINISHED, true())
    .where(Annotator.id == bindparam("annotator_id"))
)
