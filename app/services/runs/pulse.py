"""The pulse of a run: a thread that keeps the lease and hears what is asked of the run while the handler computes.

Without it a handler that is silent for longer than the lease (one matrix product, one model) would be taken for dead.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.services.runs.context import PULSE, RunCancelled, RunContext, RunLost
from app.services.runs.ending import CANCELLED, end_now, is_due
from app.storage.models import Run

LISTEN_SECONDS = 1.0
# A handler that doesn't look up for so long after it was cancelled is in the middle of something without an end.
DEAF_SECONDS = 4.0

log = structlog.get_logger()


@contextmanager
def pulse(context: RunContext) -> Iterator[None]:
    """Keep the run alive inside the block."""
    ended = threading.Event()
    thread = threading.Thread(target=_Pulse(context, ended).beat, name="pulse", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class _Pulse:
    def __init__(self, context: RunContext, ended: threading.Event) -> None:
        self.context = context
        self.ended = ended
        self.extended_at = time.monotonic()
        self.cancelled_at: float | None = None
        self.waiting: int | None = None

    def beat(self) -> None:
        """Until the handler has ended."""
        while not self.ended.wait(LISTEN_SECONDS) and not self.context.lost:
            try:
                self._listen()
                if time.monotonic() - self.extended_at > PULSE.total_seconds():
                    self._extend()
                self._stop_if_deaf()
            except SQLAlchemyError as error:  # the database may be away for a moment; the lease outlasts that
                log.warning("pulse_missed", run=self.context.public_id, reason=type(error).__name__)

    def _listen(self) -> None:
        context = self.context
        statement = select(Run.cancel_requested_at).where(
            Run.id == context.run_id, Run.fence == context.fence, Run.state == "running"
        )
        with context.database.read() as session:
            row = session.execute(statement).one_or_none()
            if context.gives_way:
                self._look_who_waits(session)
        context.lost = row is None
        context.cancelled = context.cancelled or (row is not None and row.cancel_requested_at is not None)

    def _look_who_waits(self, session: Session) -> None:
        """A more urgent run that waits since the last look finds no place but this one."""
        urgent = session.scalar(
            select(Run.id)
            .where(Run.queue == self.context.queue, Run.priority > self.context.priority, is_due(utc_now()))
            .order_by(Run.priority.desc(), Run.id)
            .limit(1)
        )
        self.context.outranked = urgent is not None and urgent == self.waiting
        self.waiting = urgent

    def _extend(self) -> None:
        try:
            with self.context.database.write() as session:
                self.context.hold(session)
        except (RunCancelled, RunLost):
            pass  # the flags are set; the handler's own thread raises at its next step
        self.extended_at = time.monotonic()

    def _stop_if_deaf(self) -> None:
        """Cancelled means ended within seconds, also where nobody looks: the run ends, and its process with it.

        Once the run has ended nothing more of it can be stored, so that it doesn't matter where the process stops.
        """
        if not self.context.cancelled:
            return
        self.cancelled_at = self.cancelled_at or time.monotonic()
        is_deaf = time.monotonic() - self.cancelled_at > DEAF_SECONDS
        if is_deaf and self.context.expendable and end_now(self.context, "cancelled", message=CANCELLED):
            log.warning("deaf_run_stopped", run=self.context.public_id)
            os._exit(1)
