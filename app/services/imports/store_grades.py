"""Imported grades become current grades, each with its event and its place among the item's grades."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, cast

from sqlalchemy import Table, bindparam, func, select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.ids import new_opaque_id
from app.services.imports.answers import answer_of, shown_answer
from app.services.imports.material import Batch, GradeRow
from app.services.imports.problems import ProblemList
from app.services.imports.storable import BadValue
from app.services.imports.store_material import MaterialPlan, insert_all
from app.services.imports.targets import SEPARATOR, Targets, load_targets
from app.services.ordering import place
from app.services.questionnaires.instruments import instruments_of, questions_of
from app.services.questionnaires.scales import Stored
from app.storage.models import Annotator, Assignment, Grade, GradeEvent, Item, Question, Study
from app.words import gettext

EXCLUDED_ELSEWHERE = "Excluded in the study that the grades were exported from."
NO_KINDS: Mapping[str, str] = MappingProxyType({})
Key = tuple[str, int, int]  # pseudonym, item, question


@dataclass(frozen=True, slots=True)
class NewGrade:
    """A grade that is not there yet."""

    annotator: str
    item_id: int
    question_id: int
    answer: Stored
    row: GradeRow


@dataclass
class GradePlan:
    """What an import adds, and how many of its grades are there already."""

    grades: list[NewGrade] = field(default_factory=list)
    known: int = 0


class GradePlanner:
    """Looks up what each row speaks of, and compares it with what is stored."""

    def __init__(self, session: Session, study: Study, problems: ProblemList, coming: MaterialPlan) -> None:
        self.problems = problems
        targets = load_targets(session, study)
        self.targets: Targets = targets.expect(coming, with_references=study.include_references)
        self.questions = {question.name: question for question in questions_of(session, study.id)}
        self.instruments = {each.id: each.name for each in instruments_of(session, study.id)}
        self.kinds = dict(
            session.execute(select(Annotator.pseudonym, Annotator.kind).where(Annotator.study_id == study.id)).all()
        )
        self.stored = _stored_grades(session, study)

    def plan(self, batch: Batch) -> GradePlan:
        """Sort the rows into new ones, known ones and problems."""
        plan = GradePlan()
        seen: dict[Key, tuple[Stored, int]] = {}
        for row in batch.grades:
            try:
                question = self._question(row)
                instrument = self.instruments[question.instrument_id]
                item_id = self.targets.of_instrument(self._item(row, instrument), instrument)
                answer = answer_of(row, question)
                key = (row.annotator, item_id, question.id)
                if self._is_known(key, answer) or _is_repeated(key, answer, row, seen):
                    plan.known += 1
                    continue
            except BadValue as error:
                column = _column(row, error.field, batch)
                self.problems.add(error.message, row=row.row, column=column, remedy=error.remedy, file=row.file)
                continue
            plan.grades.append(NewGrade(row.annotator, item_id, question.id, answer, row))
        return plan

    def _item(self, row: GradeRow, instrument: str) -> int:
        if row.problem is not None and row.identity is not None:
            named = self.targets.named_item(row.instrument, row.problem, row.identity)
            if named is not None:
                return named
            if row.system is None:
                raise BadValue(
                    gettext(
                        "Problem %(problem)s has no item %(identity)s….",
                        problem=repr(row.problem),
                        identity=row.identity[:12],
                    ),
                    gettext(
                        "An item’s identity is the one that an export of this study writes, in the same instrument. "
                        "Outputs can be named by a column system instead."
                    ),
                    field="identity",
                )
        if instrument in self.targets.tasks:
            return self.targets.prompt(instrument, row.task or f"{row.problem}{SEPARATOR}{row.system}")
        if row.problem is not None and row.system is not None:
            return self.targets.item(row.problem, row.system)
        return self.targets.item_of_task(row.task or "")

    def _question(self, row: GradeRow) -> Question:
        if row.question is None and len(self.questions) > 1:
            names = ", ".join(self.questions)
            raise BadValue(
                gettext("The study asks several questions."),
                gettext("Add a column question with one of: %(names)s.", names=names),
            )
        name = row.question or next(iter(self.questions), "")
        if name not in self.questions:
            raise BadValue(
                gettext("The study asks no question %(name)s.", name=repr(name)),
                gettext("It asks: %(names)s.", names=", ".join(self.questions)),
                field="question",
            )
        return self.questions[name]

    def _is_known(self, key: Key, answer: Stored) -> bool:
        stored = self.stored.get(key)
        if stored is not None and stored != answer:
            message = gettext(
                "%(annotator)s graded this item %(stored)s already, here it is %(here)s.",
                annotator=key[0],
                stored=shown_answer(stored),
                here=shown_answer(answer),
            )
            raise BadValue(message, gettext("Imported grades never replace stored ones."), field="label")
        if stored is None and self.kinds.get(key[0], "imported") != "imported":
            message = gettext("%(annotator)s grades in this study already.", annotator=key[0])
            raise BadValue(message, gettext("Give the imported worker another name."), field="annotator")
        return stored is not None


def _column(row: GradeRow, field: str | None, batch: Batch) -> str | None:
    """The file's column that a problem is about; a task names problem and system in one."""
    if row.column is not None or field is None:
        return row.column
    return batch.column("task" if row.task is not None and field in ("problem", "system") else field)


def _is_repeated(key: Key, answer: Stored, row: GradeRow, seen: dict[Key, tuple[Stored, int]]) -> bool:
    earlier = seen.setdefault(key, (answer, row.row))
    if earlier[0] != answer:
        raise BadValue(
            gettext(
                "Row %(row)s has another grade of %(annotator)s for the same item (%(stored)s, here %(here)s).",
                row=earlier[1],
                annotator=key[0],
                stored=shown_answer(earlier[0]),
                here=shown_answer(answer),
            ),
            gettext("Identical outputs to one problem are one item; keep one grade."),
            field="label",
        )
    return earlier[1] != row.row


def _stored_grades(session: Session, study: Study) -> dict[Key, Stored]:
    rows = session.execute(
        select(Annotator.pseudonym, Grade.item_id, Grade.question_id, Grade.value, Grade.text)
        .join(Grade, Grade.annotator_id == Annotator.id)
        .where(Annotator.study_id == study.id)
    )
    return {(pseudonym, item, question): Stored(value, text) for pseudonym, item, question, value, text in rows}


def plan_grades(
    session: Session, study: Study, batch: Batch, problems: ProblemList, coming: MaterialPlan | None = None
) -> GradePlan:
    """Compare the batch's grades with the study, and with the material that is about to join it."""
    return GradePlanner(session, study, problems, coming or MaterialPlan()).plan(batch)


def store_grades(
    session: Session,
    study: Study,
    plan: GradePlan,
    source: dict[str, Any],
    *,
    kinds: Mapping[str, str] = NO_KINDS,
    excluded: Collection[str] = (),
) -> None:
    """Add what the plan says; ``source`` tells in each event which run and file it came from.

    An imported grade holds no numbered slot (there may be more of them than the study asks for), but it counts in
    its item's load: nobody is asked for a grade that is there.
    """
    now = utc_now()
    ids = _annotators(session, study, plan, kinds, excluded)
    shown = _assignment_rows(session, plan, ids, now)
    insert_all(session, Assignment, shown)
    insert_all(session, Grade, [_grade_row(grade, ids, now) for grade in plan.grades])
    insert_all(session, GradeEvent, [_event_row(grade, ids, now, source) for grade in plan.grades])
    added = Counter(row["item_id"] for row in shown if not row["surplus"])
    table = cast("Table", Item.__table__)
    raise_load = update(table).where(table.c.id == bindparam("item")).values(load=table.c.load + bindparam("more"))
    if added:
        session.execute(raise_load, [{"item": item, "more": more} for item, more in sorted(added.items())])


def _annotators(
    session: Session, study: Study, plan: GradePlan, kinds: Mapping[str, str], excluded: Collection[str]
) -> dict[str, int]:
    stored = select(Annotator.pseudonym, Annotator.id).where(Annotator.study_id == study.id)
    known = dict(session.execute(stored).all())
    named = dict.fromkeys([*kinds, *(grade.annotator for grade in plan.grades)])
    for name in named:
        if name not in known:
            kind, order = kinds.get(name, "imported"), place(study.seed, "order", name)
            annotator = Annotator(study_id=study.id, pseudonym=name, kind=kind, order_seed=order)
            if name in excluded:
                annotator.excluded_at, annotator.excluded_reason = utc_now(), EXCLUDED_ELSEWHERE
            session.add(annotator)
    session.flush()
    return dict(session.execute(stored).all())


def _assignment_rows(session: Session, plan: GradePlan, ids: dict[str, int], now: datetime) -> list[dict[str, Any]]:
    """One assignment for each item that an annotator had not been shown yet, in the order of the file."""
    people = {ids[grade.annotator] for grade in plan.grades}
    pairs = session.execute(
        select(Assignment.annotator_id, Assignment.item_id).where(Assignment.annotator_id.in_(people))
    )
    shown = {(annotator, item) for annotator, item in pairs}
    next_position = dict(
        session.execute(
            select(Assignment.annotator_id, func.max(Assignment.position) + 1)
            .where(Assignment.annotator_id.in_(people))
            .group_by(Assignment.annotator_id)
        ).all()
    )
    rows = []
    for grade in plan.grades:
        annotator = ids[grade.annotator]
        if (annotator, grade.item_id) in shown:
            continue
        shown.add((annotator, grade.item_id))
        position = next_position.get(annotator, 0)
        next_position[annotator] = position + 1
        rows.append(_assignment_row(annotator, grade, position, grade.row.at or now))
    return rows


def _assignment_row(annotator: int, grade: NewGrade, position: int, at: datetime) -> dict[str, Any]:
    return {
        "public_id": new_opaque_id(),
        "annotator_id": annotator,
        "item_id": grade.item_id,
        "position": position,
        "state": "graded",
        "surplus": grade.row.surplus,
        "swapped": grade.row.swapped,
        "claimed_at": at,
        "lease_until": at,
        "finished_at": at,
    }


def _grade_row(grade: NewGrade, ids: dict[str, int], now: datetime) -> dict[str, Any]:
    at = grade.row.at or now
    return {
        "annotator_id": ids[grade.annotator],
        "item_id": grade.item_id,
        "question_id": grade.question_id,
        "value": grade.answer.value,
        "text": grade.answer.text,
        "created_at": at,
        "updated_at": grade.row.updated_at or at,
        "surplus": grade.row.surplus,
    }


def _event_row(grade: NewGrade, ids: dict[str, int], now: datetime, source: dict[str, Any]) -> dict[str, Any]:
    details = source | {"row": grade.row.row}
    if grade.row.file:
        details["name"] = grade.row.file
    if grade.row.merged_from:
        details["merged_from"] = list(grade.row.merged_from)
    return {
        "annotator_id": ids[grade.annotator],
        "item_id": grade.item_id,
        "question_id": grade.question_id,
        "kind": "import",
        "value": grade.answer.value,
        "text": grade.answer.text,
        "created_at": grade.row.at or now,
        "details": details,
    }
