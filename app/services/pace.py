"""What an annotator may know of the way: how many are done, how many are to go, about how long that takes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import ceil
from statistics import median
from typing import NamedTuple

from sqlalchemy import Integer, bindparam, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.candidates import USED_AS_CHECK
from app.services.questionnaires.instruments import target_of
from app.services.sitting import Sitting
from app.services.study_counts import StudyCount, study_count
from app.services.way.work import work_of
from app.storage.models import Assignment, Instrument, Item
from app.words import gettext, human_number

# A longer gap between two answers is a break: it ends a sitting and says nothing about the pace.
BREAK = timedelta(minutes=30)
LONGEST_THOUGHT = timedelta(minutes=5)
LONGEST_SITTING = timedelta(hours=12)
RECENT = 20
# Counting further would cost more the bigger the study, and tell nobody more.
MOST_COUNTED = 1000
# So many are more than MOST_COUNTED, whatever one person has done of them and whatever was retired.
FAR_MORE = 10_000


@dataclass(frozen=True, slots=True)
class Progress:
    """Of three things: what is mine, this item, the study.

    ``mine``: graded ever. ``sitting``: answered since the last break, of the instrument that is graded now; ``here``:
    to go in it. ``to_go``: to go in all. Both count up to MOST_COUNTED.
    ``offset`` turns an item's position into its number in this sitting; what lies before the sitting gets none.
    """

    mine: int
    sitting: int
    here: int
    to_go: int
    minutes: int | None
    offset: int
    state: str
    study: StudyCount

    @property
    def number(self) -> int:
        """The how-many-th item of this sitting the next one is."""
        return self.sitting + 1

    @property
    def total(self) -> str:
        """How many items this sitting had when it began, as far as counted."""
        return human_number(self.sitting + self.here) + ("+" if self.here >= MOST_COUNTED else "")

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
        left = human_number(self.here) + ("+" if self.here >= MOST_COUNTED else "")
        return self._line(gettext("an earlier item · %(left)s to go", left=left))

    def _line(self, way: str) -> str:
        parts = [gettext("mine %(number)s", number=human_number(self.mine))]
        if self.state == "open" and self.to_go:
            parts.append(way)
            parts.append(self._study)
            if self.minutes is not None:
                parts.append(_about(self.minutes))
        elif self.state == "paused":
            parts.append(gettext("paused"))
            if self.to_go:
                parts.append(gettext("%(number)s to finish", number=human_number(self.to_go)))
        elif self.state == "closed":
            parts.append(gettext("closed"))
        return " · ".join(parts)

    @property
    def _study(self) -> str:
        graded = human_number(max(self.study.graded, self.mine))  # the study's count may be a little old
        wanted = human_number(self.study.wanted)
        return gettext("study %(graded)s of %(wanted)s", graded=graded, wanted=wanted)


def _about(minutes: int) -> str:
    if minutes < 120:
        return gettext("about %(minutes)s min", minutes=minutes)
    return gettext("about %(hours)s h", hours=minutes // 60)


class _Answered(NamedTuple):
    """When an item of which instrument was finished."""

    at: datetime
    instrument_id: int


class _Standing(NamedTuple):
    """Items that count and are graded; where the first open item stands, and the last of all."""

    graded: int
    first_open: int | None
    last: int | None

    @property
    def next_position(self) -> int:
        """The position of the first open item; where none is open, of the one that would come."""
        return self.first_open or (self.last or 0) + 1


# Each grade asks for these, so they are put together once.
_MINE = Assignment.annotator_id == bindparam("annotator_id")
_PRACTISED = (
    select(func.count())
    .select_from(Item)
    .join(Assignment, Assignment.item_id == Item.id)
    # By instrument, since the index begins with it; from the few practice items, not from all that was done.
    .where(Item.instrument_id.in_(bindparam("instruments", expanding=True)), Item.role == "practice")
    .where(_MINE, Assignment.state == "graded")
)
_STANDING = select(
    select(func.count()).where(_MINE, Assignment.state == "graded").scalar_subquery() - _PRACTISED.scalar_subquery(),
    select(func.min(Assignment.position)).where(_MINE, Assignment.state == "claimed").scalar_subquery(),
    select(func.max(Assignment.position)).where(_MINE).scalar_subquery(),
)
_ANSWERED = (
    select(Assignment.finished_at, Item.instrument_id)
    .join(Item, Item.id == Assignment.item_id)
    .where(_MINE, Assignment.finished_at > bindparam("since"))
    .order_by(Assignment.finished_at.desc())
)
_HELD = (
    select(Item.instrument_id, func.count())
    .join(Assignment, Assignment.item_id == Item.id)
    .where(_MINE, Assignment.state == "claimed")
    .group_by(Item.instrument_id)
)


def progress_of(session: Session, annotator_id: int) -> Progress:
    """The annotator's own progress; nothing in it depends on systems or on what anybody answered."""
    return progress(Sitting.of(session, annotator_id))


def progress(sitting: Sitting) -> Progress:
    """``progress_of`` for an annotator whose rows are loaded already."""
    answered, standing = _answered(sitting), _standing(sitting)
    seconds = _seconds_each([each.at for each in answered])
    left = _within_limits(sitting, _left(sitting), seconds)
    now = next(iter(left), None)
    here = [each.at for each in answered if each.instrument_id == now] if left else [each.at for each in answered]
    to_go, done = min(sum(left.values()), MOST_COUNTED), len(_sitting(here))
    return Progress(
        mine=standing.graded,
        sitting=done,
        here=left[now] if now is not None else 0,
        to_go=to_go,
        minutes=None if seconds is None else max(1, round(seconds * to_go / 60)),
        offset=standing.next_position - done - 1,
        state=sitting.study.state,
        study=study_count(sitting),
    )


def _standing(sitting: Sitting) -> _Standing:
    instruments = [instrument.id for instrument in sitting.instruments]
    values = {"annotator_id": sitting.annotator.id, "instruments": instruments}
    return _Standing(*sitting.session.execute(_STANDING, values).one())


def _answered(sitting: Sitting) -> list[_Answered]:
    """This annotator's finished items, the latest first, as far back as a sitting can reach."""
    values = {"annotator_id": sitting.annotator.id, "since": utc_now() - LONGEST_SITTING}
    rows = sitting.session.execute(_ANSWERED, values)
    return [_Answered(at, instrument_id) for at, instrument_id in rows if at is not None]


def _sitting(times: list[datetime]) -> list[datetime]:
    sitting: list[datetime] = []
    later = utc_now()
    for time in times:
        if later - time > BREAK:
            break
        sitting.append(time)
        later = time
    return sitting


def _seconds_each(times: list[datetime]) -> float | None:
    """The person's own recent pace, seconds for an item; None before there is one."""
    gaps = [later - earlier for later, earlier in pairwise(times[: RECENT + 1])]
    thoughts = [gap.total_seconds() for gap in gaps if gap <= LONGEST_THOUGHT]
    return median(thoughts) if thoughts else None


def _within_limits(sitting: Sitting, left: dict[int, int], seconds: float | None) -> dict[int, int]:
    """What is left of each instrument, no more in all than this person may still grade."""
    limits = sitting.options.limits
    if limits.items is None and limits.minutes is None:
        return left
    work = work_of(sitting.session, sitting.annotator.id, limits)
    rooms = [] if limits.items is None else [limits.items - work.items]
    if limits.minutes is not None and seconds:
        rooms.append(ceil((limits.minutes * 60 - work.active.total_seconds()) / seconds))
    return _first(left, max(0, min(rooms))) if rooms else left


def _first(left: dict[int, int], room: int) -> dict[int, int]:
    """So many of them, in order."""
    allowed = {}
    for instrument_id, count in left.items():
        if taken := min(count, room):
            allowed[instrument_id] = taken
        room -= taken
    return allowed


def _left(sitting: Sitting) -> dict[int, int]:
    """By instrument, in order: items that this annotator holds open or, while the study is open, could still get."""
    if sitting.study.state not in ("open", "paused"):
        return {}
    held = dict(sitting.session.execute(_HELD, {"annotator_id": sitting.annotator.id}).all())
    left = {}
    for instrument in sitting.instruments:
        free = _free(sitting, instrument) if sitting.study.state == "open" else 0
        if count := held.get(instrument.id, 0) + free:
            left[instrument.id] = count
    return left


def _free(sitting: Sitting, instrument: Instrument) -> int:
    """Items that this annotator could still get, as far as counted."""
    # Where there are very many, the study's own count tells so; only where there are fewer, each is looked at.
    if study_count(sitting).open_items.get(instrument.id, 0) >= FAR_MORE:
        return MOST_COUNTED
    values = {
        "instrument_id": instrument.id,
        "limit": target_of(sitting.study, instrument),
        "annotator_id": sitting.annotator.id,
        "most": MOST_COUNTED,
    }
    return sitting.session.scalar(_FREE, values) or 0


_FREE = select(func.count()).select_from(
    select(Item.id)
    # Both kinds are named, so that ix_items_next leads straight to the items with a free slot.
    .where(Item.instrument_id == bindparam("instrument_id"), Item.role == "main")
    .where(Item.is_reference.in_((False, True)), Item.load < bindparam("limit"), Item.gradable)
    .where(Item.id.not_in(select(Assignment.item_id).where(_MINE, Assignment.state != "lapsed")))
    .where(Item.id.not_in(USED_AS_CHECK))
    .limit(bindparam("most", type_=Integer))
    .subquery()
)
