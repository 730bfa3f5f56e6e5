"""How a set stands: of each transformation what it changed, what it left and why, what is odd, and which canonical
solutions don't pass any more, which is as far as any model can come."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from app.execution.protocol import COUNTED, Verdict
from app.perturbations import Form
from app.services.perturbing.recipes import LeftOut, Recipe
from app.services.perturbing.requests import newest_run
from app.storage.models import Benchmark, BenchmarkProblem, Execution, Run

COUNTED_NAMES = frozenset(map(str, COUNTED))


@dataclass(frozen=True, slots=True)
class Failing:
    """A changed row whose canonical solution was run and does not pass."""

    key: str
    position: int
    verdict: str
    reason: str


@dataclass(slots=True)
class TransformationSummary:
    """What one transformation made of all problems with all seeds so far."""

    name: str
    category: str
    form: str
    seeds: int
    wanted: int  # rows that the recipe names
    changed: int = 0
    unchanged: Counter[str] = field(default_factory=Counter)  # by reason
    odd: dict[str, list[str]] = field(default_factory=dict)  # keys of rows by what is odd about them
    judged: int = 0  # changed rows whose canonical solution has a verdict that counts
    passed: int = 0
    failing: list[Failing] = field(default_factory=list)

    @property
    def stored(self) -> int:
        """Rows that are there."""
        return self.changed + self.unchanged.total()

    @property
    def unchanged_share(self) -> float | None:
        """Of the rows that are there; None where there is none."""
        return self.unchanged.total() / self.stored if self.stored else None


@dataclass(frozen=True, slots=True)
class SetSummary:
    """A set in numbers. ``run``: the newest that makes it."""

    benchmark: Benchmark
    parent: Benchmark | None
    recipe: Recipe
    problems: int
    halves: int
    transformations: Sequence[TransformationSummary]
    unavailable: Sequence[LeftOut]
    run: Run | None

    @property
    def is_complete(self) -> bool:
        """Whether all that the recipe names is there."""
        return all(each.stored == each.wanted for each in self.transformations)


def summary_of(session: Session, made: Benchmark) -> SetSummary:
    """How the set stands."""
    recipe = Recipe.of(made)
    rows = session.execute(_rows(made)).all()
    nominal = Counter(row.form for row in rows if row.transformation is None)
    found = _planned(recipe, nominal[Form.WHOLE])
    for row in rows:
        if row.transformation is not None:
            _count(found[row.transformation], row)
    parent = None if made.parent_id is None else session.get(Benchmark, made.parent_id)
    sizes = nominal[Form.WHOLE], nominal[Form.HALF]
    run = newest_run(session, made)
    return SetSummary(made, parent, recipe, *sizes, tuple(found.values()), recipe.left_out, run)


def _rows(made: Benchmark) -> Any:
    return (
        select(
            BenchmarkProblem.key,
            BenchmarkProblem.position,
            BenchmarkProblem.form,
            BenchmarkProblem.transformation,
            BenchmarkProblem.unchanged,
            BenchmarkProblem.oddity,
            Execution.verdict,
            Execution.reason,
        )
        .outerjoin(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == made.id)
        .order_by(BenchmarkProblem.position)
    )


def _planned(recipe: Recipe, problems: int) -> dict[str, TransformationSummary]:
    found: dict[str, TransformationSummary] = {}
    for piece in recipe.pieces():
        known = found.setdefault(
            piece.transformation, TransformationSummary(piece.transformation, piece.category, piece.form, 0, 0)
        )
        known.seeds += 1
        known.wanted += problems
    return found


def _count(into: TransformationSummary, row: Row[Any]) -> None:
    if row.unchanged is not None:
        into.unchanged[row.unchanged] += 1
        return
    into.changed += 1
    for word in (row.oddity or "").split():
        into.odd.setdefault(word, []).append(row.key)
    if row.verdict in COUNTED_NAMES:
        into.judged += 1
        into.passed += row.verdict == Verdict.PASSED
        if row.verdict != Verdict.PASSED:
            into.failing.append(Failing(row.key, row.position, row.verdict, row.reason))
