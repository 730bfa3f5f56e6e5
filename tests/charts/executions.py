"""Executed studies for tests of charts: real statistics on made-up samples, and names that would be code."""

from dataclasses import asdict
from itertools import permutations
from typing import Any

import numpy as np

from app.charts.pass_at_k_models import Model, Models
from app.statistics.execution_agreement import execution_agreement
from app.statistics.pass_at_k import ProblemCounts, mean_pass_at_k
from app.statistics.pass_at_k_runs import compare_pass_at_k, pass_at_k_over_seeds
from tests.charts.study import SYSTEMS

PROBLEMS = 40
KS = (1, 2, 5, 10, 20, 50, 100)


def counted(rate: float, samples: int, problems: int = PROBLEMS) -> ProblemCounts:
    """So many samples of each problem, of which about this share pass."""
    rng = np.random.default_rng(7)
    chances = rng.beta(4 * rate, 4 * (1 - rate), problems)
    names = tuple(f"p{place}" for place in range(problems))
    return ProblemCounts(names, np.full(problems, samples), rng.binomial(samples, chances))


def models(*runs: tuple[str, ProblemCounts], ks: tuple[int, ...] = KS, compared: bool = True) -> Models:
    """As a service hands them to the charts."""
    found = [Model(name, [asdict(each) for each in mean_pass_at_k(run, ks, draws=200)]) for name, run in runs]
    pairs = permutations(runs, 2) if compared else ()
    verdicts = {(a[0], b[0]): asdict(compare_pass_at_k(a[1], b[1], 1, draws=200)) for a, b in pairs}
    return Models("HumanEval <1>", found, verdicts)


def three_models() -> Models:
    """One of them with too few samples for pass@100."""
    runs = zip(SYSTEMS, (counted(0.2, 100), counted(0.6, 100), counted(0.4, 20)), strict=True)
    return models(*runs)


def agreement(rows: list[tuple[str, bool | None, float | None]] | None = None) -> dict[str, Any]:
    """Of 40 problems with four outputs each, where people see a little more than tests do."""
    if rows is None:
        rng = np.random.default_rng(8)
        rows = []
        for problem in range(PROBLEMS):
            ease = rng.normal()
            for _ in range(4):
                passed = bool(rng.random() < 1 / (1 + np.exp(-ease)))
                grade = float(np.clip(np.round(1.5 + ease + 1.2 * passed + rng.normal(0, 0.8)), 0, 4))
                rows.append((f"p{problem}", passed, grade))
        rows += [("p0", None, 3.0), ("p0", True, None)]
    problems, passed, grades = zip(*rows, strict=True) if rows else ((), (), ())
    return asdict(execution_agreement(problems, passed, grades, draws=200))


def with_seeds(*rates: float) -> Models:
    """One model, run with a seed for each rate, and one that was run once."""
    runs = [counted(rate, 20) for rate in rates]
    found = [asdict(each) for each in pass_at_k_over_seeds(runs, (1, 10, 100), draws=200)]
    short = [{"k": each["k"], "estimate": each["mean"], "problems": PROBLEMS, "problems_short": 0} for each in found]
    once = models(("once", runs[0]), ks=(1, 10)).models[0]
    return Models("HumanEval", [Model("many", short, found), once])
