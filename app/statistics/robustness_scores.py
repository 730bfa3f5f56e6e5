"""Mean scores of an automatic check over perturbed prompts, as ReCode's Tables 7, 9 and 10 have them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.estimates import Estimate, estimate, summable
from app.statistics.resampling import mean_draws

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeanScore:
    """The mean over the ``pairs`` of a nominal and a perturbed prompt of a stratum, with its 95 % interval."""

    check: str
    stratum: str
    mean: Estimate
    pairs: int
    problems: int


def mean_scores(
    check: str,
    problems: Sequence[str],
    strata: Sequence[str],
    scores: Sequence[float],
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> tuple[MeanScore, ...]:
    """The mean score of each stratum, a transformation or a category, in the order in which they first come.

    One entry per pair in each sequence: its problem, its stratum, its score. Problems are drawn again, with all seeds
    of each, since the seeds of a problem are much alike. Raises StatisticsError for a score that is no finite number.
    """
    for problem, stratum, score in zip(problems, strata, scores, strict=True):
        if not np.isfinite(score):
            raise StatisticsError(f"{check}: the score of {problem} under {stratum} is {score}; leave it out.")
    parts = np.array(strata, dtype=np.str_)
    values, names = np.array(scores, dtype=np.float64), np.array(problems, dtype=np.str_)
    return tuple(
        _mean(check, name, names[parts == name], values[parts == name], draws=draws, seed=seed)
        for name in dict.fromkeys(strata)
    )


def _mean(
    check: str, stratum: str, problems: NDArray[np.str_], scores: Floats, *, draws: int, seed: int
) -> MeanScore:
    distinct, place = np.unique(problems, return_inverse=True)
    sums = np.column_stack([np.bincount(place, weights=scores), np.bincount(place)]).astype(np.float64)
    total, pairs = mean_draws(summable(sums), draws, seed=seed)
    found = estimate(float(scores.mean()), total / pairs, len(distinct))
    return MeanScore(check, stratum, found, len(scores), len(distinct))
