"""Background work, files and the audit trail."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.clock import utc_now
from app.storage.base import Base, Dated, Identified


class Run(Identified, Dated, Base):
    """One unit of background work. This row is the truth; a broker message is only a hint.

    A worker owns the run while ``lease_until`` lies ahead and ``fence`` is its own; a later worker raises the fence,
    so that a late one can't overwrite it. ``published_at`` is when the hint was last sent.
    """

    __tablename__ = "runs"
    __table_args__ = (
        CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="state"),
        Index("ix_runs_waiting", "state", "published_at"),
        Index("ix_runs_finished", "finished_at"),  # what ended since programs were told last
    )

    public_id: Mapped[str] = mapped_column(String(32), unique=True)
    study_id: Mapped[int | None] = mapped_column(ForeignKey("studies.id"), index=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[str] = mapped_column(String(40))
    queue: Mapped[str] = mapped_column(String(20), default="cpu")
    priority: Mapped[int] = mapped_column(default=0)  # higher first
    payload: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(String(20), default="queued")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)  # 0: not known yet
    unit: Mapped[str] = mapped_column(String(40), default="")
    # The rate is measured from here: an attempt may find much done already.
    measured_from: Mapped[int] = mapped_column(default=0)
    measured_at: Mapped[datetime | None]
    message: Mapped[str] = mapped_column(Text, default="")  # for a person: what happens, or what went wrong
    trace: Mapped[str | None] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None]
    attempt: Mapped[int] = mapped_column(default=0)
    fence: Mapped[int] = mapped_column(default=0)
    worker: Mapped[str | None] = mapped_column(String(200))
    lease_until: Mapped[datetime | None]
    not_before: Mapped[datetime | None]
    published_at: Mapped[datetime | None]
    cancel_requested_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Worker(Identified, Base):
    """One worker process that says now and then that it lives; pages tell by it whether anyone will do a run."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(200), unique=True)  # its machine and process
    queues: Mapped[list[Any]]
    concurrency: Mapped[int]
    trouble: Mapped[str] = mapped_column(String(20), default="")  # what keeps it from working; "": nothing
    started_at: Mapped[datetime] = mapped_column(default=utc_now)
    seen_at: Mapped[datetime] = mapped_column(default=utc_now)


class Artifact(Identified, Dated, Base):
    """A stored file: an upload, an image, an export. On disk it is named by its hash, never by its client."""

    __tablename__ = "artifacts"

    study_id: Mapped[int | None] = mapped_column(ForeignKey("studies.id"), index=True)
    public_id: Mapped[str] = mapped_column(String(32), unique=True)
    kind: Mapped[str] = mapped_column(String(40))
    file_name: Mapped[str] = mapped_column(String(300))  # for display and downloads only
    media_type: Mapped[str] = mapped_column(String(100))
    size: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str] = mapped_column(String(64), index=True)


class RateLimit(Base):
    """How often somebody tried something lately; see ``app.services.rate_limits``, whose clock counts seconds."""

    __tablename__ = "rate_limits"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)  # a hash of the limit and whom it counts for
    level: Mapped[float]
    wait: Mapped[float]  # seconds that the next try has to wait from ``since`` on
    since: Mapped[float] = mapped_column(index=True)


class AuditEvent(Identified, Base):
    """Who did what to what, and from what to what; rows are only ever added."""

    __tablename__ = "audit_events"

    at: Mapped[datetime] = mapped_column(default=utc_now)
    actor: Mapped[str] = mapped_column(String(320))
    action: Mapped[str] = mapped_column(String(80))
    study_id: Mapped[int | None] = mapped_column(ForeignKey("studies.id"), index=True)
    details: Mapped[dict[str, Any]]
