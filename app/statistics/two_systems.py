"""Two systems compared on one metric: share of wins, interval of the difference, two p-values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import DECIMALS, MetricInput, score_draws, score_full_set
from app.statistics.errors import StatisticsError
from app.statistics.intervals import percentile_interval
from app.statistics.randomisation import p_of_swaps, tail_share
from app.statistics.significance import Ties, p_greater

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwoSystemComparison:
    """System A against system B on one metric, scores in points (0-100).

    difference: score of A less score of B on all problems, with the 95 % percentile interval of the draws.
    p_a_greater: share of draws in which A is better (for a metric where lower is better: scores lower); this
    is the study's criterion of significance. p_bootstrap: two-sided, the share of draws whose difference
    strays from the observed one by at least its size (signed centring). p_randomisation: two-sided
    approximate randomisation, the share of random swaps of outputs between A and B that give a difference at
    least as large. Both are (c+1)/(draws+1); neither is the p-value of Moses and sacreBLEU, which rejects
    true hypotheses twice too often.
    """

    metric: str
    difference: float
    low: float
    high: float
    p_a_greater: float
    p_bootstrap: float
    p_randomisation: float
    problems: int
    problems_left_out: int
    draws: int
    seed: int


def compare_two_systems(
    metric: MetricInput,
    a: int,
    b: int,
    *,
    draws: int = 1000,
    seed: int = 0,
    ties: Ties = "strict",
    exact_up_to: int = 0,
) -> TwoSystemComparison:
    """Compare the systems at positions a and b of ``metric.statistics``.

    Problems for which either has no value are left out and counted. With the seed of a meta-evaluation over
    the same problems, its draws are used again. exact_up_to: where at most so many problems differ, p_randomisation
    is exact (p_of_swaps); otherwise, and always by default, its swaps are random, as those of a meta-evaluation.
    Raises StatisticsError if no problem is left. Sources: Koehn 2004; Riezler & Maxwell 2005; Efron & Tibshirani
    1993, chapter 16.
    """
    pair = metric.statistics[[a, b]]
    complete = np.isfinite(pair).all(axis=(0, 2))
    problems = int(np.count_nonzero(complete))
    if problems == 0:
        raise StatisticsError(f"{metric.name}: there is no problem for which both systems have a value.")
    chosen = MetricInput(metric.name, pair[:, complete], metric.corpus_score, metric.higher_is_better)
    sources = np.repeat(np.arange(2)[:, np.newaxis], problems, axis=1)
    (resampled,) = score_draws([chosen], sources, draws=draws, seed=seed)
    difference = float(np.round(np.subtract(*score_full_set(chosen, sources)), DECIMALS))
    differences = np.round(resampled[0] - resampled[1], DECIMALS)
    low, high = percentile_interval(differences)
    oriented = resampled if metric.higher_is_better else -resampled
    return TwoSystemComparison(
        metric=metric.name,
        difference=difference,
        low=round(float(low), DECIMALS),
        high=round(float(high), DECIMALS),
        p_a_greater=float(p_greater(oriented, ties)[0]),
        p_bootstrap=tail_share(np.round(differences - difference, DECIMALS), difference),
        p_randomisation=p_of_swaps(chosen, draws=draws, seed=seed, exact_up_to=exact_up_to),
        problems=problems,
        problems_left_out=metric.statistics.shape[1] - problems,
        draws=draws,
        seed=seed,
    )
