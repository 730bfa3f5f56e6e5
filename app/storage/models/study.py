"""A study and what it asks."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified

STATES = ("draft", "open", "paused", "closed")


class Study(Identified, Dated, Base):
    """One annotation campaign with its settings and its seed."""

    __tablename__ = "studies"
    __table_args__ = (
        CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name="state"),
        CheckConstraint("grades_per_item > 0", name="grades_per_item"),
        CheckConstraint("claim_minutes > 0", name="claim_minutes"),
    )

    slug: Mapped[str] = mapped_column(String(80), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(Text, default="")
    instructions: Mapped[str] = mapped_column(Text, default="")  # Markdown; empty means the ready-made ones
    notice: Mapped[str] = mapped_column(Text, default="")  # shown on every page of the study
    language: Mapped[str] = mapped_column(String(40), default="python")  # of the code
    state: Mapped[str] = mapped_column(String(20), default="draft")
    seed: Mapped[int] = mapped_column(BigInteger)
    grades_per_item: Mapped[int] = mapped_column(default=3)
    claim_minutes: Mapped[int] = mapped_column(default=60)
    merge_identical: Mapped[bool] = mapped_column(default=True)
    include_references: Mapped[bool] = mapped_column(default=True)
    codebleu_variant: Mapped[str] = mapped_column(String(20), default="corrected")
    opened_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]


class Question(Identified, Base):
    """What is asked of an item, and the values that an answer takes.

    ``scale`` holds ``{"choices": [{"value", "key", "label", "description"}, …]}`` in rising order.
    """

    __tablename__ = "questions"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    position: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(80))
    text: Mapped[str] = mapped_column(Text)
    scale: Mapped[dict[str, Any]]
