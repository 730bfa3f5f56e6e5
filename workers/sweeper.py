"""The sweeper: a thread in a worker's main process that sends waiting runs and takes back lost ones."""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence

import structlog
from sqlalchemy.orm import Session

from app.services.runs import sweeping, workers
from app.services.runs.periodic import Timetable
from app.services.runs.processes import process_name
from app.storage.engine import Database
from workers.stall import Stall

IDLE_SECONDS = 0.5
BUSY_SECONDS = 0.1  # after a sweep that sent something, more may wait

log = structlog.get_logger()


class Sweeper:
    """Sweeps until it is stopped; while the database or the broker is away, it says so once and tries again."""

    def __init__(
        self,
        database: Database,
        queues: Sequence[str],
        concurrency: int,
        publish: Callable[[int, str], object],
        stall: Stall | None = None,
    ) -> None:
        self.database = database
        self.queues = queues
        self.concurrency = concurrency
        self.publish = publish
        self.timetable = Timetable.of_all()
        self.watch = sweeping.Watch()
        self.stall = stall
        self._beat_at = float("-inf")
        self._is_down = False
        self.trouble = ""
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        # The pool forks new children while the sweeper works. A child must inherit neither a lock that SQLite holds
        # at that moment nor an open connection, whose file locks it would take for its own.
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._after_fork
        )

    def start(self) -> None:
        """Begin; the first sweep publishes again what an earlier worker may have taken with it."""
        self._thread.start()

    def cease(self) -> None:
        """Begin no further sweep; may be called from a signal handler, since it waits for nothing."""
        self._stopped.set()

    def stop(self) -> None:
        """End after the current sweep."""
        self.cease()
        self._thread.join(timeout=15)

    def _run(self) -> None:
        is_first = True
        while not self._stopped.is_set():
            sent = 0
            try:
                with self._lock:
                    sent = self._sweep(is_first=is_first)
                is_first = self._is_down = False
            except Exception as error:  # the database comes back; the sweeper must be there then
                if not self._is_down:
                    log.error("sweep_failed", exc_info=error)
                self._is_down = True
                self.watch = sweeping.Watch()  # while nobody could reach the database, nobody could renew a lease
            self._stopped.wait(BUSY_SECONDS if sent else IDLE_SECONDS)

    def _sweep(self, *, is_first: bool) -> int:
        with self.database.write() as session:
            self._beat(session)
            if is_first:
                sweeping.forget_messages(session, self.queues)
            if taken := sweeping.take_back_lost(session, self.watch):
                log.warning("runs_taken_back", count=taken)
            if self.stall and self.stall.is_stuck(sweeping.unheard(session, self.queues)):
                self._end_at_once()
        self.timetable.call_due(self.database)
        return sum(self._send(queue) for queue in self.queues)

    def _end_at_once(self) -> None:
        """Nothing is being done that could be lost, and whoever started this process starts the next one."""
        log.error("pool_stuck", remedy="Nothing to do: the worker ends, and another one begins.")
        sys.stderr.flush()
        os._exit(1)

    def _beat(self, session: Session) -> None:
        if time.monotonic() - self._beat_at < workers.BEAT.total_seconds():
            return
        workers.beat(session, process_name(), self.queues, self.concurrency, self.trouble)
        self._beat_at = time.monotonic()

    def _send(self, queue: str) -> int:
        with self.database.write() as session:
            ids = sweeping.claim_for_publishing(session, queue)
        for place, run_id in enumerate(ids):
            try:
                self.publish(run_id, queue)
            except Exception as error:  # so does the broker
                self._lose_broker(ids[place:], error)
                return 0
        if ids and self.trouble:
            with self.database.write() as session:
                self._note(session, "")
        return len(ids)

    def _lose_broker(self, unsent: Sequence[int], error: Exception) -> None:
        if not self.trouble:
            log.error("broker_away", reason=f"{type(error).__name__}: {error}")
        with self.database.write() as session:
            sweeping.unpublish(session, unsent)
            self._note(session, workers.NO_BROKER)

    def _note(self, session: Session, trouble: str) -> None:
        """Whoever waits for a run reads at once what keeps it from being begun."""
        self.trouble, self._beat_at = trouble, float("-inf")
        self._beat(session)

    def _before_fork(self) -> None:
        self._lock.acquire()
        self.database.dispose()

    def _after_fork(self) -> None:
        self._lock.release()
