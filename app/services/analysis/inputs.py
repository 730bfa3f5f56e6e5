"""A study's rows as the arrays that the statistics take. Everything is keyed; nothing relies on row order."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from app.services.analysis.choices import check_choices, chosen_question
from app.services.analysis.parameters import AnalysisParameters
from app.services.analysis.revision import study_revision
from app.services.questionnaires.scales import bounds_of
from app.services.scoring import DEFAULT_METRICS, OWN_METRICS, current_scoring, metric_for
from app.statistics.corpus_scores import MetricInput, mean_of_segments
from app.storage.models import (
    Annotator,
    Grade,
    Item,
    MetricScore,
    Output,
    Problem,
    Scoring,
    Study,
    System,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OutputGrid:
    """Where each output stands: row = system, column = problem, both in the study's order.

    cells: output id → (row, column). tasks: per cell the key of its item, None where there is no output.
    text_ids: equal numbers for equal texts, -1 where there is no output.
    """

    systems: tuple[str, ...]
    problems: tuple[str, ...]
    cells: dict[int, tuple[int, int]]
    tasks: list[list[str | None]]
    text_ids: Integers


@dataclass(frozen=True, eq=False)
class GradeRows:
    """Current grades of the outputs' items, sorted: tasks are item keys, workers pseudonyms."""

    tasks: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[float, ...]
    lowest: float  # of the question's scale
    highest: float
    question: str


@dataclass(frozen=True, eq=False)
class ScoredMetric:
    """A metric's statistics on the grid and what made them."""

    input: MetricInput
    label: str
    signature: str
    imported: bool


@dataclass(frozen=True, eq=False)
class StudyData:
    """All of a study that an analysis reads, from one consistent state of the database."""

    about: dict[str, str]
    grid: OutputGrid
    grades: GradeRows
    metrics: tuple[ScoredMetric, ...]
    seed: int
    revision: dict[str, Any]


def load_study_data(session: Session, study: Study, parameters: AnalysisParameters) -> StudyData:
    """Read the study for an analysis with these parameters."""
    check_choices(session, study, parameters)  # the study may have changed since it was asked for
    grid = load_grid(session, study)
    return StudyData(
        about={"slug": study.slug, "title": study.title, "notice": study.notice},
        grid=grid,
        grades=load_grades(session, study, parameters.question),
        metrics=tuple(load_metrics(session, study, grid, parameters.metrics)),
        seed=study.seed if parameters.seed is None else parameters.seed,
        revision=study_revision(session, study),
    )


def load_grid(session: Session, study: Study) -> OutputGrid:
    """All outputs of the study."""
    systems = session.execute(
        select(System.id, System.name).where(System.study_id == study.id).order_by(System.position, System.id)
    ).all()
    # A problem that was made for a practice item or a check alone is no part of the material.
    of_problem = select(Item.id).where(Item.problem_id == Problem.id)
    is_material = ~of_problem.exists() | of_problem.where(Item.role == "main").exists()
    problems = session.execute(
        select(Problem.id, Problem.key)
        .where(Problem.study_id == study.id, is_material)
        .order_by(Problem.position, Problem.id)
    ).all()
    row_of = {system_id: row for row, (system_id, _) in enumerate(systems)}
    column_of = {problem_id: column for column, (problem_id, _) in enumerate(problems)}
    shape = (len(systems), len(problems))
    tasks: list[list[str | None]] = [[None] * shape[1] for _ in range(shape[0])]
    text_ids = np.full(shape, -1, dtype=np.int64)
    cells: dict[int, tuple[int, int]] = {}
    numbers: dict[str, int] = {}
    outputs = select(Output.id, Output.system_id, Output.problem_id, Output.text, Item.identity).join(
        Item, Item.id == Output.item_id
    )
    for output_id, system_id, problem_id, text, identity in session.execute(
        outputs.join(Problem, Problem.id == Output.problem_id)
        .join(System, System.id == Output.system_id)
        .where(Problem.study_id == study.id)
        .order_by(Problem.position, System.position)  # text_ids count in this order
    ):
        row, column = cells[output_id] = row_of[system_id], column_of[problem_id]
        tasks[row][column] = _task(problems[column].key, identity)
        text_ids[row, column] = numbers.setdefault(text, len(numbers))
    return OutputGrid(tuple(name for _, name in systems), tuple(key for _, key in problems), cells, tasks, text_ids)


def _task(problem_key: str, identity: str) -> str:
    # Names the item by content, so that another installation with the same data gives the same bytes.
    return f"{problem_key}\x1f{identity}"


def load_grades(
    session: Session, study: Study, question_name: str | None, *, people: ColumnElement[bool] | None = None
) -> GradeRows:
    """Grades that count: current, not surplus, of items that are some system's output.

    Grades of references are left out: they check annotators, and the published consensus is made without them.
    ``people``: whose grades count, where it isn't everybody who isn't excluded.
    """
    question = chosen_question(session, study, question_name)
    bounds = bounds_of(question)
    assert bounds is not None, "such a question is not chosen"
    # An output has the same identity in each instrument, but hangs on its item in the first only.
    first = aliased(Item)
    outputs = (
        select(Output.id)
        .join(first, first.id == Output.item_id)
        .where(first.problem_id == Item.problem_id, first.identity == Item.identity, Item.role == "main")
        .exists()
    )
    rows = session.execute(
        select(Problem.key, Item.identity, Annotator.pseudonym, Grade.value)
        .join(Item, Item.id == Grade.item_id)
        .join(Problem, Problem.id == Item.problem_id)
        .join(Annotator, Annotator.id == Grade.annotator_id)
        .where(Grade.question_id == question.id, Grade.surplus.is_(False), Grade.value.is_not(None), outputs)
        .where(Annotator.excluded_at.is_(None) if people is None else people)
    )
    ordered = sorted((_task(key, identity), worker, value) for key, identity, worker, value in rows)
    tasks, workers, labels = zip(*ordered, strict=True) if ordered else ((), (), ())
    return GradeRows(tasks, workers, labels, *bounds, question.name)


def human_input(grid: OutputGrid, grades: GradeRows, consensus: dict[str, float]) -> MetricInput:
    """The consensus on the grid, scaled to 0-1 by the question's range; NaN where there is none."""
    span = grades.highest - grades.lowest
    scaled = [
        [np.nan if task is None else (consensus.get(task, np.nan) - grades.lowest) / span for task in row]
        for row in grid.tasks
    ]
    return mean_of_segments("human", np.array(scaled, dtype=np.float64).reshape(grid.text_ids.shape))


def load_metrics(
    session: Session, study: Study, grid: OutputGrid, chosen: tuple[str, ...] | None
) -> list[ScoredMetric]:
    """Metrics with scores: the computed ones in the order of the paper, then the imported ones by name."""
    found = [_computed(session, study, grid, name) for name in computed_names(chosen)]
    imported = session.scalars(
        select(Scoring)
        .where(Scoring.study_id == study.id, Scoring.imported.is_(True))
        .order_by(Scoring.name, Scoring.id)
    )
    newest = {scoring.name: scoring for scoring in imported}
    wanted = [scoring for name, scoring in newest.items() if chosen is None or name in chosen]
    return [each for each in found if each] + [_imported(session, grid, scoring) for scoring in wanted]


def computed_names(chosen: tuple[str, ...] | None) -> tuple[str, ...]:
    """Which of CodeJury's own metrics take part."""
    return DEFAULT_METRICS if chosen is None else tuple(name for name in OWN_METRICS if name in chosen)


def _computed(session: Session, study: Study, grid: OutputGrid, name: str) -> ScoredMetric | None:
    metric = metric_for(study, name)
    scoring = current_scoring(session, study, metric)
    if scoring is None:  # no problem has a reference
        return None
    statistics = _statistics_on_grid(session, grid, scoring)
    return ScoredMetric(MetricInput(name, statistics, metric.corpus_score), metric.label, metric.signature, False)


def _imported(session: Session, grid: OutputGrid, scoring: Scoring) -> ScoredMetric:
    statistics = _statistics_on_grid(session, grid, scoring)
    metric_input = mean_of_segments(scoring.name, statistics[:, :, 0])
    return ScoredMetric(metric_input, scoring.label, scoring.signature, True)


def _statistics_on_grid(session: Session, grid: OutputGrid, scoring: Scoring) -> Floats:
    rows = session.execute(
        select(MetricScore.output_id, MetricScore.statistics).where(MetricScore.scoring_id == scoring.id)
    ).all()
    if not rows:
        return np.full((*grid.text_ids.shape, 1), np.nan)
    packed = np.frombuffer(b"".join(statistics for _, statistics in rows), dtype="<f8").reshape(len(rows), -1)
    placed = np.full((*grid.text_ids.shape, packed.shape[1]), np.nan)
    where = np.array([grid.cells[output_id] for output_id, _ in rows])
    placed[where[:, 0], where[:, 1]] = packed
    return placed
