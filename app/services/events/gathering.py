"""Find what happened since the last time, and write it down once.

One job at a time does it: whoever holds the mark's row. So events are committed in the order of their numbers, and a
reader who goes on after a number misses none.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.events.reading import GRADES, RUN, STATE, TARGET
from app.services.runs.periodic import periodic
from app.services.study_progress import progress_of
from app.services.webhooks.queueing import queue_for_event
from app.storage.models import Annotator, AuditEvent, EventMark, GradeEvent, Run, Study, StudyEvent

EVERY = timedelta(seconds=2)
# Grades are told of together: a study has thousands.
GRADES_EVERY = timedelta(seconds=30)
# A transaction that began before may end after one that began later; what is so old has ended.
SETTLED = timedelta(seconds=5)
# A run's end is noted before it is committed.
OVERLAP = timedelta(minutes=1)
KEPT_FOR = timedelta(days=30)
AT_ONCE = 500  # runs, at one time


@periodic(every=EVERY)
def gather_events(session: Session) -> int:
    """Write down what happened; how much that was."""
    mark = session.scalar(select(EventMark).with_for_update(skip_locked=True))
    if mark is None:
        _begin(session)
        return 0
    found = _runs(session, mark) + _states(session, mark)
    now = utc_now()
    if now - mark.grades_at >= GRADES_EVERY:
        found += _grades(session, mark, now)
    return found


@periodic(every=timedelta(hours=1))
def forget_events(session: Session) -> None:
    """Events are kept for whoever comes late, and not for ever."""
    session.execute(delete(StudyEvent).where(StudyEvent.created_at < utc_now() - KEPT_FOR))


def _begin(session: Session) -> None:
    """What happened before anybody listened is not told."""
    if session.scalar(select(EventMark.id)) is not None:
        return  # another one gathers
    now = utc_now()
    grades = session.scalar(select(func.max(GradeEvent.id))) or 0
    audit = session.scalar(select(func.max(AuditEvent.id))) or 0
    marks = {"grade_event_id": grades, "audit_event_id": audit, "runs_at": now + OVERLAP, "grades_at": now}
    with suppress(IntegrityError), session.begin_nested():  # another one may begin at this moment
        session.add(EventMark(id=1, **marks))


def _tell(session: Session, study_id: int, kind: str, key: str, data: dict[str, Any]) -> int:
    """One event more, unless it was told."""
    if _told(session, [key]):
        return 0
    session.add(StudyEvent(study_id=study_id, kind=kind, key=key, data=data))
    session.flush()
    queue_for_event(session, study_id, session.get_one(Study, study_id).slug, kind, data)
    return 1


def _told(session: Session, keys: Sequence[str]) -> set[str]:
    return set(session.scalars(select(StudyEvent.key).where(StudyEvent.key.in_(keys))))


def _runs(session: Session, mark: EventMark) -> int:
    """Runs that ended; one that is tried again ends again."""
    ended = select(Run).where(Run.finished_at > mark.runs_at - OVERLAP, Run.study_id.is_not(None))
    runs = session.scalars(ended.order_by(Run.finished_at, Run.id).limit(AT_ONCE)).all()
    keys = {run.id: f"run:{run.id}:{run.finished_at:%Y-%m-%dT%H:%M:%S.%f}" for run in runs}
    known, told = _told(session, list(keys.values())), 0
    for run in runs:
        if keys[run.id] not in known and run.study_id is not None:
            about = {"run": run.public_id, "kind": run.kind, "state": run.state, "message": run.message}
            told += _tell(session, run.study_id, RUN, keys[run.id], about)
    if len(runs) == AT_ONCE and runs[-1].finished_at is not None:
        mark.runs_at = runs[-1].finished_at + OVERLAP  # the others come next time
    elif runs:
        mark.runs_at = max(mark.runs_at, *(run.finished_at for run in runs if run.finished_at))
    return told


def _states(session: Session, mark: EventMark) -> int:
    """Studies that were opened, paused or closed."""
    settled = utc_now() - SETTLED
    new = select(AuditEvent).where(AuditEvent.id > mark.audit_event_id, AuditEvent.at <= settled)
    told = 0
    for event in session.scalars(new.order_by(AuditEvent.id)).all():
        mark.audit_event_id = event.id
        if event.action == "study state changed" and event.study_id is not None:
            states = {"before": event.details.get("before"), "after": event.details.get("after")}
            told += _tell(session, event.study_id, STATE, f"audit:{event.id}", states)
    return told


def _grades(session: Session, mark: EventMark, now: datetime) -> int:
    """How many grades came to each study, and whether it has all that it wants."""
    fresh = (GradeEvent.id > mark.grade_event_id, GradeEvent.created_at <= now - SETTLED)
    rows = session.execute(
        select(Annotator.study_id, func.count(), func.max(GradeEvent.id))
        .join(Annotator, Annotator.id == GradeEvent.annotator_id)
        .where(*fresh, GradeEvent.kind.in_(("grade", "change", "withdraw", "import")))
        .group_by(Annotator.study_id)
        .order_by(Annotator.study_id)
    ).all()
    mark.grades_at = now
    told = 0
    for study_id, number, last in rows:
        progress = progress_of(session, [session.get_one(Study, study_id)])[study_id]
        counts = {"held": progress.held, "wanted": progress.wanted}
        told += _tell(session, study_id, GRADES, f"grades:{study_id}:{last}", {"new": number, **counts})
        if 0 < progress.wanted <= progress.held:
            told += _tell(session, study_id, TARGET, f"target:{study_id}:{progress.wanted}", counts)
        mark.grade_event_id = max(mark.grade_event_id, last)
    return told
