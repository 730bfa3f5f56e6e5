"""Which workers live: each says so every few seconds."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs.processes import is_surely_gone
from app.storage.models import Worker

BEAT = timedelta(seconds=5)
SILENT_AFTER = timedelta(seconds=20)
FORGOTTEN_AFTER = timedelta(hours=1)


NO_WORKER, NO_BROKER = "worker", "broker"


def beat(session: Session, name: str, queues: Sequence[str], concurrency: int, trouble: str = "") -> None:
    """This worker lives; ``trouble``: what keeps it from working all the same."""
    worker = session.scalar(select(Worker).where(Worker.name == name))
    if worker is None:
        worker = Worker(name=name, queues=list(queues), concurrency=concurrency)
        session.add(worker)
    worker.queues, worker.concurrency, worker.trouble = list(queues), concurrency, trouble
    worker.seen_at = utc_now()
    session.execute(delete(Worker).where(Worker.seen_at < utc_now() - FORGOTTEN_AFTER))


def leave(session: Session, name: str) -> None:
    """This worker stops."""
    session.execute(delete(Worker).where(Worker.name == name))


def live_workers(session: Session) -> list[Worker]:
    """The workers that were heard of lately; one of this machine whose process has ended is not waited for."""
    recent = session.scalars(select(Worker).where(Worker.seen_at > utc_now() - SILENT_AFTER).order_by(Worker.id))
    return [worker for worker in recent if not is_surely_gone(worker.name)]


def capacity(session: Session, queue: str) -> int:
    """How many runs of that queue the live workers do at the same time; 0 when nobody would do one."""
    return sum(worker.concurrency for worker in live_workers(session) if queue in worker.queues)


def hindrance(session: Session, queue: str) -> str:
    """Why nobody would begin a run of that queue now: NO_WORKER, NO_BROKER, or "" where somebody would."""
    takers = [worker for worker in live_workers(session) if queue in worker.queues]
    if any(not worker.trouble for worker in takers):
        return ""
    return takers[0].trouble if takers else NO_WORKER
