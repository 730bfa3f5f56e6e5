"""The study's annotators with where each one is: the only lists where a name stands beside a pseudonym."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.errors import NotFound
from app.services.pace import LONGEST_THOUGHT
from app.storage.models import Annotator, Assignment, Invitation, SignIn, Study
from app.words import gettext

# Whoever answered nothing for so long has no pace now.
RECENTLY = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator. ``items``: answered ones, surplus included; ``seconds``: from one answer to the next, median."""

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


def people_of(session: Session, study: Study) -> list[Person]:
    """The study's annotators in the order in which they came."""
    rows = session.execute(
        select(Annotator, Invitation.label)
        .outerjoin(Invitation, Invitation.id == Annotator.invitation_id)
        .where(Annotator.study_id == study.id)
        .order_by(Annotator.id)
    )
    done, seen, seconds = _done(session, study), _seen(session, study), _seconds(session, study)
    people = []
    for annotator, label in rows:
        items, last_answer = done.get(annotator.id, (0, None))
        here = [at for at in (seen.get(annotator.id), last_answer) if at is not None]
        last_seen = max(here, default=None) if annotator.kind == "person" else None  # others' answers came in files
        people.append(Person(annotator, label, items, last_answer, last_seen, seconds.get(annotator.id)))
    return people


def find_annotator(session: Session, study: Study, annotator_id: int, *, lock: bool = False) -> Annotator:
    """The study's annotator with that number; with ``lock`` held until the commit."""
    annotator = session.get(Annotator, annotator_id, with_for_update={"key_share": True} if lock else None)
    if annotator is None or annotator.study_id != study.id:
        raise NotFound(gettext("There is no such annotator."))
    return annotator


def _of_study(study: Study) -> Select[int]:
    return select(Annotator.id).where(Annotator.study_id == study.id)


def _here(study: Study) -> Select[int]:
    """Those who answer here; the others' answers came with a file, all at one time."""
    return _of_study(study).where(Annotator.kind == "person")


def _done(session: Session, study: Study) -> dict[int, tuple[int, datetime | None]]:
    rows = session.execute(
        select(Assignment.annotator_id, func.count(), func.max(Assignment.finished_at))
        .where(Assignment.annotator_id.in_(_of_study(study)), Assignment.state == "graded")
        .group_by(Assignment.annotator_id)
    )
    return {annotator: (items, last) for annotator, items, last in rows}


def _seen(session: Session, study: Study) -> dict[int, datetime]:
    rows = session.execute(
        select(SignIn.annotator_id, func.max(SignIn.last_seen_at))
        .where(SignIn.annotator_id.in_(_of_study(study)))
        .group_by(SignIn.annotator_id)
    )
    return {annotator: at for annotator, at in rows if annotator is not None and at is not None}


def _seconds(session: Session, study: Study) -> dict[int, float]:
    """Median seconds between the latest answers of whoever is at it."""
    rows = session.execute(
        select(Assignment.annotator_id, Assignment.finished_at)
        .where(Assignment.annotator_id.in_(_here(study)), Assignment.state == "graded")
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
