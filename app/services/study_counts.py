"""How far the whole study is, as annotators see it: cheap, a little old where it is big, nothing of who or what."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, Integer, bindparam, func, select

from app.services.counting import lent_items
from app.services.questionnaires.instruments import target_of
from app.services.sitting import Asked
from app.storage.models import Assignment, Item

# Each page and each answer shows the count, so counting may take this share of the time: small studies are counted
# each time, one of 100,000 items (some 25 ms on SQLite) every few seconds.
SHARE_OF_TIME = 0.01


@dataclass(frozen=True, slots=True)
class StudyCount:
    """Grades that count towards the study's goal, and the goal. Items that were retired stay in the goal; those that
    are in use as practice or checks don't.

    ``open_items``: by instrument, how many items have fewer grades than they should.
    """

    graded: int
    wanted: int
    open_items: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    count: StudyCount
    until: float


_kept: WeakKeyDictionary[Engine, dict[int, _Kept]] = WeakKeyDictionary()


def study_count(asked: Asked) -> StudyCount:
    """The study's count, as fresh as it is cheap."""
    counts = _kept.setdefault(asked.session.get_bind().engine, {})
    kept = counts.get(asked.study.id)
    if kept is None or time.monotonic() >= kept.until:
        start = time.monotonic()
        count, end = _counted(asked), time.monotonic()
        kept = counts[asked.study.id] = _Kept(count, end + (end - start) / SHARE_OF_TIME)
    return kept.count


def _counted(asked: Asked) -> StudyCount:
    graded = wanted = 0
    open_items = {}
    for instrument in asked.instruments:
        target = target_of(asked.study, instrument)
        values = {"instrument_id": instrument.id, "target": target}
        load, items, open_items[instrument.id] = asked.session.execute(_LOADS, values).one()
        lent_load, lent, lent_open = asked.session.execute(_LENT, values).one()
        load, items, open_items[instrument.id] = load - lent_load, items - lent, open_items[instrument.id] - lent_open
        graded += load
        wanted += items * target
    claims = asked.session.scalar(_CLAIMS, {"study_id": asked.study.id}) or 0
    return StudyCount(graded - claims, wanted, open_items)


# Read from ix_items_next alone. An item's load is its held slots: its grades, and claims that are open.
_LOADS = select(
    func.coalesce(func.sum(Item.load), 0), func.count(), func.count().filter(Item.load < bindparam("target"))
).where(Item.instrument_id == bindparam("instrument_id"), Item.role == "main")
_LENT = _LOADS.where(Item.id.in_(lent_items([bindparam("instrument_id", type_=Integer)])))
_CLAIMS = (
    select(func.count())
    .select_from(Assignment)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.state == "claimed", Item.study_id == bindparam("study_id"), Item.role == "main")
    .where(Item.id.not_in(lent_items([Item.instrument_id.expression])))
)
