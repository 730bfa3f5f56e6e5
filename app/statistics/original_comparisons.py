"""Every two original systems compared on every metric: interval of the difference and two p-values, at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import DECIMALS, MetricInput
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.intervals import percentile_interval
from app.statistics.randomisation import RANDOMISATION_STREAM, reaches
from app.statistics.resampling import generator, rows_per_block
from app.statistics.significance import pair_indices

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OriginalComparisons:
    """For each input (row, people first) and pair of original systems (column, in the order of pair_indices).

    low, high: 95 % percentile interval of A's score less B's, in points. p_bootstrap, p_randomisation: as in
    TwoSystemComparison, two-sided, each (c+1)/(draws+1). p_equal: share of draws in which both score the
    same; with strict ties P(B > A) is 1 - P(A > B) - p_equal. All of shape (1 + metrics, pairs).
    """

    low: Floats
    high: Floats
    p_bootstrap: Floats
    p_randomisation: Floats
    p_equal: Floats


def compare_original_systems(
    scored: Sequence[MetricInput],
    full: Floats,
    resampled: Sequence[Floats],
    *,
    draws: int,
    seed: int,
) -> OriginalComparisons:
    """Compare all pairs of original systems from draws that are there already.

    scored: statistics of shape (originals, n, k) without gaps. full: shape (inputs, originals), scores in
    points. resampled: one array of shape (originals, draws) per input. The values are those of
    compare_two_systems for each pair with this seed; the swaps are one matrix shared by all pairs and metrics.
    Sources: Koehn 2004; Riezler & Maxwell 2005; Efron & Tibshirani 1993, chapter 16.
    """
    first, second = pair_indices(full.shape[1])
    differences = np.round(full[:, first] - full[:, second], DECIMALS)
    found = [_bootstrap(observed, scores) for observed, scores in zip(differences, resampled, strict=True)]
    low, high, strays, equal = (np.array(column) for column in zip(*found, strict=True))
    swapped = _swap_tails(scored, differences, draws=draws, seed=seed)
    return OriginalComparisons(
        low=np.round(low, DECIMALS),
        high=np.round(high, DECIMALS),
        p_bootstrap=(strays + 1) / (draws + 1),
        p_randomisation=(swapped + 1) / (draws + 1),
        p_equal=equal / draws,
    )


def _bootstrap(observed: Floats, scores: Floats) -> tuple[Floats, Floats, Counts, Counts]:
    """Of each pair of one input: its interval, how many draws stray as far as observed, how many are ties."""
    systems = len(scores)
    low, high = np.empty(len(observed)), np.empty(len(observed))
    tails, equal = np.empty(len(observed), dtype=np.int64), np.empty(len(observed), dtype=np.int64)
    start = 0
    # One system against all later ones at a time: no array larger than systems x draws.
    for a in range(systems - 1):
        rows = slice(start, start + systems - 1 - a)
        drawn = np.round(scores[a] - scores[a + 1 :], DECIMALS)
        low[rows], high[rows] = percentile_interval(drawn)
        size = observed[rows, np.newaxis]
        tails[rows] = np.count_nonzero(reaches(np.round(drawn - size, DECIMALS), size), axis=1)
        equal[rows] = np.count_nonzero(drawn == 0, axis=1)
        start = rows.stop
    return low, high, tails, equal


def _swap_tails(scored: Sequence[MetricInput], differences: Floats, *, draws: int, seed: int) -> Counts:
    """How many random swaps give each pair a difference at least as large; shape (inputs, pairs)."""
    systems, problems = scored[0].statistics.shape[:2]
    widest = max(metric.statistics.shape[2] for metric in scored)
    rng = generator(seed, RANDOMISATION_STREAM)
    tails = np.zeros(differences.shape, dtype=np.int64)
    height = rows_per_block(max(problems, systems * widest))
    for start in range(0, draws, height):
        swaps = (rng.random((min(height, draws - start), problems)) < 0.5).astype(np.float64)
        for row, metric in enumerate(scored):
            tails[row] += _tails_of_block(metric, swaps, differences[row])
    return tails


def _tails_of_block(metric: MetricInput, swaps: Floats, observed: Floats) -> Counts:
    statistics = to_fixed_point(metric.statistics, fraction_bits(metric.statistics, swaps.shape[1]))
    systems, problems, width = statistics.shape
    totals = statistics.sum(axis=1)
    # What a system holds of the swapped problems: for a pair, their difference is what changes hands.
    held = swaps @ statistics.transpose(1, 0, 2).reshape(problems, -1)
    held = held.reshape(len(swaps), systems, width)
    tails = []
    for a in range(systems - 1):
        moved = held[:, a + 1 :] - held[:, a : a + 1]
        score_a = metric.corpus_score(totals[a] + moved, problems)
        score_b = metric.corpus_score(totals[a + 1 :] - moved, problems)
        tails.append(np.round(100 * (score_a - score_b), DECIMALS))
    extreme = reaches(np.concatenate(tails, axis=1), observed)
    return np.asarray(np.count_nonzero(extreme, axis=0), dtype=np.int64)
