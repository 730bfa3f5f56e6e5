"""What breaks: of one model and category the problems that changes cost most, and the samples that they turn."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.perturbations import Category
from app.services.benchmarks import problems_of
from app.services.benchmarks.which import tasks_by_row
from app.services.kept import kept_while
from app.services.robustness_results.document import groups_of
from app.services.robustness_results.models import PerturbedModel, chosen_models, models_of, set_stamp, tallies_of_set
from app.statistics.robustness_breaks import FlippedSample, broken_problems, flipped_samples
from app.statistics.robustness_runs import PerturbedRuns
from app.storage.models import Benchmark, BenchmarkProblem, Completion
from app.words import gettext

Document = dict[str, Any]
MOST_TURNED = 200  # samples that are listed of each kind


def breaks_of(session: Session, made: Benchmark, generation: int, category: Category) -> Document:
    """The broken problems, heaviest first, and the samples that are right before and wrong after, and the reverse.

    Of the chosen model alone, so that all variants count that it was asked. ``turned`` samples have the number of
    the changed prompt's completion, by which a page shows both. NotFound where it has no result in that category.
    """
    key, stamp = ("what breaks", made.id, generation, category), set_stamp(session, made)
    return kept_while(session, key, stamp, lambda: _work_out(session, made, generation, category))


def _work_out(session: Session, made: Benchmark, generation: int, category: Category) -> Document:
    known = models_of(session, tallies_of_set(session, made), set_stamp(session, made))
    (model,) = chosen_models(known, [generation])
    runs = _runs(session, made, model, category)
    rows = _changed_rows(session, made)
    positions = {each.key: each.position for each in problems_of(session, made)}
    return {
        "model": model.name,
        "generation": generation,
        "category": str(category),
        "problems": len(runs.problems),
        "broken": [asdict(each) | {"position": positions[each.problem]} for each in broken_problems(runs)],
        "lost": _turned(session, generation, runs, rows, is_right_before=True),
        "gained": _turned(session, generation, runs, rows, is_right_before=False),
    }


def _runs(session: Session, made: Benchmark, model: PerturbedModel, category: Category) -> PerturbedRuns:
    for group in groups_of(session, made, [model]):
        if group.category == category and group.runs:
            return group.runs[model.name]
    names = {"model": repr(model.name), "category": str(category)}
    raise NotFound(gettext("%(model)s has no results under changes of the category %(category)s here.", **names))


Place = tuple[str, str, int]  # problem, transformation, seed


def _changed_rows(session: Session, made: Benchmark) -> dict[Place, int]:
    """The set's changed rows by their place."""
    tasks = tasks_by_row(session, made.id)
    wanted = select(BenchmarkProblem.id, BenchmarkProblem.transformation, BenchmarkProblem.perturbation_seed)
    of_set = (BenchmarkProblem.benchmark_id == made.id, BenchmarkProblem.transformation.is_not(None))
    rows = session.execute(wanted.where(*of_set))
    return {(tasks[number], name or "", seed or 0): number for number, name, seed in rows}


def _turned(
    session: Session, generation: int, runs: PerturbedRuns, rows: dict[Place, int], *, is_right_before: bool
) -> Document:
    found = flipped_samples(runs, is_right_before=is_right_before, most=MOST_TURNED)
    completions = _completions(session, generation, [rows[_place(each)] for each in found.shown])
    shown = [asdict(each) | {"completion": completions[rows[_place(each)], each.sample]} for each in found.shown]
    return {"total": found.total, "shown": shown}


def _place(each: FlippedSample) -> Place:
    return each.problem, each.transformation, each.seed


def _completions(session: Session, generation: int, rows: Sequence[int]) -> dict[tuple[int, int], int]:
    """By row and sample."""
    wanted = select(Completion.problem_id, Completion.sample, Completion.id)
    mine = (Completion.generation_id == generation, Completion.problem_id.in_(set(rows)))
    return {(problem, sample): number for problem, sample, number in session.execute(wanted.where(*mine))}
