"""What happened in studies, for programs that listen: an outbox with one order, filled by one job at a time."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified


class StudyEvent(Identified, Dated, Base):
    """One thing that happened. ``key`` says which, so that it is told once."""

    __tablename__ = "study_events"
    __table_args__ = (Index("ix_study_events_stream", "study_id", "id"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    kind: Mapped[str] = mapped_column(String(40))
    key: Mapped[str] = mapped_column(String(200), unique=True)
    data: Mapped[dict[str, Any]]


class EventMark(Identified, Base):
    """How far events were gathered. There is one row; whoever gathers holds it."""

    __tablename__ = "event_marks"

    grade_event_id: Mapped[int]
    audit_event_id: Mapped[int]
    runs_at: Mapped[datetime]
    grades_at: Mapped[datetime]


class Webhook(Identified, Dated, Base):
    """An address that is told of a study's events. Its secret signs what is sent, so it is kept as it is."""

    __tablename__ = "webhooks"

    public_id: Mapped[str] = mapped_column(String(32), unique=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    url: Mapped[str] = mapped_column(String(2000))
    kinds: Mapped[list[Any]]
    secret: Mapped[str] = mapped_column(String(100))
    disabled_at: Mapped[datetime | None]


class WebhookDelivery(Identified, Dated, Base):
    """One event on its way to one address: tried again, later each time, until it is taken or given up."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        CheckConstraint("state IN ('waiting', 'delivered', 'failed')", name="state"),
        Index("ix_webhook_deliveries_due", "state", "next_at"),
    )

    public_id: Mapped[str] = mapped_column(String(40), unique=True)  # the receiver's way to tell a second sending
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id"), index=True)
    kind: Mapped[str] = mapped_column(String(40))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(20), default="waiting")
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime]
    last_status: Mapped[int | None]
    last_error: Mapped[str] = mapped_column(String(300), default="")
    ended_at: Mapped[datetime | None]
