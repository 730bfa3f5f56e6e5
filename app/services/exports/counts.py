"""How many rows an export would have, before anybody starts it."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.services.exports.requests import ExportRequest, Form
from app.storage.models import (
    Annotator,
    Assignment,
    Grade,
    GradeEvent,
    Item,
    MetricScore,
    Output,
    Problem,
    Scoring,
    Study,
    System,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a study holds."""

    problems: int
    outputs: int
    items: int
    annotators: int
    grades: int
    skips: int
    events: int
    scores: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but settings."""
        return not (self.problems or self.annotators)


def count_study(session: Session, study: Study) -> Counts:
    """All of them."""

    def count(statement: Select[int]) -> int:
        return session.scalar(statement) or 0

    rows = select(func.count())
    # By annotator: indexes hold what people did in that order, and no row needs to be looked up.
    people = select(Annotator.id).where(Annotator.study_id == study.id)
    outputs = rows.select_from(Output).join(System, System.id == Output.system_id)
    scores = rows.select_from(MetricScore).join(Scoring, Scoring.id == MetricScore.scoring_id)
    return Counts(
        problems=count(rows.where(Problem.study_id == study.id)),
        outputs=count(outputs.where(System.study_id == study.id)),
        items=count(rows.where(Item.study_id == study.id)),
        annotators=count(rows.where(Annotator.study_id == study.id)),
        grades=count(rows.where(Grade.annotator_id.in_(people))),
        skips=count(rows.where(Assignment.annotator_id.in_(people), Assignment.state == "skipped")),
        events=count(rows.where(GradeEvent.annotator_id.in_(people))),
        scores=count(scores.where(Scoring.study_id == study.id)),
    )


def rows_of(session: Session, study: Study, request: ExportRequest) -> int:
    """About how many rows the export has: of a bundle, of all its files."""
    of = count_study(session, study)
    grades = of.grades + (of.skips if request.skips else 0)
    material = 2 * of.problems + of.items + of.outputs
    rows: dict[Form, Callable[[], int]] = {
        Form.BUNDLE: lambda: material + 2 * of.grades + 3 * of.skips + 2 * of.events + of.scores,
        Form.TEMPLATE: lambda: material if request.material else 0,
        Form.WIDE: lambda: of.problems,
        Form.LABEL_STUDIO: lambda: of.items,
        Form.TABLES: lambda: of.annotators,
    }
    return rows.get(request.form, lambda: grades)()
