"""A study's grades as the arrays that agreement takes. All is keyed by content; nothing relies on row order."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.once import computed_once
from app.services.agreement.changes import Changes, item_key, load_changes
from app.services.agreement.questions import AskedQuestion, questions_about_outputs, survey_questions
from app.services.ordering import place
from app.services.sampling.spec import NOMINAL, PERTURBED
from app.storage.models import Annotator, Grade, Item, Output, Problem, Study, System, Variant

Strata = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class CountedGrade:
    """One grade that counts: a number, or the chosen labels."""

    item: str
    annotator: str
    value: float | None
    labels: frozenset[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class AskedItem:
    """An item of the question's instrument. transformation: of a changed text; "" of all others."""

    key: str
    problem: str
    stratum: str
    transformation: str


@dataclass(frozen=True, eq=False)
class QuestionGrades:
    """The question's items, and its grades that count, sorted by item and annotator."""

    question: AskedQuestion
    items: tuple[AskedItem, ...]
    grades: tuple[CountedGrade, ...]

    @computed_once
    def keys(self) -> frozenset[str]:
        """All items."""
        return frozenset(item.key for item in self.items)

    @computed_once
    def strata(self) -> Strata:
        """Items by what they were sampled as: nominal, perturbed, each transformation, then any other name.

        A stratum that holds all items says nothing of its own, and is left out.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for item in self.items:
            names = (PERTURBED, item.transformation) if item.transformation else (item.stratum,)
            for name in names:
                found[name].add(item.key)
        first = [name for name in (NOMINAL, PERTURBED) if name in found]
        order = [*first, *sorted(name for name in found if name and name not in first)]
        return {name: frozenset(found[name]) for name in order if len(found[name]) < len(self.keys)}

    @computed_once
    def unchanged(self) -> frozenset[str]:
        """Items that are no changed text."""
        return frozenset(item.key for item in self.items if not item.transformation)

    @computed_once
    def by_transformation(self) -> Strata:
        """Changed texts by what changed them, in the order of the names."""
        names = sorted({item.transformation for item in self.items} - {""})
        return {name: frozenset(each.key for each in self.items if each.transformation == name) for name in names}

    def in_order(self, seed: int) -> list[CountedGrade]:
        """As they came; those of one moment (imported together) in an order that follows from the seed."""
        return sorted(self.grades, key=lambda each: (each.at, place(seed, each.item, each.annotator)))

    @computed_once
    def of_one_moment(self) -> int:
        """How many grades came at the same moment as another one."""
        return sum(count for count in Counter(each.at for each in self.grades).values() if count > 1)


@dataclass(frozen=True, eq=False)
class Ownership:
    """Whose output each item is. systems: in the study's order; owners: item → systems."""

    systems: tuple[str, ...]
    owners: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class StudyGrades:
    """All that is measured, from one consistent state of the database."""

    about: dict[str, str]
    seed: int
    questions: tuple[QuestionGrades, ...]
    ownership: Ownership
    changes: Changes | None = None  # of a survey of a perturbed set

    def of(self, question: AskedQuestion | None) -> QuestionGrades | None:
        """The grades of a question of the study."""
        return next((each for each in self.questions if question and each.question.name == question.name), None)

    @property
    def about_outputs(self) -> list[QuestionGrades]:
        """Those by which systems have means."""
        chosen = questions_about_outputs([each.question for each in self.questions])
        return [each for each in self.questions if each.question in chosen]

    @property
    def survey(self) -> tuple[QuestionGrades | None, QuestionGrades | None]:
        """Naturalness of prompts, semantic similarity of pairs; None for what the study does not ask."""
        natural, similar = survey_questions([each.question for each in self.questions])
        return self.of(natural), self.of(similar)


def load_study_grades(
    session: Session, study: Study, questions: list[AskedQuestion], seed: int | None = None
) -> StudyGrades:
    """Read the study."""
    return StudyGrades(
        about={"slug": study.slug, "title": study.title, "notice": study.notice},
        seed=study.seed if seed is None else seed,
        questions=tuple(load_question(session, question) for question in questions),
        ownership=_load_ownership(session, study),
        changes=load_changes(session, study),
    )


def load_question(session: Session, question: AskedQuestion) -> QuestionGrades:
    """Grades that count: current, not surplus, of main items that are no reference, by people who aren't excluded.

    References, practice and attention items check annotators. An item counts as one that could have been graded if
    it is handed out, or was.
    """
    grades = _load_grades(session, question)
    graded = {each.item for each in grades}
    rows = session.execute(
        select(Problem.key, Item.identity, Item.stratum, Variant.transformation, Item.original, Item.gradable)
        .join(Problem, Problem.id == Item.problem_id)
        .outerjoin(Variant, Variant.id == Item.variant_id)
        .where(Item.instrument_id == question.instrument_id, Item.role == "main", Item.is_reference.is_(False))
    )
    items = []
    for problem, identity, stratum, transformation, original, gradable in rows:
        key = item_key(problem, identity)
        if gradable or key in graded:
            # Of a pair that is made of no stored variant, what it was sampled as tells what changed it.
            changed = transformation or ("" if original is None else stratum or PERTURBED)
            own = NOMINAL if question.item_kind == "prompt" and not changed else ""
            items.append(AskedItem(key, problem, stratum or own, changed))
    return QuestionGrades(question, tuple(sorted(items, key=lambda each: each.key)), tuple(grades))


def _load_grades(session: Session, question: AskedQuestion) -> list[CountedGrade]:
    answer = Grade.text if question.labels else Grade.value
    rows = session.execute(
        select(Problem.key, Item.identity, Annotator.pseudonym, Grade.value, Grade.text, Grade.created_at)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(Grade.question_id == question.id, Grade.surplus.is_(False), answer.is_not(None))
        .where(Item.role == "main", Item.is_reference.is_(False), Annotator.excluded_at.is_(None))
    )
    grades = [
        CountedGrade(item_key(problem, identity), annotator, value, _labels(question, text), at)
        for problem, identity, annotator, value, text, at in rows
    ]
    return sorted(grades, key=lambda each: (each.item, each.annotator))


def _labels(question: AskedQuestion, text: str | None) -> frozenset[str]:
    return frozenset(json.loads(text)) if question.labels and text else frozenset()


def _load_ownership(session: Session, study: Study) -> Ownership:
    mine = select(System).where(System.study_id == study.id).order_by(System.position, System.id)
    systems = {system.id: system.name for system in session.scalars(mine)}
    owners: dict[str, list[str]] = defaultdict(list)
    rows = session.execute(
        select(Problem.key, Item.identity, Output.system_id)
        .join(Item, Item.id == Output.item_id)
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .where(System.study_id == study.id)
        .order_by(System.position, System.id)
    )
    for problem, identity, system in rows:
        owners[item_key(problem, identity)].append(systems[system])
    return Ownership(tuple(systems.values()), {item: tuple(names) for item, names in owners.items()})
