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
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)  # see app.services.study_options
    message: Mapped[str] = mapped_column(
        Text, default=""
    )  # Markdown, from the team to its annotators, on their pages
    opened_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    set_slug: Mapped[str | None] = mapped_column(String(80))  # the perturbed set that it was made of to ask about it
    # Raised by the database with each change of an instrument, a question or a form of the study.
    edition: Mapped[int] = mapped_column(default=0, server_default="0")


class Instrument(Identified, Base):
    """Questions that are asked together about items of one kind, with an order, progress and agreement of their own.

    ``kind`` says what an item is here: an output beside its problem, a prompt by itself, or a pair of an original
    and what was made of it. ``grades_per_item`` of None means the study's.
    """

    __tablename__ = "instruments"
    __table_args__ = (
        UniqueConstraint("study_id", "name"),
        CheckConstraint("kind IN ('output', 'prompt', 'pair')", name="kind"),
        CheckConstraint("grades_per_item > 0", name="grades_per_item"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    position: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(80))
    title: Mapped[str] = mapped_column(String(200), default="")
    kind: Mapped[str] = mapped_column(String(20), default="output")
    instructions: Mapped[str] = mapped_column(Text, default="")  # Markdown, beside the study's own
    grades_per_item: Mapped[int | None]


class Question(Identified, Base):
    """What is asked of an item, and the values that an answer takes.

    ``kind`` is choice (one of some values), labels (any of some names), number (a range) or comment (free text);
    ``scale`` holds what that kind needs: see app.services.questionnaires.scales.
    """

    __tablename__ = "questions"
    __table_args__ = (
        UniqueConstraint("study_id", "name"),
        CheckConstraint("kind IN ('choice', 'labels', 'number', 'comment')", name="kind"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    instrument_id: Mapped[int] = mapped_column(ForeignKey("instruments.id"), index=True)
    position: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(String(80))
    text: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(20), default="choice")
    help: Mapped[str] = mapped_column(Text, default="")  # Markdown
    required: Mapped[bool] = mapped_column(default=True)
    scale: Mapped[dict[str, Any]]


class FormVersion(Identified, Dated, Base):
    """What people read and answered, as it stood: the consent, the questions about them, the questionnaire.

    A changed form is a new version; responses and grades point to the one that they answered.
    """

    __tablename__ = "form_versions"
    __table_args__ = (
        UniqueConstraint("study_id", "kind", "number"),
        CheckConstraint("kind IN ('consent', 'profile', 'closing', 'questionnaire')", name="kind"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    kind: Mapped[str] = mapped_column(String(20))
    number: Mapped[int]  # 1, 2, … of its kind in the study
    content: Mapped[dict[str, Any]]
    sha256: Mapped[str] = mapped_column(String(64))
