"""What a handler may do while its run goes on: read, write under the run's fence, and report progress."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.storage.engine import Database
from app.storage.models import Run

LEASE = timedelta(seconds=90)


class RunCancelled(Exception):
    """Someone asked this run to stop."""


class RunLost(Exception):
    """Another worker took this run over; nothing more may be written by this one."""


@dataclass(frozen=True, slots=True)
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

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that commits only while this attempt owns the run."""
        with self.database.write() as session:
            self.hold(session)
            yield session

    def progress(self, done: int, total: int, *, unit: str = "", message: str = "") -> None:
        """Tell how far the run is; also keeps the lease. Raises RunCancelled or RunLost."""
        with self.database.write() as session:
            self.hold(session, done=done, total=total, unit=unit, message=message)

    def hold(self, session: Session, **values: object) -> None:
        """Extend the lease within this transaction; the row lock keeps others off until it commits."""
        statement = (
            update(Run)
            .where(Run.id == self.run_id, Run.fence == self.fence, Run.state == "running")
            .values(lease_until=utc_now() + LEASE, **values)
            .returning(Run.cancel_requested_at)
        )
        row = session.execute(statement).one_or_none()
        if row is None:
            raise RunLost(f"Run {self.public_id} belongs to another worker now.")
        if row.cancel_requested_at is not None:
            raise RunCancelled(f"Run {self.public_id} was cancelled.")
