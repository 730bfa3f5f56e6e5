"""What is graded: problems, references, systems, outputs, and the items made from them."""

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.storage.base import Base, Identified


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
    image_id: Mapped[int | None] = mapped_column(ForeignKey("artifacts.id"))
    run_id: Mapped[int | None] = mapped_column(ForeignKey("runs.id"))  # the import that made it


class Item(Identified, Base):
    """What an annotator is shown: one text beside its problem.

    ``identity`` says which outputs share the item: the hash of the text where identical outputs are merged, else
    one per output. ``load`` counts held slots (claims and grades that are not surplus): the next item is found by
    it, and claiming raises it in one conditional update.
    """

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint("problem_id", "identity"),
        CheckConstraint("load >= 0", name="load"),
        Index("ix_items_next", "study_id", "is_reference", "load", "shuffle"),
    )

    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    problem_id: Mapped[int] = mapped_column(ForeignKey("problems.id"))
    identity: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)
    load: Mapped[int] = mapped_column(default=0)
    shuffle: Mapped[int] = mapped_column(BigInteger)  # the place in the study's seeded order
    gradable: Mapped[bool] = mapped_column(default=True)
    is_reference: Mapped[bool] = mapped_column(default=False)  # no system's output: ranked apart, then mixed in


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
