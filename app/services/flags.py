"""Flags: what annotators found wrong with an item, for the study's team to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.storage.models import Annotator, Assignment, GradeEvent, Item, Output, Problem, Study, System, Variant


@dataclass(frozen=True, slots=True)
class FlaggedItem:
    """One annotator's flag of one item. ``transformation``: of a changed text."""

    item: Item
    problem: str
    intent: str | None
    systems: tuple[str, ...]
    transformation: str | None
    note: str
    pseudonym: str
    flagged_at: datetime


def count_flags(session: Session, study: Study) -> int:
    """How many flags stand in the study."""
    flags = select(func.count()).select_from(Assignment).join(Annotator, Annotator.id == Assignment.annotator_id)
    return session.scalar(flags.where(Annotator.study_id == study.id, Assignment.flag_note.is_not(None))) or 0


def flags_of(session: Session, study: Study, *, limit: int | None = None) -> list[FlaggedItem]:
    """The study's flags, the latest first: an annotator's later flag of the same item replaces the earlier one."""
    latest = (
        select(func.max(GradeEvent.created_at))
        .where(GradeEvent.annotator_id == Assignment.annotator_id, GradeEvent.item_id == Assignment.item_id)
        .where(GradeEvent.kind == "flag")
        .scalar_subquery()
    )
    rows = session.execute(
        select(Problem.key, Problem.intent, Item, Variant.transformation, Assignment, Annotator.pseudonym, latest)
        .join(Item, Item.id == Assignment.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .where(Annotator.study_id == study.id, Assignment.flag_note.is_not(None))
        .order_by(func.coalesce(latest, Assignment.claimed_at).desc(), Assignment.id.desc())
        .limit(limit)
    ).all()
    systems = _systems(session, [item.id for _, _, item, *_ in rows])
    return [
        FlaggedItem(
            item,
            key,
            intent,
            tuple(systems.get(item.id, ())),
            transformation,
            flag.flag_note or "",
            name,
            at or flag.claimed_at,
        )
        for key, intent, item, transformation, flag, name, at in rows
    ]


def _systems(session: Session, items: Sequence[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    statement = select(Output.item_id, System.name).join(System, System.id == Output.system_id)
    for item_id, name in session.execute(statement.where(Output.item_id.in_(items)).order_by(System.position)):
        found.setdefault(item_id, []).append(name)
    return found
