"""What is graded: problems, references, systems, outputs, and the items made from them."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Float, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Identified

# Items that nobody grades any more. They are few: with an index of them, items are counted from indexes alone.
LEFT_OUT = "NOT gradable OR retired_at IS NOT NULL"


class Problem(Identified, Base):
    """What the code was asked for. A problem may lack an intent (an image can stand for it)."""

    __tablename__ = "problems"
    __table_args__ = (UniqueConstraint("study_id", "key"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    key: Mapped[str] = mapped_column(String(200))  # the id in the file that it came from
    position: Mapped[int]
    intent: Mapped[str | None] = mapped_column(Text)
    context: Mapped[str | None] = mapped_column(Text)
    tests: Mapped[str | None] = mapped_column(Text)
    entry_point: Mapped[str | None] = mapped_column(String(200))  # the function that the tests call
    code_before: Mapped[str | None] = mapped_column(Text)  # the code that an output continues; None: whole programs
    image_id: Mapped[int | None] = mapped_column(ForeignKey("artifacts.id"))
    image_alt: Mapped[str | None] = mapped_column(Text)  # the picture in words, for those who can't see it
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))  # the import that made it


class Item(Identified, Base):
    """What an annotator is shown: one text beside its problem, or a pair of an original and what was made of it.

    ``identity`` says which outputs share the item: the hash of the text where identical outputs are merged, else
    one per output; the same output has the same identity in each instrument. ``load`` counts held slots (claims and
    grades that are not surplus): the next item is found by it, and claiming raises it in one conditional update.

    ``role``: main items are what the study is about; practice comes before them; loud and silent ones check the
    annotator's attention, repeat shows an item again. Only main items have limits and count in results.
    """

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint("instrument_id", "problem_id", "identity"),
        CheckConstraint("load >= 0", name="load"),
        CheckConstraint("role IN ('main', 'practice', 'loud', 'silent', 'repeat')", name="role"),
        Index("ix_items_next", "instrument_id", "role", "is_reference", "load", "shuffle"),
        Index(
            "ix_items_left_out", "instrument_id", "load", sqlite_where=text(LEFT_OUT), postgresql_where=text(LEFT_OUT)
        ),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"), index=True)
    instrument_id: Mapped[int] = mapped_column(ForeignKey("instruments.id"))
    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"), index=True)
    identity: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)
    original: Mapped[str | None] = mapped_column(Text)  # of a pair: the text beside it
    role: Mapped[str] = mapped_column(String(20), default="main")
    stratum: Mapped[str] = mapped_column(String(80), default="")  # what it was sampled as: nominal, a transformation
    load: Mapped[int] = mapped_column(default=0)
    shuffle: Mapped[int] = mapped_column(BigInteger)  # the place in the study's seeded order
    gradable: Mapped[bool] = mapped_column(default=True)
    is_reference: Mapped[bool] = mapped_column(default=False)  # no system's output: ranked apart, then mixed in
    skips: Mapped[int] = mapped_column(default=0)
    retired_at: Mapped[datetime | None]  # too many people skipped it
    variant_id: Mapped[int | None] = mapped_column(ForeignKey("variants.id"), index=True)
    repeats_id: Mapped[int | None] = mapped_column(ForeignKey("items.id"))  # of a repeat: the item shown before
    expected: Mapped[dict[str, Any] | None]  # of a check or practice: right answers by question, and the feedback


class Variant(Identified, Base):
    """A text made from a problem's own by a transformation that keeps the meaning: a changed prompt or code."""

    __tablename__ = "variants"
    __table_args__ = (
        UniqueConstraint("problem_id", "kind", "transformation", "seed"),
        CheckConstraint("kind IN ('prompt', 'code')", name="kind"),
    )

    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"))
    kind: Mapped[str] = mapped_column(String(20), default="prompt")
    transformation: Mapped[str] = mapped_column(String(80))
    category: Mapped[str] = mapped_column(String(40), default="")
    seed: Mapped[int] = mapped_column(BigInteger, default=0)
    original: Mapped[str | None] = mapped_column(Text)  # what it was made from; None: the problem's intent
    text: Mapped[str] = mapped_column(Text)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))


class VariantScore(Base):
    """What an automatic check said of a changed prompt in the installation that a study's bundle came from.

    Where the study's perturbed set is here, its own ``ChangeScore`` rows say the same of it.
    """

    __tablename__ = "variant_scores"

    variant_id: Mapped[int] = mapped_column(ForeignKey("variants.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    signature: Mapped[str] = mapped_column(String(500))
    score: Mapped[float | None] = mapped_column(Float)


class Reference(Identified, Base):
    """A human-written solution. Its item, where references are mixed in, looks like any other."""

    __tablename__ = "references"
    __table_args__ = (UniqueConstraint("problem_id", "position"),)

    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"))
    position: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    item_id: Mapped[int | None] = mapped_column(ForeignKey("items.id"), index=True)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))


class System(Identified, Base):
    """Whatever produced code."""

    __tablename__ = "systems"
    __table_args__ = (UniqueConstraint("study_id", "name"),)

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    name: Mapped[str] = mapped_column(String(200))
    position: Mapped[int]


class Output(Identified, Base):
    """One system's text for one problem, kept byte for byte."""

    __tablename__ = "outputs"
    __table_args__ = (UniqueConstraint("problem_id", "system_id"),)

    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"))
    system_id: Mapped[int] = mapped_column(ForeignKey("systems.id"), index=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), index=True)
    text: Mapped[str] = mapped_column(Text)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))
    completion_id: Mapped[int | None] = mapped_column(ForeignKey("completions.id"), index=True)  # which sample it is
