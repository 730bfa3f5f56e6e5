"""Paired randomisation: how often is a difference as large when two systems swap their outputs of some problems?"""

import numpy as np
from numpy.typing import NDArray

from app.statistics.corpus_scores import DECIMALS, MetricInput
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.resampling import generator, rows_per_block

Floats = NDArray[np.float64]

RANDOMISATION_STREAM = 2  # of the same seed, beside the bootstrap's
EXACT_UP_TO = 16  # differing problems: 65,536 swaps take milliseconds
# Scores are rounded, their differences are, too: two that are equal may come out this far apart.
SAME = 5 * 10.0**-DECIMALS


def reaches(differences: Floats, observed: float | Floats) -> NDArray[np.bool_]:
    """Which differences are at least as large as the observed, in either direction; ties are."""
    return np.asarray(np.abs(differences) >= np.abs(observed) - SAME)


def tail_share(null_differences: Floats, difference: float) -> float:
    """(c+1)/(N+1), c counting null differences at least as large as the observed (Davison & Hinkley 1997)."""
    extreme = np.count_nonzero(reaches(null_differences, difference))
    return float((extreme + 1) / (len(null_differences) + 1))


def differing_problems(pair: MetricInput) -> int:
    """For how many problems two systems, statistics of shape (2, n, k), differ: a swap of any other changes nothing.

    Problems for which either has no value don't count.
    """
    return int(np.count_nonzero(_change(_complete(pair)).any(axis=1)))


def p_of_swaps(pair: MetricInput, *, draws: int, seed: int, exact_up_to: int = EXACT_UP_TO) -> float:
    """Two-sided p by randomisation of two systems, statistics of shape (2, n, k); n without a gap is at least 1.

    Where at most ``exact_up_to`` problems differ, the exact one: the share of all 2^d swaps of the d differing
    problems that give a difference at least as large, the observed one among them, and so at least 2^-d. Otherwise
    that of ``draws`` random swaps, (c+1)/(draws+1). Sources: Fisher 1935, section 21; Davison & Hinkley 1997,
    chapter 4.
    """
    pair = _complete(pair)
    observed = float(_differences(pair, np.zeros((1, pair.statistics.shape[2])))[0])
    if differing_problems(pair) > exact_up_to:
        return tail_share(swapped_differences(pair, draws=draws, seed=seed), observed)
    every = _differences(pair, _all_sums(_change(pair)))
    return float(np.mean(reaches(every, observed)))


def swapped_differences(pair: MetricInput, *, draws: int, seed: int) -> Floats:
    """Score differences, in points, after swapping the outputs of random problems; shape (draws,)."""
    problems = pair.statistics.shape[1]
    change = _change(pair)
    rng = generator(seed, RANDOMISATION_STREAM)
    differences = np.empty(draws)
    height = rows_per_block(problems)
    for start in range(0, draws, height):
        rows = min(height, draws - start)
        swapped = rng.random((rows, problems)) < 0.5
        differences[start : start + rows] = _differences(pair, swapped.astype(np.float64) @ change)
    return differences


def _complete(pair: MetricInput) -> MetricInput:
    """Without the problems for which either has no value."""
    known = np.isfinite(pair.statistics).all(axis=(0, 2))
    return MetricInput(pair.name, pair.statistics[:, known], pair.corpus_score, pair.higher_is_better)


def _exact(pair: MetricInput) -> Floats:
    return to_fixed_point(pair.statistics, fraction_bits(pair.statistics, pair.statistics.shape[1]))


def _change(pair: MetricInput) -> Floats:
    """What a swap of each problem adds to the first system's sums and takes from the second's; shape (n, k)."""
    statistics = _exact(pair)
    return np.asarray(statistics[1] - statistics[0])


def _all_sums(change: Floats) -> Floats:
    """The sums over all subsets of the rows that aren't 0, that of none first; shape (2^d, k)."""
    sums = np.zeros((1, change.shape[1]))
    for row in change[change.any(axis=1)]:
        sums = np.concatenate([sums, sums + row])
    return sums


def _differences(pair: MetricInput, moved: Floats) -> Floats:
    """Of each row of ``moved`` sums, shape (rows, k), the difference of the scores in points."""
    problems = pair.statistics.shape[1]
    total_a, total_b = _exact(pair).sum(axis=1)
    scores_a = pair.corpus_score(total_a + moved, problems)
    scores_b = pair.corpus_score(total_b - moved, problems)
    return np.asarray(np.round(100 * (scores_a - scores_b), DECIMALS))
