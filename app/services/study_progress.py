"""How far a study is: what it holds, how many grades it has, who gave them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.services.counting import lent_items
from app.storage.models import (
    Annotator,
    Assignment,
    Instrument,
    Item,
    Output,
    Problem,
    Study,
    System,
)
from app.storage.models.material import LEFT_OUT
from app.storage.prepared import constant


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Counts of one study. ``held`` are the grades towards ``wanted``: no more per item than the study asks for."""

    problems: int = 0
    systems: int = 0
    outputs: int = 0
    items: int = 0
    graded: int = 0
    held: int = 0
    wanted: int = 0
    annotators: int = 0

    @property
    def percent(self) -> int:
        """Done of wanted in percent, rounded down: 100 means all."""
        return 100 * self.held // self.wanted if self.wanted else 0


def progress_of(
    session: Session, studies: Sequence[Study], counts: Mapping[int, Counter[int]] | None = None
) -> dict[int, StudyProgress]:
    """The counts of each study by its number. ``counts``: of items by grades, where they are known already."""
    ids = [study.id for study in studies]
    problems = _counts(session, Problem, ids)
    systems = _counts(session, System, ids)
    people = _counts(session, Annotator, ids)
    outputs = _outputs(session, ids)
    items = _items(session, ids, counts)
    progress = {}
    for study in studies:
        item_count, graded, held, wanted = items.get(study.id, (0, 0, 0, 0))
        progress[study.id] = StudyProgress(
            problems=problems.get(study.id, 0),
            systems=systems.get(study.id, 0),
            outputs=outputs.get(study.id, 0),
            items=item_count,
            graded=graded,
            held=held,
            wanted=wanted,
            annotators=people.get(study.id, 0),
        )
    return progress


def _counts(session: Session, table: type[Problem | System | Annotator], ids: list[int]) -> dict[int, int]:
    rows = select(table.study_id, func.count()).where(table.study_id.in_(ids)).group_by(table.study_id)
    return dict(session.execute(rows).all())


def _outputs(session: Session, ids: list[int]) -> dict[int, int]:
    rows = (
        select(System.study_id, func.count())
        .join(Output, Output.system_id == System.id)
        .where(System.study_id.in_(ids))
        .group_by(System.study_id)
    )
    return dict(session.execute(rows).all())


def _items(
    session: Session, ids: list[int], counts: Mapping[int, Counter[int]] | None
) -> dict[int, tuple[int, int, int, int]]:
    """Per study: gradable items, grades of items in all, those that count towards the goal, and the goal."""
    target = func.coalesce(Instrument.grades_per_item, Study.grades_per_item)
    rows = select(Instrument.id, Study.id, target).join(Study, Study.id == Instrument.study_id)
    instruments = session.execute(rows.where(Study.id.in_(ids))).all()
    if counts is None:
        counts = items_by_grades(session, [instrument for instrument, _, _ in instruments])
    totals: dict[int, tuple[int, int, int, int]] = {}
    for instrument, study, wanted in instruments:
        found = counts[instrument]
        items = found.total()
        graded = sum(grades * number for grades, number in found.items())
        held = sum(min(grades, wanted) * number for grades, number in found.items())
        added = (items, graded, held, items * wanted)
        before = totals.get(study, (0, 0, 0, 0))
        totals[study] = (before[0] + added[0], before[1] + added[1], before[2] + added[2], before[3] + added[3])
    return totals


def items_by_grades(session: Session, instruments: Sequence[int]) -> dict[int, Counter[int]]:
    """Per instrument: how many of the items that count have so many grades that count (no surplus, nobody excluded).

    ``Item.load`` counts these grades and the open claims, which are few and taken off again: no pass over the grades.
    """
    found = {instrument: Counter[int]() for instrument in instruments}
    main = (Item.instrument_id.in_(instruments), Item.role == "main")
    loads = select(Item.instrument_id, Item.load, func.count()).where(*main)
    # In the order of ix_items_next, so that nothing needs to be sorted.
    everything = loads.group_by(Item.instrument_id, Item.role, Item.is_reference, Item.load)
    for instrument, load, number in session.execute(everything):
        found[instrument][load] += number
    counted = (Item.gradable, Item.retired_at.is_(None))
    for left_out in (loads.where(text(f"({LEFT_OUT})")), loads.where(Item.id.in_(lent_items(instruments)), *counted)):
        for instrument, load, number in session.execute(left_out.group_by(Item.instrument_id, Item.load)):
            found[instrument][load] -= number
    for instrument, load, open_claims in _claims(session, found):
        found[instrument][load] -= 1
        found[instrument][load - open_claims] += 1
    return {instrument: +counts for instrument, counts in found.items()}


def _claims(session: Session, instruments: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Instrument, load and open claims of each item that is claimed and counts."""
    rows = select(Assignment.item_id, func.count()).where(Assignment.state == constant("claimed"))
    claims = dict(session.execute(rows.group_by(Assignment.item_id)).all())
    wanted = list(instruments)
    lent = lent_items(wanted)
    for ids in _chunks(sorted(claims)):
        main = (Item.id.in_(ids), Item.role == "main", Item.gradable, Item.retired_at.is_(None), Item.id.not_in(lent))
        for item, instrument, load in session.execute(select(Item.id, Item.instrument_id, Item.load).where(*main)):
            if instrument in wanted:
                yield instrument, load, claims[item]


def _chunks(ids: Sequence[int], size: int = 500) -> Iterator[Sequence[int]]:
    """As many as one statement takes."""
    return (ids[start : start + size] for start in range(0, len(ids), size))
