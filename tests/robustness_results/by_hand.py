"""Robustness worked out from rows of the database by the paper's formulas, one sample at a time: no array."""

from collections import defaultdict
from math import comb

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.storage.models import BenchmarkProblem, Completion, Execution, Generation

Four = tuple[float, float, float, float]  # nominal pass@k, RP, RD, RR


def by_hand(session: Session, generation: Generation, category: str, k: int, name: str | None = None) -> Four:
    """The four numbers under a category, or under one transformation of it."""
    here = BenchmarkProblem.benchmark_id == generation.benchmark_id
    rows = {row.id: row for row in session.scalars(select(BenchmarkProblem).where(here))}
    passed = _passed(session, generation)
    changed: dict[int, list[BenchmarkProblem]] = defaultdict(list)
    for row in rows.values():
        if row.category == category and (name is None or row.transformation == name):
            assert row.origin_id is not None
            changed[row.origin_id].append(row)
    parts = [_of_problem(origin, [_asked(rows, row) for row in made], passed, k) for origin, made in changed.items()]
    nominal, robust, relative = (sum(each) / len(parts) for each in zip(*parts, strict=True))
    return nominal, robust, (nominal - robust) / nominal, relative


def _asked(rows: dict[int, BenchmarkProblem], row: BenchmarkProblem) -> int:
    return row.id if row.unchanged is None else row.origin_id or 0


def _passed(session: Session, generation: Generation) -> dict[int, dict[int, bool]]:
    found: dict[int, dict[int, bool]] = defaultdict(dict)
    wanted = select(Completion, Execution).join(Execution, Execution.completion_id == Completion.id)
    for completion, execution in session.execute(wanted.where(Completion.generation_id == generation.id)):
        found[completion.problem_id][completion.sample] = execution.verdict == "passed"
    return found


def _of_problem(
    origin: int, changed: list[int], passed: dict[int, dict[int, bool]], k: int
) -> tuple[float, float, float]:
    samples = sorted(passed[origin])
    n, before = len(samples), passed[origin]
    after = {i: [passed[row][i] for row in changed] for i in samples}
    right = sum(before[i] for i in samples)
    robust = sum(all(after[i]) for i in samples)
    lost = sum(before[i] and not all(after[i]) for i in samples)
    gained = sum(not before[i] and any(after[i]) for i in samples)
    return _one_of(n, right, k), _one_of(n, robust, k), _one_of(n, lost, k) + _one_of(n, gained, k)


def _one_of(n: int, c: int, k: int) -> float:
    return 1 - comb(n - c, k) / comb(n, k)
