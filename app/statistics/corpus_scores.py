"""Corpus scores of every system in every draw, by matrix products over sufficient statistics."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.resampling import draw_count_blocks, rows_per_block

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Scores are compared and published at this precision, far below what anyone reads and far above float noise.
DECIMALS = 10


@dataclass(frozen=True, eq=False)
class MetricInput:
    """What is known of one metric (or of the humans) before resampling.

    statistics: float64, shape (systems, n, k); NaN where a system has no value for a problem. corpus_score:
    totals of shape (..., k) and the number of problems they sum over, to scores of shape (...) in [0, 1].
    """

    name: str
    statistics: Floats
    corpus_score: Callable[[Floats, int], Floats]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        if self.statistics.ndim != 3:
            raise StatisticsError(
                f"{self.name}: statistics have the shape {self.statistics.shape}, not (systems, problems, k)."
            )


def mean_of_segments(name: str, segment_scores: Floats, *, higher_is_better: bool = True) -> MetricInput:
    """The input of a metric whose corpus score is the mean of its segment scores, and of the humans.

    segment_scores: shape (systems, n), 0-1 (a consensus on the scale 0-4 divided by 4); NaN where missing.
    """
    statistics = np.asarray(segment_scores, dtype=np.float64)[..., np.newaxis]
    return MetricInput(name, statistics, _mean, higher_is_better)


def _mean(totals: Floats, count: int) -> Floats:
    return np.asarray(totals[..., 0] / count)


def score_weighted(metric: MetricInput, sources: Indices, counts: Floats) -> Floats:
    """Corpus scores, in points (0-100), of each system under each row of problem counts.

    sources: shape (systems, n), which original's statistics a system takes for each problem; counts: shape
    (rows, n), whole numbers, each row summing to n. Returns shape (systems, rows).
    """
    systems, problems = sources.shape
    bits = fraction_bits(metric.statistics, problems)
    scores = np.empty((systems, len(counts)))
    height = rows_per_block(problems * metric.statistics.shape[2])
    position = np.arange(problems)[:, np.newaxis]
    for start in range(0, systems, height):
        block = sources[start : start + height].T
        gathered = to_fixed_point(metric.statistics[block, position], bits)
        totals = (counts @ gathered.reshape(problems, -1)).reshape(len(counts), block.shape[1], -1)
        scores[start : start + height] = metric.corpus_score(totals, problems).T
    if not np.isfinite(scores).all():
        raise StatisticsError(f"{metric.name}: a corpus score is not a number; check its statistics.")
    return np.round(100 * scores, DECIMALS)


def score_full_set(metric: MetricInput, sources: Indices) -> Floats:
    """Corpus scores on all problems, in points; shape (systems,)."""
    return score_weighted(metric, sources, np.ones((1, sources.shape[1])))[:, 0]


def score_draws(metrics: list[MetricInput], sources: Indices, *, draws: int, seed: int) -> list[Floats]:
    """Corpus scores in every draw, in points: one array of shape (systems, draws) per metric.

    The same draws serve every metric and every system.
    """
    systems, problems = sources.shape
    scores = [np.empty((systems, draws)) for _ in metrics]
    for rows, counts in draw_count_blocks(problems, draws, seed=seed):
        for metric, target in zip(metrics, scores, strict=True):
            target[:, rows] = score_weighted(metric, sources, counts)
    return scores
