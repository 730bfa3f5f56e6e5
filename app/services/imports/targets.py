"""What imported grades and scores speak of: the items and outputs of a study by problem and system."""

import re
from dataclasses import dataclass, field, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.services.exports.chunks import item_names, problem_chunks
from app.services.imports.material import REFERENCE
from app.services.imports.storable import BadValue
from app.services.imports.store_material import MaterialPlan
from app.storage.models import Instrument, Item, Output, Problem, Reference, Study, System
from app.words import gettext

SEPARATOR = "|"
REFERENCE_NAME = re.compile(rf"{REFERENCE}(?: ([1-9]\d{{0,3}}))?")


@dataclass(frozen=True)
class Targets:
    """Item ids by problem key and system, and by problem key and position of the reference."""

    outputs: dict[tuple[str, str], int]
    references: dict[tuple[str, int], int]
    problems: frozenset[str]
    systems: frozenset[str]
    items: dict[tuple[str | None, str, str], int] = field(default_factory=dict)  # instrument, problem, identity
    places: dict[int, tuple[str, str, str]] = field(default_factory=dict)  # the same, the other way round
    tasks: dict[str, dict[str, int]] = field(default_factory=dict)  # by instrument of prompts or pairs, then by task

    def named_item(self, instrument: str | None, problem: str, identity: str) -> int | None:
        """The item that an export names; None where the study has none of that identity."""
        return self.items.get((instrument, problem, identity))

    def prompt(self, instrument: str, task: str) -> int:
        """The prompt or pair that an export calls so; BadValue tells what they are called."""
        found = self.tasks[instrument]
        if task not in found:
            raise BadValue(
                gettext("%(instrument)s has no item %(task)s.", instrument=instrument, task=repr(task)),
                gettext(
                    "A prompt or pair is named as an export of this study names it: problem|original, "
                    "problem|transformation or problem|transformation seed. Here, for example: %(names)s.",
                    names=", ".join(list(found)[:3]) or "–",
                ),
                field="task",
            )
        return found[task]

    def of_instrument(self, item: int, instrument: str) -> int:
        """The same item among those that the question's instrument asks about."""
        place = self.places.get(item)
        if place is None or place[0] == instrument:  # one that is about to come belongs to the first instrument
            return item
        found = self.items.get((instrument, *place[1:]))
        if found is None:
            raise BadValue(
                gettext(
                    "The question is one of %(instrument)s, which doesn't ask about this.",
                    instrument=repr(instrument),
                ),
                field="question",
            )
        return found

    def item(self, problem: str, system: str) -> int:
        """The item of that output or reference; BadValue says what is unknown."""
        found = self._find(problem, system)
        if found is not None:
            return found
        if problem not in self.problems:
            raise BadValue(
                gettext("The study has no problem %(problem)s.", problem=repr(problem)),
                gettext("Import the outputs first."),
                field="problem",
            )
        if system not in self.systems and not REFERENCE_NAME.fullmatch(system):
            raise BadValue(
                gettext("The study has no system %(system)s.", system=repr(system)),
                gettext("Import its outputs first."),
                field="system",
            )
        raise BadValue(
            gettext("Problem %(problem)s has no item of %(system)s.", problem=repr(problem), system=repr(system)),
            field="system",
        )

    def item_of_task(self, task: str) -> int:
        """The item that a task "problem|system" names, wherever else a bar stands in the names."""
        parts = task.split(SEPARATOR)
        splits = [(SEPARATOR.join(parts[:n]), SEPARATOR.join(parts[n:])) for n in range(1, len(parts))]
        found = [item for item in (self._find(*split) for split in splits) if item is not None]
        if len(found) == 1:
            return found[0]
        if not splits:
            raise BadValue(
                gettext("%(task)s names no item.", task=repr(task)),
                gettext("A task is written as problem|system."),
                field="task",
            )
        if found:
            raise BadValue(
                gettext("%(task)s can be read in two ways.", task=repr(task)),
                gettext("Use two columns, problem and system."),
                field="task",
            )
        return self.item(*splits[-1])

    def expect(self, plan: MaterialPlan, *, with_references: bool) -> "Targets":
        """With what an import is about to add, under ids that nothing stored has."""
        outputs = {pair: -number for number, pair in enumerate(plan.outputs, start=1)} | self.outputs
        coming = [
            (each.key, place) for each in plan.problems + plan.references for place in range(len(each.references))
        ]
        references = {pair: -len(outputs) - n for n, pair in enumerate(coming if with_references else (), start=1)}
        keys = self.problems | {each.key for each in plan.problems}
        systems = self.systems | set(plan.systems)
        return replace(self, outputs=outputs, references=references | self.references, problems=keys, systems=systems)

    def _find(self, problem: str, system: str) -> int | None:
        found = self.outputs.get((problem, system))
        if found is None and system not in self.systems and (match := REFERENCE_NAME.fullmatch(system)):
            found = self.references.get((problem, int(match[1] or 1) - 1))
        return found


def load_targets(session: Session, study: Study) -> Targets:
    """All items of a study by what they are."""
    places = _places(session, study)
    outputs = session.execute(
        select(Problem.key, System.name, Output.item_id)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
    )
    references = session.execute(
        select(Problem.key, Reference.position, Reference.item_id)
        .join(Reference, Reference.problem_id == Problem.id)
        .where(Problem.study_id == study.id, Reference.item_id.is_not(None))
    )
    return Targets(
        {(key, system): item for key, system, item in outputs},
        {(key, position): item for key, position, item in references if item is not None},
        frozenset(session.scalars(select(Problem.key).where(Problem.study_id == study.id))),
        frozenset(session.scalars(select(System.name).where(System.study_id == study.id))),
        _by_place(places),
        places,
        _tasks(session, study),
    )


def _tasks(session: Session, study: Study) -> dict[str, dict[str, int]]:
    """What exports call prompts and pairs, by instrument; outputs are found by their systems."""
    asked = select(Instrument.name).where(Instrument.study_id == study.id, Instrument.kind != "output")
    tasks: dict[str, dict[str, int]] = {name: {} for name in session.scalars(asked)}
    for problems in problem_chunks(session, study) if tasks else ():
        for item, name in item_names(session, problems).items():
            if name.instrument in tasks:
                tasks[name.instrument][name.task] = item
    return tasks


def _places(session: Session, study: Study) -> dict[int, tuple[str, str, str]]:
    """Each item's instrument, problem and identity."""
    rows = session.execute(
        select(Item.id, Instrument.name, Problem.key, Item.identity)
        .join(Instrument, Instrument.id == Item.instrument_id)
        .join(Problem, Problem.id == Item.problem_id)
        .where(Item.study_id == study.id)
        .order_by(Instrument.position, Item.id)
    )
    return {item: (instrument, problem, identity) for item, instrument, problem, identity in rows}


def _by_place(places: dict[int, tuple[str, str, str]]) -> dict[tuple[str | None, str, str], int]:
    """Items by place; without an instrument, that of the first that has it."""
    found: dict[tuple[str | None, str, str], int] = {place: item for item, place in places.items()}
    for item, (_, problem, identity) in places.items():
        found.setdefault((None, problem, identity), item)
    return found
