"""pass@k: the chance that at least one of k samples of a problem passes its tests, without bias.

The estimate of a problem is a ratio of binomial coefficients. Python's integers hold them exactly whatever their
size, and divide them correctly rounded: nothing overflows, and a small chance is not lost in 1 - (nearly 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.estimates import Estimate, estimate, summable
from app.statistics.resampling import mean_draws

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

KS = (1, 10, 100)
# Why a pass@k is undefined. The first has a number before it.
TOO_FEW_SAMPLES = "a problem has fewer than {k} samples"
NO_SAMPLE = "a problem has no sample"
NO_PROBLEM = "there is no problem"


@dataclass(frozen=True, eq=False)
class ProblemCounts:
    """How many samples each problem has and how many of them passed: one entry per problem, no name twice.

    Samples whose verdict says nothing about the model (our own fault, not run) count in neither.
    """

    problems: tuple[str, ...]
    samples: Counts
    passed: Counts

    def __post_init__(self) -> None:
        if not len(self.problems) == len(self.samples) == len(self.passed):
            raise StatisticsError("Each problem needs a number of samples and a number of those that passed.")
        if len(set(self.problems)) < len(self.problems):
            raise StatisticsError("A problem is named twice; add its samples up first.")
        for problem, samples, passed in zip(self.problems, self.samples, self.passed, strict=True):
            if not 0 <= passed <= samples:
                raise StatisticsError(f"{problem}: {passed} of {samples} samples passed, which can't be.")

    @classmethod
    def count(cls, problems: Sequence[str], passed: Sequence[bool | None]) -> "ProblemCounts":
        """From one entry per sample: its problem, and whether it passed; None where its verdict says nothing.

        Problems stand in the order in which they first come; one whose samples are all None has no sample.
        """
        names = tuple(dict.fromkeys(problems))
        place = {name: row for row, name in enumerate(names)}
        counts = np.zeros((2, len(names)), dtype=np.int64)
        for problem, is_pass in zip(problems, passed, strict=True):
            if is_pass is not None:
                counts[:, place[problem]] += (1, is_pass)
        return cls(names, counts[0], counts[1])


@dataclass(frozen=True, slots=True)
class PassAtK:
    """pass@k over so many problems, 0-1, with its 95 % interval over problems.

    The estimate is undefined, with the reason named, where a problem has fewer than k samples: a mean over the
    others would be one of chosen problems. problems_short: how many have too few.
    """

    k: int
    estimate: Estimate
    problems: int
    problems_short: int


@lru_cache(maxsize=65_536)
def pass_at_k(samples: int, passed: int, k: int) -> float:
    """The unbiased estimate for one problem, 1 - C(n - c, k) / C(n, k), correctly rounded; in [0, 1].

    samples: n; passed: c, 0 to n; k: 1 to n. Raises StatisticsError for anything else, n < k above all, where
    the estimate does not exist. Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code",
    equation 1.
    """
    if not 0 <= passed <= samples:
        raise StatisticsError(f"{passed} of {samples} samples passed, which can't be.")
    if k < 1:
        raise StatisticsError(f"pass@{k} does not exist; k is 1 or greater.")
    if samples < k:
        raise StatisticsError(f"pass@{k} of {samples} samples is undefined; it takes at least {k}.")
    every = comb(samples, k)
    return (every - comb(samples - passed, k)) / every


def problem_estimates(counts: ProblemCounts, k: int) -> Floats:
    """pass@k of each problem, shape (problems,), 0-1; NaN, missing as in any metric, where n < k."""
    return estimates_of(counts.samples, counts.passed, k)


def estimates_of(samples: Counts, passed: Counts, k: int) -> Floats:
    """pass@k from numbers of samples, shape (problems,), and of passed ones, (…, problems); NaN where n < k."""
    values = np.full(passed.shape, np.nan)
    for n in np.unique(samples[samples >= k]).tolist():
        chosen = passed[..., samples == n]
        # Each number of passes once: there are far fewer than entries of many models and perturbations.
        distinct, place = np.unique(chosen, return_inverse=True)
        known = np.array([pass_at_k(n, c, k) for c in distinct.tolist()])
        values[..., samples == n] = known[place.reshape(chosen.shape)]
    return values


def mean_pass_at_k(
    counts: ProblemCounts, ks: Sequence[int] = KS, *, draws: int = 10_000, seed: int = 0
) -> tuple[PassAtK, ...]:
    """The mean of pass@k over problems for each k, with the percentile interval of ``draws`` resamples of problems.

    One set of draws serves every k. The numbers of samples may differ between problems: each problem counts
    once. Sources: Chen et al. 2021, equation 1; Efron & Tibshirani 1993, chapters 6 and 13.
    """
    values = np.array([problem_estimates(counts, k) for k in ks]).reshape(len(ks), len(counts.problems))
    return tuple(
        PassAtK(k, found, len(counts.problems), int(np.count_nonzero(counts.samples < k)))
        for k, found in zip(ks, mean_estimates(values, ks, draws=draws, seed=seed), strict=True)
    )


def too_few_samples(k: int) -> str:
    """Why there is no pass@k, where a problem has fewer than k samples."""
    return NO_SAMPLE if k == 1 else TOO_FEW_SAMPLES.format(k=k)


def mean_estimates(values: Floats, ks: Sequence[int], *, draws: int, seed: int) -> list[Estimate]:
    """The mean of each row of problem values, shape (ks, problems), with its interval; none where one is missing."""
    problems = values.shape[1]
    if problems == 0:
        return [Estimate(None, reason=NO_PROBLEM) for _ in ks]
    known = np.flatnonzero(np.isfinite(values).all(axis=1))
    found = [Estimate(None, reason=too_few_samples(k)) for k in ks]
    statistics = summable(values[known].T)
    resampled = mean_draws(statistics, draws, seed=seed)
    for place, row, total in zip(known, resampled, statistics.sum(axis=0), strict=True):
        found[place] = estimate(float(total / problems), row, problems)
    return found
