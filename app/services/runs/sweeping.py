"""What a sweeper does every half second: hand waiting runs to the broker, and take back runs that lost their worker.

Only a few messages lie in the broker at a time. The order among all the others is the database's (priority, then
age), so that a short run someone waits for overtakes a thousand long ones, on any broker; and a broker that loses
everything loses a handful of hints.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs.context import LEASE
from app.services.runs.ending import CANCELLED, MAX_ATTEMPTS, is_due
from app.services.runs.processes import is_surely_gone
from app.services.runs.workers import capacity
from app.storage.models import Run
from app.words import N_

# A message that nobody took for so long counts as lost; sooner where somebody is free to take it.
MESSAGE_LIFE = timedelta(seconds=60)
MESSAGE_LIFE_IF_FREE = timedelta(seconds=10)
MESSAGES_PER_SLOT = 4

CRASHED = N_(
    "The worker was lost in the middle of this run %(number)s times, most likely for want of memory. "
    "What was stored before stays. Try it with less at once, or on a machine with more memory.",
) % {"number": MAX_ATTEMPTS}


def claim_for_publishing(session: Session, queue: str) -> list[int]:
    """Mark the next runs of that queue as sent and return them; two sweepers never get the same one."""
    now, slots = utc_now(), capacity(session, queue)
    lost_before = now - (MESSAGE_LIFE_IF_FREE if _running(session, queue) < slots else MESSAGE_LIFE)
    room = max(slots, 1) * MESSAGES_PER_SLOT - _in_broker(session, queue, lost_before)
    if room <= 0:
        return []
    unsent = or_(Run.published_at.is_(None), Run.published_at < lost_before)
    best_first = (
        select(Run.id)
        .where(Run.queue == queue, is_due(now), unsent)
        .order_by(Run.priority.desc(), Run.id)
        .limit(room)
        .with_for_update(skip_locked=True)
    )
    ids = session.scalars(best_first).all()
    if ids:
        session.execute(update(Run).where(Run.id.in_(ids), unsent).values(published_at=now))
    return list(ids)


def _running(session: Session, queue: str) -> int:
    return session.scalar(select(func.count()).where(Run.queue == queue, Run.state == "running")) or 0


def _in_broker(session: Session, queue: str, lost_before: datetime) -> int:
    fresh = Run.published_at >= lost_before
    statement = select(func.count()).where(Run.queue == queue, Run.state == "queued", fresh)
    return session.scalar(statement) or 0


def unheard(session: Session, queues: Sequence[str]) -> list[tuple[int, int]]:
    """Runs, by their attempts, that were sent and wait, while nothing of these queues is being done."""
    if any(_running(session, queue) for queue in queues):
        return []
    sent = select(Run.id, Run.attempt).where(
        Run.queue.in_(queues), Run.state == "queued", Run.published_at.is_not(None)
    )
    return [(run_id, attempt) for run_id, attempt in session.execute(sent)]


def unpublish(session: Session, run_ids: Sequence[int]) -> None:
    """The broker didn't take these; the next sweep tries again."""
    session.execute(update(Run).where(Run.id.in_(run_ids), Run.state == "queued").values(published_at=None))


def forget_messages(session: Session, queues: Iterable[str]) -> None:
    """A worker starts: what was sent before may have died with its predecessor. A message too many does no harm."""
    session.execute(
        update(Run)
        .where(Run.queue.in_(list(queues)), Run.state == "queued", Run.published_at.is_not(None))
        .values(published_at=None)
    )


class Judge(Protocol):
    """Tells which running runs have lost their worker."""

    def lapsed(self, running: Sequence[Run]) -> list[Run]:
        """Those of the running runs whose lease has ended."""


class PastLeases:
    """For a command, which is too short to watch: what the lease itself says. Wrong clocks may have it take what goes
    on elsewhere; that attempt then stores nothing more, and what it had stored is gone on from."""

    def lapsed(self, running: Sequence[Run]) -> list[Run]:
        """Those of the running runs whose lease lies in the past."""
        now = utc_now()
        return [run for run in running if run.lease_until is not None and run.lease_until < now]


class Watch:
    """Which leases have not been renewed for how long, by this process' own steady clock.

    A lease's time is only compared with itself: clocks of machines differ, and the one of this machine may be set.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[int, tuple[int, datetime | None, float]] = {}

    def lapsed(self, running: Sequence[Run]) -> list[Run]:
        """Those of the running runs whose worker has shown no life for as long as a lease lasts."""
        now = self._clock()
        before, self._seen = self._seen, {}
        for run in running:
            fence, lease, since = before.get(run.id, (-1, None, now))
            is_same = (fence, lease) == (run.fence, run.lease_until)
            self._seen[run.id] = (run.fence, run.lease_until, since if is_same else now)
        return [run for run in running if now - self._seen[run.id][2] >= LEASE.total_seconds()]


def take_back_lost(session: Session, watch: Judge) -> int:
    """Queue again each running run whose lease has lapsed, or whose process is known to be gone (known sooner)."""
    running = session.scalars(select(Run).where(Run.state == "running")).all()
    lapsed = watch.lapsed(running)
    lost = [run for run in running if run in lapsed or is_surely_gone(run.worker)]
    return sum(_take_back(session, run, counts=True) for run in lost)


def give_back(session: Session) -> int:
    """A worker of this machine was stopped on purpose: its unfinished runs wait again; the attempt doesn't count."""
    running = session.scalars(select(Run).where(Run.state == "running")).all()
    return sum(_take_back(session, run, counts=False) for run in running if is_surely_gone(run.worker))


def _take_back(session: Session, run: Run, *, counts: bool) -> bool:
    """Nothing happens when the run's worker showed life, or another sweeper was quicker; nor while somebody holds the
    row, be it a machine that froze in the middle of a commit: the others must not wait for it."""
    unchanged = (Run.state == "running", Run.fence == run.fence, Run.lease_until == run.lease_until)
    free = select(Run.id).where(Run.id == run.id, *unchanged).with_for_update(skip_locked=True)
    statement = (
        update(Run)
        .where(Run.id == session.scalar(free), *unchanged)
        .values(lease_until=None, **_after_loss(run, counts=counts))
        .returning(Run.id)
    )
    return session.scalar(statement, execution_options={"synchronize_session": False}) is not None


def _after_loss(run: Run, *, counts: bool) -> dict[str, object]:
    if run.cancel_requested_at is not None:
        return {"state": "cancelled", "message": CANCELLED, "finished_at": utc_now()}
    if counts and run.attempt >= MAX_ATTEMPTS:
        return {"state": "failed", "message": CRASHED, "finished_at": utc_now()}
    return {"state": "queued", "published_at": None, "attempt": run.attempt if counts else run.attempt - 1}
