"""The study's annotators with where each one is: the only lists where a name stands beside a pseudonym."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import NotFound
from app.services.pace import LONGEST_THOUGHT
from app.storage.models import Annotator, Assignment, Instrument, Invitation, Item, SignIn, Study
from app.words import gettext

# Whoever answered nothing for so long has no pace now.
RECENTLY = timedelta(hours=2)
Which = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator. ``items``: answered ones, as the person is told: surplus and checks included, practice not.

    ``seconds``: from one answer to the next, median.
    """

    annotator: Annotator
    invitation: str | None  # the label of the link that brought them; None for imported and simulated ones
    items: int
    last_answer: datetime | None
    last_seen: datetime | None
    seconds: float | None = None

    @property
    def is_here(self) -> bool:
        """Whether they were seen a few minutes ago."""
        return self.last_seen is not None and self.last_seen > utc_now() - timedelta(minutes=15)


def people_of(session: Session, study: Study, *which: ColumnElement[bool]) -> list[Person]:
    """The study's annotators, or those of them for whom ``which`` holds, in the order in which they came."""
    of = (Annotator.study_id == study.id, *which)
    rows = session.execute(
        select(Annotator, Invitation.label)
        .outerjoin(Invitation, Invitation.id == Annotator.invitation_id)
        .where(*of)
        .order_by(Annotator.id)
    )
    done, seen, seconds = _done(session, of), _seen(session, of), _seconds(session, of)
    people = []
    for annotator, label in rows:
        items, last_answer = done.get(annotator.id, (0, None))
        here = [at for at in (seen.get(annotator.id), last_answer) if at is not None]
        last_seen = max(here, default=None) if annotator.kind == "person" else None  # others' answers came in files
        people.append(Person(annotator, label, items, last_answer, last_seen, seconds.get(annotator.id)))
    return people


def person_of(session: Session, study: Study, annotator_id: int) -> Person:
    """One of them."""
    find_annotator(session, study, annotator_id)
    return people_of(session, study, Annotator.id == annotator_id)[0]


def find_annotator(session: Session, study: Study, annotator_id: int, *, lock: bool = False) -> Annotator:
    """The study's annotator with that number; with ``lock`` held until the commit."""
    annotator = session.get(Annotator, annotator_id, with_for_update={"key_share": True} if lock else None)
    if annotator is None or annotator.study_id != study.id:
        raise NotFound(gettext("There is no such annotator."))
    return annotator


def _done(session: Session, of: Which) -> dict[int, tuple[int, datetime | None]]:
    """How many items each answered, practice apart, and when the last one, by ix_assignments_pace."""
    graded = (Assignment.annotator_id == Annotator.id, Assignment.state == "graded")
    items = select(func.count()).where(*graded).correlate(Annotator)
    practised = items.where(Assignment.item_id.in_(_practice()))
    last, last_surplus = (
        select(func.max(Assignment.finished_at)).where(*graded, Assignment.surplus.is_(surplus)).scalar_subquery()
        for surplus in (False, True)
    )
    rows = session.execute(
        select(Annotator.id, items.scalar_subquery(), practised.scalar_subquery(), last, last_surplus).where(*of)
    )
    return {
        who: (number - practice, max((at for at in times if at), default=None))
        for who, number, practice, *times in rows
    }


def _practice() -> Select[int]:
    """The practice items of the annotator's study, by instrument, as their index wants it."""
    of_study = Instrument.study_id == Annotator.study_id
    practice = select(Item.id).join(Instrument, Instrument.id == Item.instrument_id)
    return practice.where(of_study, Item.role == "practice").correlate(Annotator)


def _seen(session: Session, of: Which) -> dict[int, datetime]:
    rows = session.execute(
        select(SignIn.annotator_id, func.max(SignIn.last_seen_at))
        .where(SignIn.annotator_id.in_(select(Annotator.id).where(*of)))
        .group_by(SignIn.annotator_id)
    )
    return {annotator: at for annotator, at in rows if annotator is not None and at is not None}


def _seconds(session: Session, of: Which) -> dict[int, float]:
    """Median seconds between the latest answers of whoever is at it; imported answers came all at one time."""
    here = select(Annotator.id).where(*of, Annotator.kind == "person")
    rows = session.execute(
        select(Assignment.annotator_id, Assignment.finished_at)
        .where(Assignment.annotator_id.in_(here), Assignment.state == "graded")
        .where(Assignment.surplus.in_((True, False)), Assignment.finished_at > utc_now() - RECENTLY)
        .order_by(Assignment.annotator_id, Assignment.finished_at)
    )
    times: dict[int, list[datetime]] = {}
    for annotator, at in rows:
        if at is not None:
            times.setdefault(annotator, []).append(at)
    gaps = {
        annotator: [
            gap.total_seconds() for early, late in pairwise(found) if (gap := late - early) <= LONGEST_THOUGHT
        ]
        for annotator, found in times.items()
    }
    return {annotator: median(found) for annotator, found in gaps.items() if found}
