"""pass@k over more than one run: several seeds of one model, and two models beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import mean_of_segments
from app.statistics.errors import StatisticsError
from app.statistics.estimates import DECIMALS, Estimate
from app.statistics.pass_at_k import KS, ProblemCounts, mean_estimates, problem_estimates
from app.statistics.significance import Ties
from app.statistics.two_systems import TwoSystemComparison, compare_two_systems

Floats = NDArray[np.float64]

ONE_SEED = "there is only one seed"


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the seeds of one setting lie apart, 0-1; sd (n - 1) is None, with the reason named, for one seed."""

    sd: float | None
    lowest: float | None
    highest: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PassAtKOverSeeds:
    """The mean over seeds of pass@k, its interval over problems, each seed's value and their spread."""

    k: int
    mean: Estimate
    by_seed: tuple[float | None, ...]
    spread: Spread


def pass_at_k_over_seeds(
    runs: Sequence[ProblemCounts], ks: Sequence[int] = KS, *, draws: int = 10_000, seed: int = 0
) -> tuple[PassAtKOverSeeds, ...]:
    """Several runs that differ in their seed only, over the same problems in the same order.

    The interval is that of the mean over seeds when problems are drawn again; the spread tells what another seed
    does to the same problems. Raises StatisticsError without a run, or where their problems differ.
    """
    if not runs:
        raise StatisticsError("There is no run to average.")
    if any(run.problems != runs[0].problems for run in runs):
        raise StatisticsError("The runs of several seeds must be over the same problems in the same order.")
    values = np.array([[problem_estimates(run, k) for k in ks] for run in runs])
    values = values.reshape(len(runs), len(ks), len(runs[0].problems))
    means = mean_estimates(values.mean(axis=0), ks, draws=draws, seed=seed)
    return tuple(
        _over_seeds(k, mean, values[:, place]) for place, (k, mean) in enumerate(zip(ks, means, strict=True))
    )


def _over_seeds(k: int, mean: Estimate, values: Floats) -> PassAtKOverSeeds:
    """values: of each seed and problem."""
    by_seed = tuple(_mean_or_none(row) for row in values)
    known = [each for each in by_seed if each is not None]
    if mean.value is None:
        return PassAtKOverSeeds(k, mean, by_seed, Spread(None, None, None, mean.reason))
    if len(known) < 2:
        return PassAtKOverSeeds(k, mean, by_seed, Spread(None, known[0], known[0], ONE_SEED))
    sd = round(float(np.std(known, ddof=1)), DECIMALS)
    return PassAtKOverSeeds(k, mean, by_seed, Spread(sd, min(known), max(known)))


def _mean_or_none(values: Floats) -> float | None:
    is_known = len(values) > 0 and bool(np.isfinite(values).all())
    return round(float(values.mean()), DECIMALS) if is_known else None


def compare_pass_at_k(
    a: ProblemCounts, b: ProblemCounts, k: int, *, draws: int = 1000, seed: int = 0, ties: Ties = "strict"
) -> TwoSystemComparison:
    """Two models over the problems of either, paired by name, like any metric; scores in points (0-100).

    Problems that either lacks, or has fewer than k samples of, are left out and counted. Raises StatisticsError if
    none is left. Sources: those of compare_two_systems.
    """
    problems = list(dict.fromkeys([*a.problems, *b.problems]))
    if not problems:
        raise StatisticsError(f"pass@{k}: there is no problem to compare two models on.")
    place = {problem: position for position, problem in enumerate(problems)}
    values = np.full((2, len(problems)), np.nan)
    for row, counts in enumerate((a, b)):
        values[row, [place[problem] for problem in counts.problems]] = problem_estimates(counts, k)
    return compare_two_systems(mean_of_segments(f"pass@{k}", values), 0, 1, draws=draws, seed=seed, ties=ties)
