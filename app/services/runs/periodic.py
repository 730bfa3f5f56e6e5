"""Small jobs that services want done again and again; every worker's sweeper calls them.

@periodic(every=timedelta(seconds=30))
def lapse_claims(session: Session) -> object: ...

Several workers may call a job at about the same time, so it must be a conditional update that does no harm twice. It
gets a write session, and should be over in milliseconds; anything longer is a run.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import structlog
from sqlalchemy.orm import Session

from app.services.runs.registry import import_rooms
from app.storage.engine import Database

# Modules that register periodic jobs.
MODULES = (
    *("app.services.assignments", "app.services.events.gathering", "app.services.exports.expiry"),
    *("app.services.idempotency", "app.services.imports.cleaning", "app.services.rate_limits"),
    "app.services.webhooks.queueing",
)

Job = Callable[[Session], object]
AnyJob = TypeVar("AnyJob", bound=Callable[..., object])  # a job may take more, by default

log = structlog.get_logger()
_jobs: dict[Job, timedelta] = {}


def periodic(every: timedelta) -> Callable[[AnyJob], AnyJob]:
    """Decorator: call this function that often."""

    def add(job: AnyJob) -> AnyJob:
        _jobs[job] = every
        return job

    return add


@dataclass(slots=True)
class Timetable:
    """When each job is due in this process."""

    due_at: dict[Job, float]

    @classmethod
    def of_all(cls) -> "Timetable":
        """All registered jobs, due at once."""
        import_rooms(MODULES)
        return cls(dict.fromkeys(_jobs, 0.0))

    def call_due(self, database: Database) -> None:
        """Call what is due. A job that fails is logged and tried again in its turn; the others go on."""
        for job, due_at in self.due_at.items():
            if time.monotonic() < due_at:
                continue
            self.due_at[job] = time.monotonic() + _jobs[job].total_seconds()
            try:
                with database.write() as session:
                    job(session)
            except Exception as error:  # one broken job must not stop the sweeper
                log.error("periodic_job_failed", job=job.__qualname__, exc_info=error)
