"""How far the whole study is, as annotators see it: cheap, a little old where it is big, nothing of who or what."""

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from app.services.questionnaires.instruments import instruments_of, target_of
from app.storage.models import Assignment, Item, Study

# Each page and each answer shows the count, so counting may take this share of the time: small studies are counted
# each time, one of 100,000 items (some 25 ms on SQLite) every few seconds.
SHARE_OF_TIME = 0.01


@dataclass(frozen=True, slots=True)
class StudyCount:
    """Grades that count towards the study's goal, and the goal. Items that were retired stay in the goal."""

    graded: int
    wanted: int


@dataclass(frozen=True, slots=True)
class _Kept:
    count: StudyCount
    until: float


_kept: WeakKeyDictionary[Engine, dict[int, _Kept]] = WeakKeyDictionary()


def study_count(session: Session, study: Study) -> StudyCount:
    """The study's count, as fresh as it is cheap."""
    counts = _kept.setdefault(session.get_bind().engine, {})
    kept = counts.get(study.id)
    if kept is None or time.monotonic() >= kept.until:
        start = time.monotonic()
        count, end = _counted(session, study), time.monotonic()
        kept = counts[study.id] = _Kept(count, end + (end - start) / SHARE_OF_TIME)
    return kept.count


def _counted(session: Session, study: Study) -> StudyCount:
    graded = wanted = 0
    for instrument in instruments_of(session, study.id):
        # Read from ix_items_next alone. An item's load is its held slots: its grades, and claims that are open.
        rows = select(func.coalesce(func.sum(Item.load), 0), func.count()).where(
            Item.instrument_id == instrument.id, Item.role == "main"
        )
        load, items = session.execute(rows).one()
        graded += load
        wanted += items * target_of(study, instrument)
    claims = (
        select(func.count())
        .select_from(Assignment)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.state == "claimed", Item.study_id == study.id, Item.role == "main")
    )
    return StudyCount(graded - (session.scalar(claims) or 0), wanted)
