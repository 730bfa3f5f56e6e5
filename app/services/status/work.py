"""What waits, who works, and how runs ended lately, from the rows: the same whichever process is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs.workers import live_workers
from app.storage.elapsed import Seconds
from app.storage.models import GradeEvent, Run, Worker

DAY = timedelta(days=1)
# Queues that there are, also where nothing waits in them and nobody takes them.
QUEUES = ("cpu", "gpu", "runner")
ACCEPTED = ("grade", "change")


@dataclass(frozen=True, slots=True)
class QueueState:
    """One queue: ``oldest`` is how long the run that waits longest has waited; ``silence``, since when nobody was
    heard of who takes from it."""

    name: str
    waiting: int
    running: int
    oldest: timedelta
    workers: int
    silence: timedelta | None


@dataclass(frozen=True, slots=True)
class Ended:
    """Runs of one kind that ended in one way within the last day, and the time that their last attempts took."""

    kind: str
    outcome: str
    number: int
    seconds: float
    longest: float

    @property
    def mean(self) -> timedelta:
        """How long one took on average."""
        return timedelta(seconds=self.seconds / self.number)

    @property
    def most(self) -> timedelta:
        """How long the longest took."""
        return timedelta(seconds=self.longest)


def queue_states(session: Session) -> list[QueueState]:
    """Each queue, with what is in it and who takes from it."""
    now = utc_now()
    counted = select(Run.queue, Run.state, func.count(), func.min(_waits_since()))
    active = counted.where(Run.state.in_(("queued", "running"))).group_by(Run.queue, Run.state)
    found = {(queue, state): (number, since) for queue, state, number, since in session.execute(active)}
    heard = session.scalars(select(Worker)).all()
    alive = {worker.id for worker in live_workers(session)}
    names = [*QUEUES, *sorted({queue for queue, _ in found} - set(QUEUES))]
    return [_queue_state(name, found, heard, alive, now) for name in names]


def _queue_state(
    name: str,
    found: dict[tuple[str, str], tuple[int, datetime]],
    heard: Sequence[Worker],
    alive: set[int],
    now: datetime,
) -> QueueState:
    waiting, since = found.get((name, "queued"), (0, now))
    running, _ = found.get((name, "running"), (0, now))
    takers = [worker for worker in heard if name in worker.queues]
    last = max((worker.seen_at for worker in takers), default=None)
    return QueueState(
        name,
        waiting,
        running,
        oldest=max(now - since, timedelta(0)),
        workers=sum(worker.id in alive for worker in takers),
        silence=None if last is None else max(now - last, timedelta(0)),
    )


def _waits_since() -> ColumnElement[datetime]:
    """When it was put back, else when it let another one go first, else when it was asked for."""
    since: ColumnElement[datetime] = func.coalesce(Run.not_before, Run.started_at, Run.created_at)
    return since


def ended_lately(session: Session) -> list[Ended]:
    """Runs that ended within the last day, by kind and outcome; one that was tried again since is none of them."""
    took = Seconds(Run.started_at, Run.finished_at)
    statement = (
        select(Run.kind, Run.state, func.count(), func.coalesce(func.sum(took), 0), func.coalesce(func.max(took), 0))
        .where(Run.finished_at > utc_now() - DAY, Run.state.in_(("done", "failed", "cancelled")))
        .group_by(Run.kind, Run.state)
        .order_by(Run.kind, Run.state)
    )
    return [
        Ended(kind, outcome, number, float(seconds), float(longest))
        for kind, outcome, number, seconds, longest in session.execute(statement)
    ]


def failed_lately(session: Session, most: int) -> list[Run]:
    """The latest failures within the last day."""
    statement = select(Run).where(Run.finished_at > utc_now() - DAY, Run.state == "failed")
    return list(session.scalars(statement.order_by(Run.finished_at.desc(), Run.id.desc()).limit(most)))


def accepted_grades(session: Session) -> dict[str, int]:
    """How often a grade was given, or changed, as the history of grades tells it, which only grows."""
    counted = select(GradeEvent.kind, func.count()).where(GradeEvent.kind.in_(ACCEPTED)).group_by(GradeEvent.kind)
    found = dict(session.execute(counted).all())
    return {kind: found.get(kind, 0) for kind in ACCEPTED}
