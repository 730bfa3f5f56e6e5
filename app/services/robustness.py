"""A generation over a perturbed set as arrays: which samples pass of the problems and of what was made of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Row, select
from sqlalchemy.orm import Session

from app.execution.protocol import COUNTED, Verdict
from app.perturbations import Category, Form
from app.services.perturbing.recipes import Piece, Recipe
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Execution, Generation

PASSED, FAILED, NO_VERDICT = 1, 0, -1
Verdicts = NDArray[np.int8]
Booleans = NDArray[np.bool_]
Sample = tuple[int, int, bool]  # row of the set, number of the sample, whether it passes


@dataclass(frozen=True, slots=True)
class CategoryVerdicts:
    """Verdicts on all samples of one category: PASSED, FAILED, or NO_VERDICT where nothing is known of a sample.

    nominal: shape (problems, samples), of the whole prompts, or of the halves where the category shows these.
    perturbed: shape (problems, variants, samples); where a variant is not ``changed``, shape (problems, variants), it
    has the nominal samples. variants: transformation and seed. A variant that isn't stored yet for each problem is in
    ``absent`` and in no array.
    """

    category: Category
    problems: tuple[str, ...]
    variants: tuple[tuple[str, int], ...]
    nominal: Verdicts
    perturbed: Verdicts
    changed: Booleans
    absent: tuple[tuple[str, int], ...] = ()

    @property
    def missing(self) -> int:
        """How many samples, nominal and of changed prompts, have no verdict."""
        of_changed = (self.perturbed == NO_VERDICT) & self.changed[:, :, np.newaxis]
        return int((self.nominal == NO_VERDICT).sum() + of_changed.sum())


def verdicts_of_generation(session: Session, generation: Generation) -> dict[Category, CategoryVerdicts]:
    """What became of the generation's samples, by category, in the categories' order."""
    made = session.get_one(Benchmark, generation.benchmark_id)
    return _by_category(session, made, _of_completions(session, generation), generation.samples)


def verdicts_of_solutions(session: Session, made: Benchmark) -> dict[Category, CategoryVerdicts]:
    """The same with the canonical solution as the only sample: how far a model can come that is always right."""
    return _by_category(session, made, _of_solutions(session, made), 1)


def _of_completions(session: Session, generation: Generation) -> list[Sample]:
    rows = session.execute(
        select(Completion.problem_id, Completion.sample, Execution.verdict)
        .join(Execution, Execution.completion_id == Completion.id)
        .where(Completion.generation_id == generation.id, Completion.finish != "error", _counts())
    )
    return [(problem, sample, verdict == Verdict.PASSED) for problem, sample, verdict in rows]


def _of_solutions(session: Session, made: Benchmark) -> list[Sample]:
    rows = session.execute(
        select(BenchmarkProblem.id, Execution.verdict)
        .join(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == made.id, _counts())
    )
    return [(problem, 0, verdict == Verdict.PASSED) for problem, verdict in rows]


def _counts() -> ColumnElement[bool]:
    return Execution.verdict.in_([str(each) for each in COUNTED])


def _by_category(
    session: Session, made: Benchmark, known: Iterable[Sample], samples: int
) -> dict[Category, CategoryVerdicts]:
    rows = _Rows(session, made, known, samples)
    pieces = list(Recipe.of(made).pieces())
    found = {}
    for category in Category:
        own = [each for each in pieces if each.category is category]
        if own:
            found[category] = rows.of_category(category, own)
    return found


class _Rows:
    """A set's rows with the verdicts on their samples, one line of the table each."""

    def __init__(self, session: Session, made: Benchmark, known: Iterable[Sample], samples: int) -> None:
        stored = session.execute(_stored(made)).all()
        self.rows = {row.id: row for row in stored}
        self.lines = {row.id: line for line, row in enumerate(stored)}
        self.table = np.full((len(stored), samples), NO_VERDICT, dtype=np.int8)
        for row_id, sample, passed in known:
            if row_id in self.lines and sample < samples:
                self.table[self.lines[row_id], sample] = PASSED if passed else FAILED
        self.nominal = {form: [row for row in stored if not row.transformation and row.form == form] for form in Form}
        self.variants: dict[tuple[str, int], dict[int, Row[Any]]] = defaultdict(dict)
        for row in stored:
            if row.transformation:
                self.variants[row.transformation, row.perturbation_seed][row.origin_id] = row

    def of_category(self, category: Category, pieces: Sequence[Piece]) -> CategoryVerdicts:
        """The category's part; its transformations show all the same form of a prompt."""
        nominal = self.nominal[pieces[0].form]
        places = [(each.transformation, each.seed) for each in pieces]
        stored = [each for each in places if len(self.variants[each]) == len(nominal)]
        made = [[self.variants[each][origin.id] for each in stored] for origin in nominal]
        lines = np.array([[self._line(row) for row in line] for line in made], dtype=np.int64)
        lines = lines.reshape(len(nominal), len(stored))
        return CategoryVerdicts(
            category,
            tuple(row.key for row in self.nominal[Form.WHOLE]),
            tuple(stored),
            nominal=self.table[[self._line(row) for row in nominal]],
            perturbed=self.table[lines],
            changed=np.array([[row.unchanged is None for row in line] for line in made], dtype=np.bool_).reshape(
                lines.shape
            ),
            absent=tuple(each for each in places if each not in stored),
        )

    def _line(self, row: Row[Any]) -> int:
        """Whose samples are the row's: its own, or those of what it is like."""
        while row.unchanged is not None and row.origin_id is not None:
            row = self.rows[row.origin_id]
        return self.lines[row.id]


def _stored(made: Benchmark) -> Any:
    return (
        select(
            BenchmarkProblem.id,
            BenchmarkProblem.key,
            BenchmarkProblem.form,
            BenchmarkProblem.origin_id,
            BenchmarkProblem.transformation,
            BenchmarkProblem.perturbation_seed,
            BenchmarkProblem.unchanged,
        )
        .where(BenchmarkProblem.benchmark_id == made.id)
        .order_by(BenchmarkProblem.position)
    )
