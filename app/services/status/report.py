"""What an admin is shown of the installation: each part, and what is wrong with it."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.config import Settings
from app.production import shortcomings
from app.services import webhooks
from app.services.runs.views import hindered_queues
from app.services.runs.workers import hindrance, live_workers
from app.services.status import work
from app.services.status.readiness import QUEUE, Check, Readiness
from app.storage import migrate
from app.storage.engine import locks_rows
from app.storage.models import Run, Study, Worker

MOST_FAILURES = 10
LEAST_FREE = 1 << 30


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """Which database, and at which revision of the schema."""

    kind: str
    version: str
    revision: str
    size: int


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk of the data folder, in bytes."""

    free: int
    total: int

    @property
    def is_full(self) -> bool:
        """Too little is left for an upload of the usual size and its preview."""
        return self.free < LEAST_FREE


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """One worker: on which machine, as which process, what it takes, and when it was heard of."""

    machine: str
    process: str
    queues: list[str]
    concurrency: int
    seen_at: datetime
    trouble: str


@dataclass(frozen=True, slots=True)
class Report:
    """The installation at this moment. ``hindered``: queues that nobody takes, and why (see workers.hindrance).

    ``not_taken``: the study of each webhook that isn't taken; a matter of whoever should take it, no problem of ours.
    """

    database: DatabaseFacts
    checks: dict[str, Check]
    bucket: Check | None
    disk: Disk
    queues: list[work.QueueState]
    workers: list[WorkerFacts]
    ended: list[work.Ended]
    failures: list[Run]
    hindered: list[tuple[str, str]]
    unsafe: list[str]
    not_taken: list[Study]

    @property
    def problems(self) -> list[str]:
        """What is wrong, by name, the worst first."""
        return list(self._problems())

    def _problems(self) -> Iterator[str]:
        if not self.checks["migrations"].is_good:
            yield "migrations"
        if self.disk.is_full:
            yield "disk"
        if self.bucket is not None and not self.bucket.is_good:
            yield "bucket"
        if "broker" in self.checks and not self.checks["broker"].is_good:
            yield "broker"
        yield from (f"queue {name}" for name, _ in self.hindered)


def make_report(session: Session, settings: Settings, readiness: Readiness) -> Report:
    """Look at all of it."""
    usage = shutil.disk_usage(settings.data_dir)
    return Report(
        database=_database(session),
        checks=readiness.checks(),
        bucket=readiness.bucket() if settings.bucket else None,
        disk=Disk(usage.free, usage.total),
        queues=work.queue_states(session),
        workers=[_worker(each) for each in live_workers(session)],
        ended=work.ended_lately(session),
        failures=work.failed_lately(session, MOST_FAILURES),
        hindered=_hindered(session),
        unsafe=shortcomings(settings, os.environ) if settings.mode == "team" else [],
        not_taken=webhooks.studies_not_taken(session),
    )


def _database(session: Session) -> DatabaseFacts:
    revision = migrate.revision_of(session.connection()) or ""
    if locks_rows(session):
        version = str(session.scalar(text("SHOW server_version"))).split()[0]
        size = session.scalar(text("SELECT pg_database_size(current_database())"))
        return DatabaseFacts("PostgreSQL", version, revision, int(size or 0))
    pages, page = (int(session.scalar(text(f"PRAGMA {name}")) or 0) for name in ("page_count", "page_size"))
    return DatabaseFacts("SQLite", sqlite3.sqlite_version, revision, pages * page)


def _worker(worker: Worker) -> WorkerFacts:
    place, _, process = worker.name.rpartition(":")
    machine = place.partition("/")[0]
    return WorkerFacts(machine, process, worker.queues, worker.concurrency, worker.seen_at, worker.trouble)


def _hindered(session: Session) -> list[tuple[str, str]]:
    """Queues in which somebody waits in vain, and the one that every installation needs."""
    found = dict(hindered_queues(session))
    if why := hindrance(session, QUEUE):
        found.setdefault(QUEUE, why)
    return sorted(found.items())
