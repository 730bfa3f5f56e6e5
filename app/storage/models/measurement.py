"""Numbers: scores of metrics and the analyses made from them. Each says what made it."""

from typing import Any

from sqlalchemy import CheckConstraint, Float, ForeignKey, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified


class Scoring(Identified, Dated, Base):
    """One metric, in one configuration, applied to one study: computed here or imported.

    ``name`` is the column in tables ("bleu"; an imported one keeps its own name); ``signature`` is all that decides
    the scores.
    """

    __tablename__ = "scorings"
    __table_args__ = (UniqueConstraint("study_id", "name", "signature"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str] = mapped_column(String(80))
    label: Mapped[str] = mapped_column(String(80))
    signature: Mapped[str] = mapped_column(String(500))
    imported: Mapped[bool] = mapped_column(default=False)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))


class MetricScore(Base):
    """One output's score in [0, 1] and its sufficient statistics (little-endian float64, the metric's own layout).

    ``input_hash`` covers the output and its references: a score whose inputs changed is stale and made again.
    """

    __tablename__ = "metric_scores"

    scoring_id: Mapped[int] = mapped_column(ForeignKey("scorings.id"), primary_key=True)
    output_id: Mapped[int] = mapped_column(ForeignKey("outputs.id"), primary_key=True)
    score: Mapped[float] = mapped_column(Float)
    statistics: Mapped[bytes] = mapped_column(LargeBinary)
    input_hash: Mapped[str] = mapped_column(String(64))


class Analysis(Identified, Dated, Base):
    """One meta-evaluation with its result. ``fingerprint`` hashes what made it: the same again is this row."""

    __tablename__ = "analyses"
    __table_args__ = (UniqueConstraint("study_id", "fingerprint"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
    fingerprint: Mapped[str] = mapped_column(String(64))
    parameters: Mapped[dict[str, Any]]
    signature: Mapped[dict[str, Any]]
    result: Mapped[str] = mapped_column(Text)  # canonical JSON: same inputs and seed, same bytes
    pairs: Mapped[str] = mapped_column(Text)  # canonical JSON: every pair of systems, as columns
    revision: Mapped[dict[str, Any]]  # where the study stood: see app.services.analysis.revision


class Measurement(Identified, Dated, Base):
    """What was measured of the grades: agreement on a question, the survey of prompts, whether it is enough; and of
    a survey of a perturbed set how natural its changes are, with checks beside people.

    The newest of its kind; ``question`` is empty where it is about the whole study. ``fingerprint`` hashes what made
    it: measured again from the same, the row stays, and only its ``revision`` moves on.
    """

    __tablename__ = "measurements"
    __table_args__ = (
        UniqueConstraint("study_id", "kind", "question"),
        CheckConstraint("kind IN ('agreement', 'survey', 'enough', 'naturalness')", name="kind"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
    kind: Mapped[str] = mapped_column(String(20))
    question: Mapped[str] = mapped_column(String(80), default="")
    fingerprint: Mapped[str] = mapped_column(String(64))
    signature: Mapped[dict[str, Any]]
    result: Mapped[str] = mapped_column(Text)  # canonical JSON: same inputs and seed, same bytes
    revision: Mapped[dict[str, Any]]  # where the study stood: see app.services.agreement.revision
