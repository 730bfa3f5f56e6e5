"""The pulse of a run: a thread that keeps the lease and hears of cancellation while the handler computes.

Without it a handler that is silent for longer than the lease (one matrix product, one model) would be taken for dead.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from app.services.runs.context import PULSE, RunCancelled, RunContext, RunLost
from app.storage.models import Run

LISTEN_SECONDS = 1.0

log = structlog.get_logger()


@contextmanager
def pulse(context: RunContext) -> Iterator[None]:
    """Keep the run alive inside the block."""
    ended = threading.Event()
    thread = threading.Thread(target=_beat, args=(context, ended), name="pulse", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(context: RunContext, ended: threading.Event) -> None:
    beat_at = time.monotonic()
    while not ended.wait(LISTEN_SECONDS) and not context.lost:
        try:
            _listen(context)
            if time.monotonic() - beat_at > PULSE.total_seconds():
                _extend(context)
                beat_at = time.monotonic()
        except SQLAlchemyError as error:  # the database may be away for a moment; the lease outlasts that
            log.warning("pulse_missed", run=context.public_id, reason=type(error).__name__)


def _listen(context: RunContext) -> None:
    statement = select(Run.cancel_requested_at).where(
        Run.id == context.run_id, Run.fence == context.fence, Run.state == "running"
    )
    with context.database.read() as session:
        row = session.execute(statement).one_or_none()
    context.lost = row is None
    context.cancelled = context.cancelled or (row is not None and row.cancel_requested_at is not None)


def _extend(context: RunContext) -> None:
    try:
        with context.database.write() as session:
            context.hold(session)
    except (RunCancelled, RunLost):
        pass  # the flags are set; the handler's own thread raises at its next step
