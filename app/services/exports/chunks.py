"""A study's problems a few at a time, and what their items are called: so that tables of any length stay small."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session, aliased

from app.storage.models import Instrument, Item, Output, Problem, Reference, Study, System, Variant

PROBLEMS_AT_ONCE = 200
REFERENCE = "reference"  # how a task names an item that is no system's output
OWN_TEXT = "own text"  # what practice and checks are called whose text is nobody's output
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
    repeats: str | None  # of a repeated item, a check or practice: the identity of the main item with its text
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
    """What each item of these problems is called, by its id. One that shows what another does has its name."""
    systems, references, shown = (
        _systems(session, problems),
        _references(session, problems),
        _shown(session, problems),
    )
    rows = session.execute(
        select(Item.id, Item.problem_id, Item.identity, Item.role, Item.stratum)
        .add_columns(Instrument.name, Instrument.kind, Problem.key, Variant.transformation, Variant.seed)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .where(Item.problem_id.in_(problems))
        .order_by(Problem.position, Item.id)
    )
    names: dict[int, ItemName] = {}
    taken: set[tuple[str, str]] = set()
    for row in rows:
        repeats = shown.get(row.id)
        place = (row.problem_id, repeats or row.identity)
        mine = tuple(systems.get(place, ()))
        system = mine[0] if mine else references.get(place)
        called = system or _variant_name(row.kind, row.transformation, row.seed)
        task = f"{row.key}|{called}" if row.role == "main" else f"{row.key}|{called} ({row.role})"
        if (row.name, task) in taken:
            task = f"{task} #{row.identity[:12]}"
        taken.add((row.name, task))
        names[row.id] = ItemName(
            task,
            system,
            mine,
            instrument=row.name,
            problem=row.key,
            identity=row.identity,
            repeats=repeats,
            role=row.role,
            stratum=row.stratum,
            reference=references.get(place),
            transformation=row.transformation,
            seed=row.seed,
        )
    return names


def _variant_name(kind: str, transformation: str | None, seed: int | None) -> str:
    if transformation is None:
        return OWN_TEXT if kind == "output" else "original"
    return f"{transformation} {seed}" if seed else transformation


def _shown(session: Session, problems: Sequence[int]) -> dict[int, str]:
    """By item that is practice, a check or a repeat: which main item it repeats, or else has the text of."""
    main = aliased(Item)
    same = (
        (main.instrument_id == Item.instrument_id)
        & (main.problem_id == Item.problem_id)
        & (main.role == "main")
        & (main.text == Item.text)
        & main.original.is_not_distinct_from(Item.original)
    )
    rows = session.execute(
        select(Item.id, main.identity)
        .join(main, or_(main.id == Item.repeats_id, and_(Item.repeats_id.is_(None), same)))
        .where(Item.problem_id.in_(problems), Item.role != "main")
        .order_by(Item.id, main.id.desc())  # of several the first stands
    )
    return dict(rows.all())


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
