"""How a study goes on at this moment. Everything here is read from indexes: the page asks every few seconds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.counting import count_lent
from app.services.desk.people import Person, people_of
from app.services.questionnaires.instruments import instruments_of, target_of
from app.services.study_progress import StudyProgress, items_by_grades, progress_of
from app.storage.models import Annotator, Assignment, Instrument, Item, Study

HOURS = 24
MOST_LISTED = 50  # people: all of them stand under Annotators
DAYS_AT_ONCE = 200  # in one statement
# Further ahead than this nobody can plan, and dates end.
FAR = 24 * 3650.0  # hours


@dataclass(frozen=True, slots=True)
class Bin:
    """How many items were answered in the hour or day that begins then."""

    start: datetime
    items: int


@dataclass(frozen=True, slots=True)
class Projection:
    """When the target is met if people go on as in the last hours.

    met: it is. never: nothing came in these hours, or it would take more than ten years. rate: grades an hour.
    """

    kind: Literal["met", "never", "projected"]
    rate: float
    hours: float  # how many hours the rate is taken from
    left: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shortage:
    """How many items of an instrument lack so many grades, the most lacking first."""

    instrument: Instrument
    target: int
    items_by_missing: dict[int, int]
    is_empty: bool  # there is no item, so that nobody is asked

    @property
    def items(self) -> int:
        """Items that lack any."""
        return sum(self.items_by_missing.values())


@dataclass(frozen=True, slots=True)
class LiveState:
    """All that the live page shows."""

    at: datetime
    progress: StudyProgress
    projection: Projection | None  # None where there is nothing to grade
    hours: list[Bin]
    people: list[Person]  # the MOST_LISTED who were seen last, in the order in which they came
    people_in_all: int
    others: bool  # some are no people who answer here: imported or simulated
    shortages: list[Shortage]
    lent: int  # items in use as practice or checks


def live_state(session: Session, study: Study) -> LiveState:
    """The study now."""
    now = utc_now()
    instruments = instruments_of(session, study.id)
    counts = items_by_grades(session, [each.id for each in instruments])
    people = people_of(session, study)
    progress = progress_of(session, [study], counts)[study.id]
    hours = answered_by_hour(session, study, now)
    return LiveState(
        at=now,
        progress=progress,
        projection=_projection(study, progress, _towards_target(session, study, now), now)
        if progress.wanted
        else None,
        hours=hours,
        people=_seen_last(people),
        people_in_all=len(people),
        others=any(each.annotator.kind != "person" for each in people),
        shortages=_shortages(study, instruments, counts),
        lent=count_lent(session, list(counts)),
    )


def _seen_last(people: list[Person]) -> list[Person]:
    long_ago = datetime.min.replace(tzinfo=UTC)
    latest = sorted(people, key=lambda each: each.last_seen or long_ago, reverse=True)[:MOST_LISTED]
    return sorted(latest, key=lambda each: each.annotator.id)


def project(left: int, recent: int, hours: float, now: datetime) -> Projection:
    """``left`` grades to go when ``recent`` came in the last ``hours``."""
    rate = recent / hours
    if left <= 0:
        return Projection("met", rate, hours, 0)
    if recent == 0 or left / rate > FAR:
        return Projection("never", rate, hours, left)
    return Projection("projected", rate, hours, left, now + timedelta(hours=left / rate))


def _projection(study: Study, progress: StudyProgress, recent: int, now: datetime) -> Projection:
    # A study that opened this morning has had no 24 hours; in its first minutes nothing can be said.
    opened = study.opened_at or now - timedelta(hours=HOURS)
    hours = min(float(HOURS), max(1.0, (now - opened) / timedelta(hours=1)))
    return project(progress.wanted - progress.held, recent, hours, now)


def answered_by_hour(session: Session, study: Study, now: datetime) -> list[Bin]:
    """The last 24 hours, the present one last."""
    first = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS - 1)
    found = _answered(session, study, first)
    return [Bin(at, found[f"{at:%Y-%m-%d %H}"]) for at in (first + timedelta(hours=n) for n in range(HOURS))]


def answered_by_day(session: Session, study: Study) -> list[Bin]:
    """Every day from the first answer to the last, in UTC. Each is a range of an index."""
    first, last = _first_and_last(session, study)
    if first is None or last is None:
        return []
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    answers = select(func.count()).where(*_counting(study))
    found: list[int] = []
    for start in range(0, len(days), DAYS_AT_ONCE):
        counts = (_within(answers, day).scalar_subquery() for day in days[start : start + DAYS_AT_ONCE])
        found += session.execute(select(*counts)).one()
    return [Bin(day, items) for day, items in zip(days, found, strict=True)]


def _within(answers: Select[int], day: datetime) -> Select[int]:
    return answers.where(Assignment.finished_at >= day, Assignment.finished_at < day + timedelta(days=1))


def _first_and_last(session: Session, study: Study) -> tuple[datetime | None, datetime | None]:
    """The days of the first and the last answer; by annotator, so that each is an end of a range."""
    mine = (Assignment.annotator_id == Annotator.id, Assignment.state == "graded", Assignment.surplus.is_(False))
    ends = (
        select(end(Assignment.finished_at)).where(*mine).correlate(Annotator).scalar_subquery()
        for end in (func.min, func.max)
    )
    rows = session.execute(select(*ends).where(*_people(study))).all()
    times = [at for row in rows for at in row if at is not None]
    if not times:
        return None, None
    first, last = (at.replace(hour=0, minute=0, second=0, microsecond=0) for at in (min(times), max(times)))
    return first, last


def shortages_of(session: Session, study: Study) -> list[Shortage]:
    """Per instrument, how many items lack how many grades."""
    instruments = instruments_of(session, study.id)
    return _shortages(study, instruments, items_by_grades(session, [each.id for each in instruments]))


def _shortages(study: Study, instruments: Iterable[Instrument], counts: Mapping[int, Counter[int]]) -> list[Shortage]:
    return [
        Shortage(
            each, target := target_of(study, each), _missing(counts[each.id], target), not counts[each.id].total()
        )
        for each in instruments
    ]


def _missing(items: Counter[int], target: int) -> dict[int, int]:
    found: Counter[int] = Counter()
    for grades, number in items.items():
        if grades < target:
            found[target - grades] += number
    return dict(sorted(found.items(), reverse=True))


def _people(study: Study) -> list[ColumnElement[bool]]:
    return [Annotator.study_id == study.id, Annotator.kind == "person", Annotator.excluded_at.is_(None)]


def _counting(study: Study) -> list[ColumnElement[bool]]:
    """Answers that count, given here: of people who aren't excluded, not surplus, not imported."""
    people = select(Annotator.id).where(*_people(study))
    return [Assignment.annotator_id.in_(people), Assignment.state == "graded", Assignment.surplus.is_(False)]


def _answered(session: Session, study: Study, since: datetime) -> Counter[str]:
    """Answers by the hour of their time in UTC."""
    if session.get_bind().dialect.name == "sqlite":
        hour = func.substr(Assignment.finished_at, 1, 13)
    else:
        hour = func.to_char(func.timezone("UTC", Assignment.finished_at), "YYYY-MM-DD HH24")
    rows = select(hour, func.count()).where(*_counting(study), Assignment.finished_at >= since)
    return Counter(dict(session.execute(rows.group_by(hour)).all()))


def _towards_target(session: Session, study: Study, now: datetime) -> int:
    """Answers of the last 24 hours that bring the target nearer: of the study's own items, not of checks."""
    others = (
        select(Item.id)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .where(Instrument.study_id == study.id, Item.role.in_(("practice", "loud", "silent", "repeat")))
    )
    rows = select(func.count()).where(*_counting(study), Assignment.finished_at > now - timedelta(hours=HOURS))
    return session.scalar(rows.where(Assignment.item_id.not_in(others))) or 0
