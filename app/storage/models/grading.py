"""Grading: who was shown what, what they answered, and every step that led there."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Computed, Float, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.active_time import ActiveTime
from app.storage.base import Base, Dated, Identified

# Assignments that were flagged, and those that are held open: few, and found without passing over the others.
FLAGGED = "flag_note IS NOT NULL"
OPEN = "state = 'claimed'"


class Assignment(Identified, Base):
    """One item shown to one annotator.

    A claim holds one of the item's slots until ``lease_until``; a grade keeps it; a lapse or a skip frees it. The
    unique (item, slot) is what keeps an item from ever having more grades than its limit.
    """

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("annotator_id", "item_id"),
        UniqueConstraint("item_id", "slot"),
        UniqueConstraint("annotator_id", "position"),
        CheckConstraint("state IN ('claimed', 'graded', 'skipped', 'lapsed')", name="state"),
        CheckConstraint("state <> 'claimed' OR slot IS NOT NULL", name="claim_has_slot"),
        # Of claims alone, since an index of all by their state looks as good as one of the annotator's as long as
        # PostgreSQL knows nothing of the table: it would pass over everybody's grades for each grade.
        Index(
            *("ix_assignments_open", "annotator_id", "lease_until"),
            sqlite_where=text(OPEN),
            postgresql_where=text(OPEN),
        ),
        Index("ix_assignments_pace", "annotator_id", "state", "surplus", "finished_at"),  # for a study's live page
        Index("ix_assignments_flagged", "annotator_id", sqlite_where=text(FLAGGED), postgresql_where=text(FLAGGED)),
    )

    public_id: Mapped[str] = mapped_column(String(32), unique=True)  # all that a browser sees of an item
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    slot: Mapped[int | None]
    position: Mapped[int]  # the how-many-th item of this annotator
    state: Mapped[str] = mapped_column(String(20), default="claimed")
    surplus: Mapped[bool] = mapped_column(default=False)
    swapped: Mapped[bool] = mapped_column(default=False)  # of a pair: the original stood on the right
    skip_reason: Mapped[str | None] = mapped_column(Text)
    flag_note: Mapped[str | None] = mapped_column(Text)
    claimed_at: Mapped[datetime]
    lease_until: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class Grade(Identified, Base):
    """The current answer of one annotator to one question about one item.

    ``value`` holds a choice or a number; ``text`` holds a comment, or the chosen labels as a JSON list.
    """

    __tablename__ = "grades"
    __table_args__ = (
        UniqueConstraint("annotator_id", "item_id", "question_id"),
        # All that is counted of a question's grades, item by item.
        Index("ix_grades_counted", "question_id", "item_id", "surplus", "annotator_id", "value"),
    )

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), index=True)
    question_id: Mapped[int] = mapped_column(ForeignKey("questions.id"))
    value: Mapped[float | None] = mapped_column(Float)
    text: Mapped[str | None] = mapped_column(Text)
    questionnaire_id: Mapped[int | None] = mapped_column(ForeignKey("form_versions.id"))  # the version answered
    surplus: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class GradeEvent(Identified, Dated, Base):
    """One step of grading; rows are only ever added (a trigger refuses everything else).

    A submission that answers several questions is one event for each; its parts are numbered from 0.
    """

    __tablename__ = "grade_events"
    __table_args__ = (
        CheckConstraint(
            "kind IN ('grade', 'change', 'withdraw', 'skip', 'flag', 'import')",
            name="kind",
        ),
        UniqueConstraint("submission_id", "part"),
        Index("ix_grade_events_subject", "annotator_id", "item_id"),
        Index("ix_grade_events_time", "annotator_id", "active_ms"),
    )
    # Nobody who adds a step needs its time at once.
    __mapper_args__ = {"eager_defaults": False}  # noqa: RUF012 - SQLAlchemy reads it as it stands

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotators.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"))
    question_id: Mapped[int | None] = mapped_column(ForeignKey("questions.id"))
    kind: Mapped[str] = mapped_column(String(20))
    value: Mapped[float | None]
    previous: Mapped[float | None]
    text: Mapped[str | None] = mapped_column(Text)
    previous_text: Mapped[str | None] = mapped_column(Text)
    questionnaire_id: Mapped[int | None] = mapped_column(ForeignKey("form_versions.id"))
    surplus: Mapped[bool] = mapped_column(default=False)
    submission_id: Mapped[str | None] = mapped_column(String(64))  # made by the browser
    part: Mapped[int] = mapped_column(default=0)
    details: Mapped[dict[str, Any] | None]
    # From the details; see app.storage.active_time.
    active_ms: Mapped[float | None] = mapped_column(Float, Computed(ActiveTime(), persisted=True), deferred=True)
