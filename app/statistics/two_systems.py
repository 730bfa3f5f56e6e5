"""Two systems compared on one metric: share of wins, interval of the difference, two p-values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import DECIMALS, MetricInput, score_draws, score_full_set
from app.statistics.errors import StatisticsError
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.intervals import percentile_interval
from app.statistics.resampling import generator, rows_per_block
from app.statistics.significance import Ties, p_greater

Floats = NDArray[np.float64]

RANDOMISATION_STREAM = 2  # of the same seed, beside the bootstrap's


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
    metric: MetricInput, a: int, b: int, *, draws: int = 1000, seed: int = 0, ties: Ties = "strict"
) -> TwoSystemComparison:
    """Compare the systems at positions a and b of ``metric.statistics``.

    Problems for which either has no value are left out and counted. With the seed of a meta-evaluation over
    the same problems, its draws are used again. Raises StatisticsError if no problem is left. Sources: Koehn
    2004; Riezler & Maxwell 2005; Efron & Tibshirani 1993, chapter 16.
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
        p_randomisation=tail_share(_swapped_differences(chosen, draws=draws, seed=seed), difference),
        problems=problems,
        problems_left_out=metric.statistics.shape[1] - problems,
        draws=draws,
        seed=seed,
    )


def tail_share(null_differences: Floats, difference: float) -> float:
    """(c+1)/(N+1), c counting null differences at least as large as the observed (Davison & Hinkley 1997)."""
    extreme = np.count_nonzero(np.abs(null_differences) >= abs(difference))
    return float((extreme + 1) / (len(null_differences) + 1))


def _swapped_differences(pair: MetricInput, *, draws: int, seed: int) -> Floats:
    """Score differences, in points, after swapping the outputs of random problems; shape (draws,)."""
    problems = pair.statistics.shape[1]
    statistics = to_fixed_point(pair.statistics, fraction_bits(pair.statistics, problems))
    change = statistics[1] - statistics[0]
    total_a, total_b = statistics.sum(axis=1)
    rng = generator(seed, RANDOMISATION_STREAM)
    differences = np.empty(draws)
    height = rows_per_block(problems)
    for start in range(0, draws, height):
        rows = min(height, draws - start)
        swapped = rng.random((rows, problems)) < 0.5
        moved = swapped.astype(np.float64) @ change
        scores_a = pair.corpus_score(total_a + moved, problems)
        scores_b = pair.corpus_score(total_b - moved, problems)
        differences[start : start + rows] = scores_a - scores_b
    return np.round(100 * differences, DECIMALS)
