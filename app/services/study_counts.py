"""How far the whole study is, as annotators see it: cheap, a little old where it is big, nothing of who or what."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Integer, bindparam, case, func, select

from app.services.asked import Asked
from app.services.counting import lent_items
from app.services.kept import kept
from app.services.questionnaires.instruments import target_of
from app.storage.models import Assignment, Item
from app.storage.prepared import constant


@dataclass(frozen=True, slots=True)
class StudyCount:
    """Grades that count towards the study's goal, and the goal. Items that were retired stay in the goal; those that
    are in use as practice or checks don't.

    ``open_items``: by instrument, how many items have fewer grades than they should.
    """

    graded: int
    wanted: int
    open_items: Mapping[int, int]


def study_count(asked: Asked) -> StudyCount:
    """The study's count: a small study is counted each time, one of 100,000 items (some 25 ms) every few seconds."""
    return kept(asked.session, ("study count", asked.study.id), lambda: _counted(asked))


def _counted(asked: Asked) -> StudyCount:
    graded = wanted = 0
    open_items = {}
    for instrument in asked.instruments:
        target = target_of(asked.study, instrument)
        values = {"instrument_id": instrument.id, "target": target}
        load, items, unfinished = asked.session.execute(_LOADS, values).one()
        lent_load, lent, lent_unfinished = asked.session.execute(_LENT, values).one()
        claims = asked.session.scalar(_CLAIMS, values) or 0
        open_items[instrument.id] = unfinished - lent_unfinished
        graded += load - lent_load - claims
        wanted += (items - lent) * target
    return StudyCount(graded, wanted, open_items)


# Read from ix_items_next alone. An item's load is its held slots: its grades, and claims that are open. What an item
# has beyond its target, as after an import or a lowered target, brings the study no nearer to its goal.
_TARGET = bindparam("target", type_=Integer)
_TOWARDS = case((Item.load < _TARGET, Item.load), else_=_TARGET)
_LOADS = select(func.coalesce(func.sum(_TOWARDS), 0), func.count(), func.count().filter(Item.load < _TARGET)).where(
    Item.instrument_id == bindparam("instrument_id"), Item.role == "main"
)
_LENT = _LOADS.where(Item.id.in_(lent_items([bindparam("instrument_id", type_=Integer)])))
_CLAIMS = (
    select(func.count())
    .select_from(Assignment)
    .join(Item, Item.id == Assignment.item_id)
    .where(Assignment.state == constant("claimed"), Item.instrument_id == bindparam("instrument_id"))
    .where(Item.role == "main", Item.load <= _TARGET)
    .where(Item.id.not_in(lent_items([bindparam("instrument_id", type_=Integer)])))
)
