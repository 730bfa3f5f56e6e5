"""What a handler may do while its run goes on: read, write under the run's fence, and report progress."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Run

# A run whose lease lies in the past has lost its worker; the pulse extends it every PULSE.
LEASE = timedelta(seconds=90)
PULSE = timedelta(seconds=15)
# A handler may report after every row; the database hears of it this often.
REPORT_EVERY_SECONDS = 0.25


class RunCancelled(Exception):
    """Someone asked this run to stop."""


class RunLost(Exception):
    """Another worker took this run over; nothing more may be written by this one."""


class RunGivesWay(Exception):
    """A more urgent run waits for this one's place; this one goes on later from what it has stored."""


@dataclass(slots=True)
class RunContext:
    """One attempt at one run."""

    database: Database
    settings: Settings
    run_id: int
    public_id: str
    study_id: int | None
    user_id: int | None
    payload: dict[str, Any]
    fence: int
    queue: str = "cpu"
    priority: int = 0
    study: str | None = None  # its short name, for logs
    # Whether more urgent runs go first, and whether this process may be ended to end the run: in a worker.
    gives_way: bool = False
    expendable: bool = False
    # Set by the pulse, a thread beside the handler.
    cancelled: bool = False
    lost: bool = False
    outranked: bool = False
    _measured: str | None = None
    _reported: tuple[str, str] = ("", "")
    _reported_at: float = field(default=float("-inf"))

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that commits only while this attempt owns the run."""
        self.check()
        with self.database.write() as session:
            yield session
            self.hold(session)  # last, so that others wait for this row only while the commit goes on

    def check(self) -> None:
        """Raise RunCancelled or RunLost when the run is no longer wanted; costs nothing, for inner loops."""
        if self.lost:
            raise RunLost(f"Run {self.public_id} belongs to another worker now.")
        if self.cancelled:
            raise RunCancelled(f"Run {self.public_id} was cancelled.")

    def give_way(self) -> None:
        """For long runs, to be called where all that was done is stored: let go first whom somebody waits for."""
        self.check()
        if self.outranked:
            raise RunGivesWay(f"Run {self.public_id} lets a more urgent one go first.")

    def progress(self, done: int, total: int, *, unit: str = "", message: str = "") -> None:
        """Tell how far the run is. Raises RunCancelled or RunLost; cheap enough to call for every row."""
        self.check()
        now = time.monotonic()
        is_news = (unit, message) != self._reported or done >= total
        if not is_news and now - self._reported_at < REPORT_EVERY_SECONDS:
            return
        self._reported, self._reported_at = (unit, message), now
        with self.database.write() as session:
            self.hold(session, done=done, total=total, unit=unit, message=message, **self._measure(done, unit))

    def _measure(self, done: int, unit: str) -> dict[str, object]:
        """The rate counts from the first report of this attempt, and anew where other things are counted."""
        if self._measured == unit:
            return {}
        self._measured = unit
        return {"measured_from": done, "measured_at": utc_now()}

    def hold(self, session: Session, **values: object) -> None:
        """Extend the lease within this transaction; the row lock keeps others off until it commits."""
        statement = (
            update(Run)
            .where(Run.id == self.run_id, Run.fence == self.fence, Run.state == "running")
            .values(lease_until=utc_now() + LEASE, **values)
            .returning(Run.cancel_requested_at)
        )
        row = session.execute(statement).one_or_none()
        self.lost = row is None
        self.cancelled = row is not None and row.cancel_requested_at is not None
        self.check()
