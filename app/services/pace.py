"""What an annotator may know of the way: how many are done, how many are to go, about how long that takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from app.services.own_record import record_of
from app.services.sitting import Sitting
from app.services.study_counts import StudyCount, study_count
from app.services.to_come import MOST_COUNTED, items_to_come
from app.services.way.stages import ENDINGS
from app.storage.models import Item
from app.words import gettext, human_number

LONGEST_THOUGHT = timedelta(minutes=5)
RECENT = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Of three things: what is mine, this item, the study.

    ``mine``: graded ever. ``sitting``: answered since the last break, of the instrument that is graded now; ``here``:
    to come in it. ``to_go``: to come in all. Both count up to MOST_COUNTED. Practice is no part of any.
    ``offset`` turns an item's position into its number in this sitting; what lies before the sitting gets none.
    ``practice``: for whoever is at it, of how many items it is; else None.
    """

    mine: int
    sitting: int
    here: int
    to_go: int
    minutes: int | None
    offset: int
    state: str
    stage: str
    study: StudyCount
    practice: int | None = None

    @property
    def number(self) -> int:
        """The how-many-th item of this sitting the next one is."""
        return self.sitting + 1

    @property
    def total(self) -> str:
        """How many items this sitting had when it began, as far as counted."""
        return _counted(self.sitting + self.here, is_all=self.here < MOST_COUNTED)

    @property
    def text(self) -> str:
        """All of it in one line, for whoever is at the next item."""
        return self.line(None)

    def line(self, position: int | None) -> str:
        """The line above the item at that position."""
        number = self.number if position is None else position - self.offset
        counts = {"mine": human_number(self.mine), "study": human_number(self.study.graded)}
        return (self.pattern if number > 0 else self.earlier).format(item=human_number(number), **counts)

    @property
    def pattern(self) -> str:
        """The line above an item of this sitting.

        With {item} in place of its number, {mine} and {study} of the counts, which the page can raise by itself.
        """
        if self.practice is not None:
            return gettext("practice · item {item} of %(total)s", total=human_number(self.practice))
        return self._line(gettext("item {item} of %(total)s", total=self.total))

    @property
    def earlier(self) -> str:
        """The line above an item that was answered before this sitting, with {mine} and {study}."""
        left = _counted(self.here, is_all=self.here < MOST_COUNTED)
        return self._line(gettext("an earlier item · %(left)s left", left=left))

    def _line(self, way: str) -> str:
        return " · ".join([gettext("%(number)s graded", number="{mine}"), *self._now(way)])

    def _now(self, way: str) -> list[str]:
        if self.state == "closed":
            return [gettext("the study is closed")]
        if self.stage in ENDINGS:
            return [gettext("you are done") if self.stage == "done" else gettext("your part has ended")]
        if self.state == "paused":
            left = [gettext("%(number)s to finish", number=human_number(self.to_go))] if self.to_go else []
            return [gettext("paused"), *left]
        if not self.to_go:
            return [gettext("nothing left to grade")]
        return [way, self._study, *([] if self.minutes is None else [_about(self.minutes)])]

    @property
    def _study(self) -> str:
        return gettext("study %(graded)s of %(wanted)s", graded="{study}", wanted=human_number(self.study.wanted))


def _counted(number: int, *, is_all: bool) -> str:
    return human_number(number) + ("" if is_all else "+")


def _about(minutes: int) -> str:
    if minutes < 120:
        return gettext("about %(minutes)s min left", minutes=minutes)
    return gettext("about %(hours)s h left", hours=minutes // 60)


_PRACTICE = select(func.count()).where(
    Item.instrument_id.in_(bindparam("instruments", expanding=True)), Item.role == "practice", Item.gradable
)


def progress_of(session: Session, annotator_id: int) -> Progress:
    """The annotator's own progress; nothing in it depends on systems or on what anybody answered."""
    return progress(Sitting.of(session, annotator_id))


def progress(sitting: Sitting) -> Progress:
    """``progress_of`` for an annotator whose rows are loaded already."""
    record = record_of(sitting)
    seconds = _seconds_each(record.ages)
    left = items_to_come(sitting, record.held, seconds)
    now = next(iter(left), None)
    done = record.sitting.get(now, 0) if now is not None else sum(record.sitting.values())
    to_go = min(sum(left.values()), MOST_COUNTED)
    practice = _practice(sitting) if sitting.annotator.stage == "practice" else None
    return Progress(
        mine=record.graded,
        sitting=done,
        here=left[now] if now is not None else 0,
        to_go=to_go,
        minutes=None if seconds is None else max(1, round(seconds * to_go / 60)),
        # Practice comes first, and its items come again at the same places.
        offset=0 if practice is not None else record.next_position - done - 1,
        state=sitting.study.state,
        stage=sitting.annotator.stage,
        study=study_count(sitting),
        practice=practice,
    )


def _practice(sitting: Sitting) -> int:
    instruments = [instrument.id for instrument in sitting.instruments]
    return sitting.session.scalar(_PRACTICE, {"instruments": instruments}) or 0


def _seconds_each(ages: Sequence[float]) -> float | None:
    """The person's own recent pace, seconds for an item; None before there is one."""
    gaps = [earlier - later for later, earlier in pairwise(ages[: RECENT + 1])]
    thoughts = [gap for gap in gaps if gap <= LONGEST_THOUGHT.total_seconds()]
    return median(thoughts) if thoughts else None
