"""A study's problems a few at a time, and what their items are called: so that tables of any length stay small."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.storage.models import Instrument, Item, Output, Problem, Reference, Study, System, Variant

PROBLEMS_AT_ONCE = 200
REFERENCE = "reference"  # how a task names an item that is no system's output
Place = tuple[int, str]  # problem id and identity: the same text has the same in each instrument


@dataclass(frozen=True, slots=True)
class ItemName:
    """What an item is. ``task`` names it once among all items of its instrument."""

    task: str
    system: str | None  # the first system whose output it is, or "reference", "reference 2", …
    systems: tuple[str, ...]
    instrument: str
    problem: str
    identity: str
    role: str
    stratum: str
    reference: str | None  # which reference it reads like; it may be an output, too
    transformation: str | None
    seed: int | None  # of the transformation


def problem_chunks(session: Session, study: Study) -> Iterator[Sequence[int]]:
    """The ids of the study's problems in their order."""
    ids = session.scalars(
        select(Problem.id).where(Problem.study_id == study.id).order_by(Problem.position, Problem.id)
    )
    found = ids.all()
    for first in range(0, len(found), PROBLEMS_AT_ONCE):
        yield found[first : first + PROBLEMS_AT_ONCE]


def item_names(session: Session, problems: Sequence[int]) -> dict[int, ItemName]:
    """What each item of these problems is called, by its id."""
    systems, references = _systems(session, problems), _references(session, problems)
    rows = session.execute(
        select(Item.id, Item.problem_id, Item.identity, Item.role, Item.stratum)
        .add_columns(Instrument.name, Problem.key, Variant.transformation, Variant.seed)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .where(Item.problem_id.in_(problems))
        .order_by(Problem.position, Item.id)
    )
    names: dict[int, ItemName] = {}
    taken: set[tuple[str, str]] = set()
    for item_id, problem_id, identity, role, stratum, instrument, key, transformation, seed in rows:
        place = (problem_id, identity)
        mine = tuple(systems.get(place, ()))
        system = mine[0] if mine else references.get(place)
        called = system or _variant_name(transformation, seed)
        task = f"{key}|{called}" if role == "main" else f"{key}|{called} ({role})"
        if (instrument, task) in taken:
            task = f"{task} #{identity[:12]}"
        taken.add((instrument, task))
        names[item_id] = ItemName(
            task, system, mine, instrument, key, identity, role, stratum, references.get(place), transformation, seed
        )
    return names


def _variant_name(transformation: str | None, seed: int | None) -> str:
    if transformation is None:
        return "original"
    return f"{transformation} {seed}" if seed else transformation


def _systems(session: Session, problems: Sequence[int]) -> dict[Place, list[str]]:
    rows = session.execute(
        select(Output.problem_id, Item.identity, System.name)
        .join(Item, Item.id == Output.item_id)
        .join(System, System.id == Output.system_id)
        .where(Output.problem_id.in_(problems))
        .order_by(System.position, System.id)
    )
    names: dict[Place, list[str]] = defaultdict(list)
    for problem, identity, name in rows:
        names[problem, identity].append(name)
    return names


def _references(session: Session, problems: Sequence[int]) -> dict[Place, str]:
    """The references that are items, as an import reads them: "reference", "reference 2", …"""
    rows = session.execute(
        select(Reference.problem_id, Item.identity, Reference.position)
        .join(Item, Item.id == Reference.item_id)
        .where(Reference.problem_id.in_(problems))
        .order_by(Reference.position)
    )
    names: dict[Place, str] = {}
    for problem, identity, position in rows:
        names.setdefault((problem, identity), REFERENCE if position == 0 else f"{REFERENCE} {position + 1}")
    return names
