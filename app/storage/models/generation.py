"""What models wrote."""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Float, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Dated, Identified


class Generation(Identified, Dated, Base):
    """One model asked for a benchmark's problems in one setting.

    ``spec`` says which model, without any secret; ``signature`` is all that decided what it wrote, told by the model
    once it was loaded. ``label`` is the system's name in a study made of this.
    """

    __tablename__ = "generations"
    __table_args__ = (CheckConstraint("samples > 0", name="samples"),)

    benchmark_id: Mapped[int] = mapped_column(ForeignKey("benchmarks.id"), index=True)
    label: Mapped[str] = mapped_column(String(200))
    spec: Mapped[dict[str, Any]]
    sampling: Mapped[dict[str, Any]]
    samples: Mapped[int]  # of each problem
    seed: Mapped[int] = mapped_column(BigInteger, default=0)
    prompt_mode: Mapped[str] = mapped_column(String(20), default="plain")
    cut_rule: Mapped[str] = mapped_column(String(40))
    signature: Mapped[str | None] = mapped_column(Text)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))


class Completion(Identified, Base):
    """One sample for one problem: what the model wrote, byte for byte, and what the named rule left of it."""

    __tablename__ = "completions"
    __table_args__ = (
        UniqueConstraint("generation_id", "problem_id", "sample"),
        CheckConstraint("finish IN ('stop', 'length', 'error')", name="finish"),
    )

    generation_id: Mapped[int] = mapped_column(ForeignKey("generations.id"))
    problem_id: Mapped[int] = mapped_column(ForeignKey("benchmark_problems.id"), index=True)
    sample: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    raw: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    finish: Mapped[str] = mapped_column(String(20))
    trouble: Mapped[str | None] = mapped_column(Text)  # of an error: what to change
    prompt_tokens: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(default=0)
    seconds: Mapped[float] = mapped_column(Float, default=0.0)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
