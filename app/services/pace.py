"""What an annotator may know of the way: how many are done, how many are to go, about how long that takes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.storage.models import Annotator, Assignment, Instrument, Item, Study
from app.words import gettext, human_number

# A longer gap between two answers is a break: it ends a sitting and says nothing about the pace.
BREAK = timedelta(minutes=30)
LONGEST_THOUGHT = timedelta(minutes=5)
LONGEST_SITTING = timedelta(hours=12)
RECENT = 20
# Counting further would cost more the bigger the study, and tell nobody more.
MOST_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Progress:
    """``mine``: graded ever. ``sitting``: answered since the last break. ``to_go`` counts up to MOST_COUNTED.

    ``offset`` turns an item's position into its number in this sitting; what lies before the sitting gets none.
    """

    mine: int
    sitting: int
    to_go: int
    minutes: int | None
    offset: int = 0
    state: str = "open"

    @property
    def number(self) -> int:
        """The how-many-th item of this sitting the next one is."""
        return self.sitting + 1

    @property
    def total(self) -> str:
        """How many items this sitting had when it began, as far as counted."""
        total = self.sitting + self.to_go
        return human_number(total) + ("+" if self.to_go >= MOST_COUNTED else "")

    @property
    def text(self) -> str:
        """All of it in one line, for whoever is at the next item."""
        return self.line(None)

    def line(self, position: int | None) -> str:
        """The line above the item at that position."""
        number = self.number if position is None else position - self.offset
        return self.pattern.format(item=human_number(number)) if number > 0 else self.earlier

    @property
    def pattern(self) -> str:
        """The line above an item of this sitting, with {item} in place of its number."""
        return self._line(gettext("item {item} of %(total)s to go", total=self.total))

    @property
    def earlier(self) -> str:
        """The line above an item that was answered before this sitting."""
        left = human_number(self.to_go) + ("+" if self.to_go >= MOST_COUNTED else "")
        return self._line(gettext("an earlier item · %(left)s to go", left=left))

    def _line(self, way: str) -> str:
        parts = [gettext("mine %(number)s", number=human_number(self.mine))]
        if self.state == "open" and self.to_go:
            parts.append(way)
            if self.minutes is not None:
                parts.append(_about(self.minutes))
        elif self.state == "paused":
            parts.append(gettext("paused"))
            if self.to_go:
                parts.append(gettext("%(number)s to finish", number=human_number(self.to_go)))
        elif self.state == "closed":
            parts.append(gettext("closed"))
        return " · ".join(parts)


def _about(minutes: int) -> str:
    if minutes < 120:
        return gettext("about %(minutes)s min", minutes=minutes)
    return gettext("about %(hours)s h", hours=minutes // 60)


def progress_of(session: Session, annotator_id: int) -> Progress:
    """The annotator's own progress; nothing in it depends on systems or on what others answered."""
    annotator = session.get_one(Annotator, annotator_id)
    times = _answer_times(session, annotator_id)
    study = session.get_one(Study, annotator.study_id)
    to_go, sitting = _to_go(session, annotator, study), len(_sitting(times))
    offset = _next_position(session, annotator_id) - sitting - 1
    return Progress(_graded(session, annotator_id), sitting, to_go, _minutes(times, to_go), offset, study.state)


def _next_position(session: Session, annotator_id: int) -> int:
    """The position of the first open item; where none is open, of the one that would come."""
    mine = Assignment.annotator_id == annotator_id
    first_open = session.scalar(select(func.min(Assignment.position)).where(mine, Assignment.state == "claimed"))
    return first_open or (session.scalar(select(func.max(Assignment.position)).where(mine)) or 0) + 1


def _graded(session: Session, annotator_id: int) -> int:
    statement = select(func.count()).where(Assignment.annotator_id == annotator_id, Assignment.state == "graded")
    return session.scalar(statement) or 0


def _answer_times(session: Session, annotator_id: int) -> list[datetime]:
    """When this annotator's items were finished, the latest first, as far back as a sitting can reach."""
    statement = (
        select(Assignment.finished_at)
        .where(Assignment.annotator_id == annotator_id, Assignment.finished_at > utc_now() - LONGEST_SITTING)
        .order_by(Assignment.finished_at.desc())
    )
    return [time for time in session.scalars(statement) if time is not None]


def _sitting(times: list[datetime]) -> list[datetime]:
    sitting: list[datetime] = []
    later = utc_now()
    for time in times:
        if later - time > BREAK:
            break
        sitting.append(time)
        later = time
    return sitting


def _minutes(times: list[datetime], to_go: int) -> int | None:
    """Minutes left at the person's own recent pace; None before there is one."""
    gaps = [later - earlier for later, earlier in pairwise(times[: RECENT + 1])]
    thoughts = [gap.total_seconds() for gap in gaps if gap <= LONGEST_THOUGHT]
    if not thoughts:
        return None
    return max(1, round(median(thoughts) * to_go / 60))


def _to_go(session: Session, annotator: Annotator, study: Study) -> int:
    """Items that this annotator holds open or, while the study is open, could still get."""
    if study.state not in ("open", "paused"):
        return 0
    held = select(func.count()).where(Assignment.annotator_id == annotator.id, Assignment.state == "claimed")
    known = select(Assignment.item_id).where(Assignment.annotator_id == annotator.id, Assignment.state != "lapsed")
    limit = func.coalesce(Instrument.grades_per_item, study.grades_per_item)
    free = (
        select(Item.id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Item.study_id == study.id, Item.role == "main", Item.load < limit, Item.gradable)
        .where(Item.id.not_in(known))
        .limit(MOST_COUNTED)
    )
    open_to_all = session.scalar(select(func.count()).select_from(free.subquery())) or 0
    return (session.scalar(held) or 0) + (open_to_all if study.state == "open" else 0)
