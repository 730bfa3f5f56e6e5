"""Problems, references, systems, outputs and items: what is new is added, what differs is a conflict."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, cast

from sqlalchemy import Table, func, insert, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.ids import content_hash
from app.services.imports.material import Batch, ProblemRow
from app.services.imports.problems import ProblemList
from app.services.ordering import place
from app.services.questionnaires.instruments import output_instrument
from app.storage.base import Base
from app.storage.models import Item, Output, Problem, Reference, Study, System
from app.words import N_, gettext

INSERT_ROWS = 5_000
CHANGED = N_("It differs from what is stored for problem %(key)s.")
KEEP = N_("Stored material never changes; give the changed problem another id, or import into a new study.")


@dataclass
class MaterialPlan:
    """What an import adds to a study, and what is there already."""

    problems: list[ProblemRow] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)  # problem key, system
    references: list[ProblemRow] = field(default_factory=list)  # stored problems that get their first references
    known_outputs: int = 0
    known_problems: int = 0


def plan_material(session: Session, study: Study | None, batch: Batch, problems: ProblemList) -> MaterialPlan:
    """Compare the batch with the study (None: a new one); conflicts go to the list."""
    plan = MaterialPlan()
    if study is None:
        plan.problems, plan.systems, plan.outputs = (
            list(batch.problems.values()),
            list(batch.systems),
            [*batch.outputs],
        )
        return plan
    _plan_problems(session, study, batch, problems, plan)
    known = set(session.scalars(select(System.name).where(System.study_id == study.id)))
    plan.systems = [name for name in batch.systems if name not in known]
    _plan_outputs(session, study, batch, problems, plan)
    return plan


def _plan_problems(session: Session, study: Study, batch: Batch, problems: ProblemList, plan: MaterialPlan) -> None:
    stored = {row.key: row for row in session.scalars(select(Problem).where(Problem.study_id == study.id))}
    references = stored_references(session, study)
    for key, problem in batch.problems.items():
        if key not in stored:
            plan.problems.append(problem)
            continue
        plan.known_problems += 1
        for column in ("intent", "context", "tests", "image_alt"):
            given = getattr(problem, column)
            if given is not None and given != getattr(stored[key], column):
                _changed(problems, batch, problem, batch.column(column))
        if problem.references and key not in references:
            plan.references.append(problem)
        elif problem.references and problem.references != references[key]:
            _changed(problems, batch, problem, _reference_column(batch, problem, references[key]))


def _changed(problems: ProblemList, batch: Batch, problem: ProblemRow, column: str) -> None:
    message = gettext(CHANGED, key=repr(problem.key))
    problems.add(message, row=problem.row, column=column, remedy=gettext(KEEP), file=batch.file)


def _reference_column(batch: Batch, problem: ProblemRow, stored: tuple[str, ...]) -> str:
    """The column of the first reference that differs; the first column where a column doesn't hold just one."""
    one_each = len(problem.references) == len(batch.columns.get("reference", ()))
    same = list(takewhile(lambda pair: pair[0] == pair[1], zip(problem.references, stored, strict=False)))
    return batch.column("reference", len(same) if one_each else 0)


def stored_references(session: Session, study: Study) -> dict[str, tuple[str, ...]]:
    """The references of each problem, by its key, in their order."""
    rows = session.execute(
        select(Problem.key, Reference.text)
        .join(Reference, Reference.problem_id == Problem.id)
        .where(Problem.study_id == study.id)
        .order_by(Reference.problem_id, Reference.position)
    )
    result: dict[str, list[str]] = {}
    for key, text in rows:
        result.setdefault(key, []).append(text)
    return {key: tuple(texts) for key, texts in result.items()}


def _plan_outputs(session: Session, study: Study, batch: Batch, problems: ProblemList, plan: MaterialPlan) -> None:
    stored = session.execute(
        select(Problem.key, System.name, Output.text)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
        .execution_options(yield_per=INSERT_ROWS)
    )
    known: set[tuple[str, str]] = set()
    for key, system, text in stored:
        given = batch.outputs.get((key, system))
        if given is None:
            continue
        known.add((key, system))
        if given.text == text:
            plan.known_outputs += 1
        else:
            message = gettext(
                "Another output of %(system)s is stored for problem %(key)s.", system=repr(system), key=repr(key)
            )
            column = batch.output_column(system)
            problems.add(message, row=given.row, column=column, remedy=gettext(KEEP), file=batch.file)
    plan.outputs = [pair for pair in batch.outputs if pair not in known]


def store_material(
    session: Session, study: Study, batch: Batch, plan: MaterialPlan, *, run_id: int | None, images: dict[str, int]
) -> None:
    """Add what the plan says. ``images``: artifact ids by the names in the batch."""
    _Storing(session, study, batch, plan, run_id).store(images)


def output_identity(study: Study, system: str, text: str) -> str:
    """Which outputs to one problem share an item: those with the same text, or none."""
    return content_hash(text) if study.merge_identical else content_hash("output", system)


def reference_identity(study: Study, position: int, text: str) -> str:
    """A reference is an item like any other."""
    return content_hash(text) if study.merge_identical else content_hash("reference", str(position))


def insert_all(session: Session, model: type[Base], rows: Iterable[dict[str, Any]]) -> None:
    """Many rows, a few thousand at a time, past the unit of work."""
    statement = insert(cast("Table", model.__table__))
    iterator = iter(rows)
    while chunk := list(islice(iterator, INSERT_ROWS)):
        session.execute(statement, chunk)


class _Storing:
    """One import's material on its way into the tables, in the order that their keys need."""

    def __init__(self, session: Session, study: Study, batch: Batch, plan: MaterialPlan, run_id: int | None) -> None:
        self.session = session
        self.study = study
        self.batch = batch
        self.plan = plan
        self.run_id = run_id
        self.with_references = plan.problems + plan.references
        # A study of prompts or pairs alone asks nothing about outputs, and has no items of them.
        graded_references = study.include_references and any(each.references for each in self.with_references)
        needs_items = bool(plan.outputs) or graded_references
        self.instrument_id = output_instrument(session, study).id if needs_items else None

    def store(self, images: dict[str, int]) -> None:
        insert_all(self.session, Problem, self._problems(images))
        insert_all(self.session, System, self._systems())
        self.problem_ids = self._ids(Problem.key, Problem)
        self.system_ids = self._ids(System.name, System)
        self.item_ids = self._item_ids()
        insert_all(self.session, Item, self._new_items())
        self.item_ids = self._item_ids()
        insert_all(self.session, Reference, self._references())
        insert_all(self.session, Output, self._outputs())
        self._note_new_outputs()

    def _ids(self, name: InstrumentedAttribute[str], model: type[Problem] | type[System]) -> dict[str, int]:
        rows = self.session.execute(select(name, model.id).where(model.study_id == self.study.id))
        return dict(rows.all())

    def _item_ids(self) -> dict[tuple[int, str], int]:
        rows = self.session.execute(
            select(Item.problem_id, Item.identity, Item.id).where(Item.instrument_id == self.instrument_id)
        )
        return {(problem, identity): number for problem, identity, number in rows}

    def _count(self, model: type[Problem] | type[System]) -> int:
        statement = select(func.count()).select_from(model).where(model.study_id == self.study.id)
        return self.session.scalar(statement) or 0

    def _problems(self, images: dict[str, int]) -> Iterator[dict[str, Any]]:
        for position, problem in enumerate(self.plan.problems, start=self._count(Problem)):
            yield {
                "study_id": self.study.id,
                "key": problem.key,
                "position": position,
                "intent": problem.intent,
                "context": problem.context,
                "tests": problem.tests,
                "image_id": images[problem.image] if problem.image else None,
                "image_alt": problem.image_alt,
                "run_id": self.run_id,
            }

    def _systems(self) -> Iterator[dict[str, Any]]:
        for position, name in enumerate(self.plan.systems, start=self._count(System)):
            yield {"study_id": self.study.id, "name": name, "position": position}

    def _new_items(self) -> Iterator[dict[str, Any]]:
        made = set(self.item_ids)
        for key, identity, text, is_reference in self._needed_items():
            which = (self.problem_ids[key], identity)
            if which not in made:
                made.add(which)
                yield {
                    "study_id": self.study.id,
                    "instrument_id": self.instrument_id,
                    "problem_id": which[0],
                    "identity": identity,
                    "text": text,
                    "shuffle": place(self.study.seed, key, identity),
                    "is_reference": is_reference,
                }

    def _needed_items(self) -> Iterator[tuple[str, str, str, bool]]:
        """Outputs first: a reference that reads like an output is that output's item."""
        for key, system in self.plan.outputs:
            text = self.batch.outputs[key, system].text
            yield key, output_identity(self.study, system, text), text, False
        for problem in self.with_references if self.study.include_references else ():
            for number, text in enumerate(problem.references):
                yield problem.key, reference_identity(self.study, number, text), text, True

    def _references(self) -> Iterator[dict[str, Any]]:
        for problem in self.with_references:
            for number, text in enumerate(problem.references):
                item = (self.problem_ids[problem.key], reference_identity(self.study, number, text))
                yield {
                    "problem_id": item[0],
                    "position": number,
                    "text": text,
                    "item_id": self.item_ids[item] if self.study.include_references else None,
                    "run_id": self.run_id,
                }

    def _note_new_outputs(self) -> None:
        """An item that was a reference alone until now may have become an output's, too."""
        written = select(Output.id).where(Output.item_id == Item.id).exists()
        stale = update(Item).where(Item.study_id == self.study.id, Item.is_reference, written)
        self.session.execute(stale.values(is_reference=False).execution_options(synchronize_session=False))

    def _outputs(self) -> Iterator[dict[str, Any]]:
        for key, system in self.plan.outputs:
            text = self.batch.outputs[key, system].text
            item = (self.problem_ids[key], output_identity(self.study, system, text))
            yield {
                "problem_id": item[0],
                "system_id": self.system_ids[system],
                "item_id": self.item_ids[item],
                "text": text,
                "run_id": self.run_id,
            }
