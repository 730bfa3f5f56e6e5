"""A study's rows as long tables: one row per grade, score or output, scalars only, always in the same order."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.storage.models import (
    Annotator,
    Grade,
    Item,
    MetricScore,
    Output,
    Problem,
    Question,
    Reference,
    Scoring,
    Study,
    System,
)

Row = dict[str, Any]
REFERENCE = "reference"  # how a task names an item that is no system's output

GRADE_COLUMNS = (
    *("task", "worker", "label"),  # what crowd-kit reads
    *("question", "problem", "system", "systems", "is_reference", "surplus", "created_at", "updated_at"),
)
SCORE_COLUMNS = ("problem", "system", "metric", "score", "signature", "imported")


def grade_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every current grade. ``task`` is "problem|system" of the first system whose output the item is."""
    systems = _systems_of_items(session, study)
    references = _reference_names(session, study)
    rows = session.execute(
        select(Grade, Problem.key, Annotator.pseudonym, Question.name)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .join(Question, Question.id == Grade.question_id)
        .where(Item.study_id == study.id)
        .order_by(Problem.position, Item.id, Annotator.id, Question.position)
    )
    for grade, problem, pseudonym, question in rows:
        names = systems.get(grade.item_id, [])
        system = names[0] if names else references[grade.item_id]
        yield {
            "task": f"{problem}|{system}",
            "worker": pseudonym,
            "label": grade.text if grade.value is None else plain_number(grade.value),
            "question": question,
            "problem": problem,
            "system": system,
            "systems": " ".join(names),
            "is_reference": grade.item_id in references,
            "surplus": grade.surplus,
            "created_at": grade.created_at.isoformat().replace("+00:00", "Z"),
            "updated_at": grade.updated_at.isoformat().replace("+00:00", "Z"),
        }


def score_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every metric's score of every output."""
    rows = session.execute(
        select(Problem.key, System.name, Scoring, MetricScore.score)
        .join(Scoring, Scoring.id == MetricScore.scoring_id)
        .join(Output, Output.id == MetricScore.output_id)
        .join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .where(Scoring.study_id == study.id)
        .order_by(Scoring.name, Scoring.id, Problem.position, System.position)
    )
    for problem, system, scoring, score in rows:
        yield {
            "problem": problem,
            "system": system,
            "metric": scoring.name,
            "score": score,
            "signature": scoring.signature,
            "imported": scoring.imported,
        }


def problem_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every problem in its order, those without outputs too; ``image`` is the name of its file in the bundle."""
    references = _references_of_problems(session, study)
    for problem in session.scalars(
        select(Problem).where(Problem.study_id == study.id).order_by(Problem.position, Problem.id)
    ):
        yield {
            "problem": problem.key,
            "intent": problem.intent,
            "context": problem.context,
            "tests": problem.tests,
            "references": references[problem.id],
            "image": image_name(problem) if problem.image_id is not None else None,
        }


def image_name(problem: Problem) -> str:
    """Where a problem's image lies in the bundle: by position, since a key need not be a file's name."""
    return f"images/{problem.position}.png"


def output_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every output with its problem: the long layout, which CodeJury imports again."""
    references = _references_of_problems(session, study)
    rows = session.execute(
        select(Problem, System.name, Output.text)
        .join(Output, Output.problem_id == Problem.id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position, System.position)
    )
    for problem, system, text in rows:
        yield {
            "problem": problem.key,
            "intent": problem.intent,
            "context": problem.context,
            "references": references[problem.id],
            "system": system,
            "output": text,
        }


def plain_number(value: float) -> float | int:
    """3.0 as 3: a grade reads as people gave it."""
    return int(value) if value.is_integer() else value


def _references_of_problems(session: Session, study: Study) -> dict[int, list[str]]:
    found = select(Reference.problem_id, Reference.text).join(Problem, Problem.id == Reference.problem_id)
    references: dict[int, list[str]] = defaultdict(list)
    for problem_id, text in session.execute(
        found.where(Problem.study_id == study.id).order_by(Reference.problem_id, Reference.position)
    ):
        references[problem_id].append(text)
    return references


def _systems_of_items(session: Session, study: Study) -> dict[int, list[str]]:
    rows = session.execute(
        select(Output.item_id, System.name)
        .join(System, System.id == Output.system_id)
        .where(System.study_id == study.id)
        .order_by(Output.item_id, System.position)
    )
    names: dict[int, list[str]] = defaultdict(list)
    for item_id, name in rows:
        names[item_id].append(name)
    return names


def _reference_names(session: Session, study: Study) -> dict[int, str]:
    """How a task names the references that are items: "reference", "reference 2", … as an import reads them."""
    rows = session.execute(
        select(Reference.item_id, Reference.position)
        .join(Problem, Problem.id == Reference.problem_id)
        .where(Problem.study_id == study.id, Reference.item_id.is_not(None))
        .order_by(Reference.position)
    )
    names: dict[int, str] = {}
    for item_id, position in rows:
        if item_id is not None:
            names.setdefault(item_id, REFERENCE if position == 0 else f"{REFERENCE} {position + 1}")
    return names
