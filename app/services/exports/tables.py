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
    *("question", "problem", "systems", "is_reference", "surplus", "created_at", "updated_at"),
)
SCORE_COLUMNS = ("problem", "system", "metric", "score", "signature", "imported")


def grade_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every current grade. ``task`` is "problem|system" of the first system whose output the item is."""
    systems = _systems_of_items(session, study)
    references = _reference_items(session, study)
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
        yield {
            "task": f"{problem}|{names[0] if names else REFERENCE}",
            "worker": pseudonym,
            "label": plain_number(grade.value),
            "question": question,
            "problem": problem,
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


def output_rows(session: Session, study: Study) -> Iterator[Row]:
    """Every output with its problem: the long layout, which CodeJury imports again."""
    references: dict[int, list[str]] = defaultdict(list)
    found = select(Reference.problem_id, Reference.text).join(Problem, Problem.id == Reference.problem_id)
    for problem_id, text in session.execute(
        found.where(Problem.study_id == study.id).order_by(Reference.problem_id, Reference.position)
    ):
        references[problem_id].append(text)
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


def _reference_items(session: Session, study: Study) -> set[int]:
    found = select(Reference.item_id).join(Problem, Problem.id == Reference.problem_id)
    return {item_id for item_id in session.scalars(found.where(Problem.study_id == study.id)) if item_id is not None}
