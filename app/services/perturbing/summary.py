"""How a set stands: of each transformation what it changed, what it left and why, what is odd, and which canonical
solutions don't pass any more, which is as far as any model can come."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, and_, func, or_, select
from sqlalchemy.orm import Session

from app.execution.protocol import COUNTED, Verdict
from app.perturbations import Form
from app.services.perturbing.making import newest_run
from app.services.perturbing.recipes import LeftOut, Recipe
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
    solutions: int = 0  # canonical solutions of changed rows
    judged: int = 0  # those of them with a verdict that counts
    passed: int = 0
    failing: list[Failing] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The name within its category."""
        return self.name.partition("/")[2]

    @property
    def stored(self) -> int:
        """Rows that are there."""
        return self.changed + self.unchanged.total()

    @property
    def unjudged(self) -> int:
        """Canonical solutions of changed rows that were not run, or have no verdict that counts."""
        return self.solutions - self.judged

    @property
    def unchanged_share(self) -> float | None:
        """Of the rows that are there; None where there is none."""
        return self.unchanged.total() / self.stored if self.stored else None


@dataclass(frozen=True, slots=True)
class SetSummary:
    """A set in numbers. ``halves``: prompts that do show half of a solution, which one of a single line has not;
    ``run``: the newest that makes it."""

    benchmark: Benchmark
    parent: Benchmark | None
    recipe: Recipe
    problems: int
    halves: int
    transformations: Sequence[TransformationSummary]
    unavailable: Sequence[LeftOut]
    run: Run | None

    @property
    def by_category(self) -> dict[str, list[TransformationSummary]]:
        """The transformations, in their order."""
        found: dict[str, list[TransformationSummary]] = {}
        for each in self.transformations:
            found.setdefault(each.category, []).append(each)
        return found

    @property
    def changed(self) -> int:
        """Rows whose prompt was changed."""
        return sum(each.changed for each in self.transformations)

    @property
    def stored(self) -> int:
        """Rows that are there."""
        return sum(each.stored for each in self.transformations)

    @property
    def solutions(self) -> int:
        """Canonical solutions of changed rows."""
        return sum(each.solutions for each in self.transformations)

    @property
    def judged(self) -> int:
        """Changed rows whose canonical solution has a verdict that counts."""
        return sum(each.judged for each in self.transformations)

    @property
    def passed(self) -> int:
        """Those of them that pass."""
        return sum(each.passed for each in self.transformations)

    @property
    def is_complete(self) -> bool:
        """Whether all that the recipe names is there."""
        return all(each.stored == each.wanted for each in self.transformations)


def summary_of(session: Session, made: Benchmark) -> SetSummary:
    """How the set stands. The database counts; only rows that fail or are odd are read one by one."""
    recipe = Recipe.of(made)
    counts = session.execute(_counts(made)).all()
    nominal = [row for row in counts if row.transformation is None]
    problems = sum(row.number for row in nominal if row.form == Form.WHOLE)
    halves = sum(row.number for row in nominal if row.form == Form.HALF and row.unchanged is None)
    found = _planned(recipe, problems)
    for row in counts:
        if row.transformation is not None:
            _count(found[row.transformation], row)
    for row in session.execute(_remarkable(made)):
        _note(found[row.transformation], row)
    parent = None if made.parent_id is None else session.get(Benchmark, made.parent_id)
    run = newest_run(session, made)
    return SetSummary(made, parent, recipe, problems, halves, tuple(found.values()), recipe.left_out, run)


def _of(made: Benchmark, *columns: Any) -> Any:
    """These columns of the set's rows, each with what became of its canonical solution."""
    return (
        select(BenchmarkProblem.transformation, Execution.verdict, *columns)
        .outerjoin(Execution, Execution.benchmark_problem_id == BenchmarkProblem.id)
        .where(BenchmarkProblem.benchmark_id == made.id)
    )


def _counts(made: Benchmark) -> Any:
    """How many rows are alike in all that is counted."""
    is_solved = BenchmarkProblem.canonical_solution.is_not(None)
    alike = BenchmarkProblem.form, BenchmarkProblem.unchanged, is_solved
    found = _of(made, *alike[:2], is_solved.label("is_solved"), func.count().label("number"))
    return found.group_by(BenchmarkProblem.transformation, Execution.verdict, *alike)


def _remarkable(made: Benchmark) -> Any:
    """Changed rows that are odd, or whose canonical solution does not pass."""
    fails = and_(Execution.verdict.in_(COUNTED_NAMES), Execution.verdict != Verdict.PASSED)
    wanted = _of(
        made, BenchmarkProblem.key, BenchmarkProblem.position, BenchmarkProblem.oddity, Execution.reason
    ).where(
        BenchmarkProblem.transformation.is_not(None),
        BenchmarkProblem.unchanged.is_(None),
        or_(BenchmarkProblem.oddity.is_not(None), fails),
    )
    return wanted.order_by(BenchmarkProblem.position)


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
        into.unchanged[row.unchanged] += row.number
        return
    into.changed += row.number
    into.solutions += row.number * bool(row.is_solved)
    if row.verdict in COUNTED_NAMES:
        into.judged += row.number
        into.passed += row.number * (row.verdict == Verdict.PASSED)


def _note(into: TransformationSummary, row: Row[Any]) -> None:
    for word in (row.oddity or "").split():
        into.odd.setdefault(word, []).append(row.key)
    if row.verdict in COUNTED_NAMES and row.verdict != Verdict.PASSED:
        into.failing.append(Failing(row.key, row.position, row.verdict, row.reason))
