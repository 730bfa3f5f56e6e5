"""How much an annotator has done, for limits and breaks. Times are the server's own; a long gap is no work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.study_options import Limits
from app.storage.models import Assignment, Item

# Nobody looks at one item for longer; after a gap of half an hour the person was away altogether.
LONGEST_THOUGHT = timedelta(minutes=5)
AWAY = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Work:
    """What is done: items answered, active time, and until when a break is due (None: no break)."""

    items: int
    active: timedelta
    break_until: datetime | None

    def has_reached(self, limits: Limits) -> bool:
        """Whether the person's share is done."""
        by_items = limits.items is not None and self.items >= limits.items
        return by_items or (limits.minutes is not None and self.active >= timedelta(minutes=limits.minutes))


def work_of(session: Session, annotator_id: int, limits: Limits) -> Work:
    """The annotator's work so far; practice is none."""
    rows = session.execute(
        select(Assignment.state, Assignment.claimed_at, Assignment.finished_at)
        .join(Item, Item.id == Assignment.item_id)
        .where(Assignment.annotator_id == annotator_id, Item.role != "practice")
        .where(Assignment.state.in_(("graded", "skipped")))
    ).all()
    finished = sorted((end, start) for _, start, end in rows if end is not None)
    # Work on the first item began when it was handed out.
    times = [*(min(end, start) for end, start in finished[:1]), *(end for end, _ in finished)]
    return Work(
        sum(state == "graded" for state, _, _ in rows), active_time(times), break_until(times, limits, utc_now())
    )


def active_time(times: Sequence[datetime]) -> timedelta:
    """Time at work between its beginning and answers, given in rising order."""
    return sum((_active(later - earlier) for earlier, later in pairwise(times)), timedelta())


def _active(gap: timedelta) -> timedelta:
    return timedelta() if gap > AWAY else min(gap, LONGEST_THOUGHT)


def break_until(times: Sequence[datetime], limits: Limits, now: datetime) -> datetime | None:
    """Until when a break is due: after so much work without a gap as long as a break, until the break is over."""
    if limits.pause_after is None or not times:
        return None
    pause = timedelta(minutes=limits.pause)
    if _since_break(times, pause) < timedelta(minutes=limits.pause_after):
        return None
    until = times[-1] + pause
    return until if now < until else None


def _since_break(times: Sequence[datetime], pause: timedelta) -> timedelta:
    worked = timedelta()
    for later, earlier in pairwise(times[::-1]):
        gap = later - earlier
        if gap >= pause:
            break
        worked += _active(gap)
    return worked
