"""Exact p by randomisation: by hand, against SciPy's exact tests, its bounds, and random swaps beside it."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.statistics.corpus_scores import MetricInput, mean_of_segments
from app.statistics.randomisation import EXACT_UP_TO, differing_problems, p_of_swaps
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.two_systems import compare_two_systems
from tests.statistics.perturbed import greedy

outcomes = arrays(np.float64, st.tuples(st.just(2), st.integers(1, 12)), elements=st.sampled_from([0.0, 1.0]))
shares = arrays(np.float64, st.tuples(st.just(2), st.integers(1, 10)), elements=st.floats(0, 1))


def exact(scores: np.ndarray) -> float:
    return p_of_swaps(mean_of_segments("m", scores), draws=1, seed=0)


def sampled(scores: np.ndarray, draws: int = 4000) -> float:
    return p_of_swaps(mean_of_segments("m", scores), draws=draws, seed=0, exact_up_to=-1)


def test_by_hand() -> None:
    """Of four problems that only A solves, only the swap of none and that of all four are as extreme: 2 of 16. With a
    fifth that only B solves, sums of 5, 3, -3 and -5 are: 2 * (1 + 5) of 32."""
    assert exact(np.array([[1, 1, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1]])) == 2 / 16
    assert exact(np.array([[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]])) == 12 / 32
    assert exact(np.array([[1, 0], [0, 1]])) == exact(np.array([[1, 0], [1, 0]])) == 1


def test_a_drop_by_hand() -> None:
    """A keeps both of its passes, B neither of its two: drops of 0 and 1. Swapping one problem makes both drops a
    half, swapping both turns the sign: 2 of 4."""
    found = compare_robustness(greedy([1, 1], [[1], [1]]), greedy([1, 1], [[0], [0]]), draws=50)
    assert found.robust_drop is not None
    assert found.robust_drop.p_randomisation == 2 / 4
    assert found.nominal.p_randomisation == 1
    assert set(found.exact) == {"nominal", "robust_pass", "robust_drop", "robust_relative"}


@given(shares)
@settings(deadline=None, max_examples=40)
def test_against_scipy(scores: np.ndarray) -> None:
    a, b = np.pad(np.round(scores, 3), ((0, 0), (0, 1)))  # one that is alike, since SciPy wants two
    expected = scipy.stats.permutation_test(
        (a, b), lambda x, y: abs(np.sum(x - y)), permutation_type="samples", n_resamples=np.inf, alternative="greater"
    )
    assert exact(np.stack([a, b])) == pytest.approx(expected.pvalue, abs=1e-12)


@given(outcomes)
@settings(deadline=None)
def test_outcomes_are_a_sign_test(scores: np.ndarray) -> None:
    """Of right and wrong alone it is McNemar's exact test, the binomial one of the problems that differ."""
    up, down = int((scores[0] > scores[1]).sum()), int((scores[0] < scores[1]).sum())
    expected = scipy.stats.binomtest(up, up + down).pvalue if up + down else 1
    assert exact(scores) == pytest.approx(expected, abs=1e-12)


@given(st.one_of(outcomes, shares))
@settings(deadline=None)
def test_bounds_symmetry_and_whole_multiples(scores: np.ndarray) -> None:
    """At least the two swaps of none and of all; the same from B's side; a count of 2^d swaps."""
    found, differing = exact(scores), differing_problems(mean_of_segments("m", scores))
    assert min(1, 2 / 2**differing) <= found <= 1
    assert found == exact(scores[::-1])
    assert (found * 2**differing) % 1 == 0


@given(st.one_of(outcomes, shares))
@settings(deadline=None, max_examples=50)
def test_random_swaps_come_close(scores: np.ndarray) -> None:
    """Within five standard errors of 4,000 swaps; ties are ties in both."""
    assert sampled(scores) == pytest.approx(exact(scores), abs=5 * 0.5 / np.sqrt(4000))


def test_many_differing_problems_are_sampled() -> None:
    """One more than the limit: (c+1)/(draws+1). Problems that don't differ count for nothing."""
    scores = np.zeros((2, 300))
    scores[0, : EXACT_UP_TO + 1] = 1
    assert exact(scores) == 1 / 2
    scores[0, EXACT_UP_TO] = 0
    assert exact(scores) == 2 / 2**EXACT_UP_TO


def test_gaps_are_no_difference() -> None:
    pair = mean_of_segments("m", np.array([[1, np.nan, 1], [0, 1, 1]]))
    assert (differing_problems(pair), p_of_swaps(pair, draws=1, seed=0)) == (1, 1)


def test_other_comparisons_go_on_sampling() -> None:
    """A comparison of metrics gives what its draws give, as published."""
    metric = mean_of_segments("m", np.array([[1.0, 1, 1, 1], [0, 0, 0, 0]]))
    assert compare_two_systems(metric, 0, 1, draws=99).p_randomisation != 2 / 16
    assert compare_two_systems(metric, 0, 1, draws=99, exact_up_to=EXACT_UP_TO).p_randomisation == 2 / 16


def test_scores_of_sums() -> None:
    """A ratio of two sums, as of the drop, over all 2^3 swaps in a plain loop."""
    statistics = np.array([[[4.0, 1], [3, 2], [5, 5]], [[2, 2], [4, 1], [5, 2]]])
    metric = MetricInput("ratio", statistics, lambda totals, _: totals[..., 1] / totals[..., 0] / 10)
    rows = []
    for number in range(8):
        order = [(number >> place) & 1 for place in range(3)]
        a, b = (sum(statistics[side ^ swap, row] for row, swap in enumerate(order)) for side in (0, 1))
        rows.append(abs(a[1] / a[0] - b[1] / b[0]))
    expected = np.mean(np.array(rows) >= rows[0] - 1e-12)
    assert p_of_swaps(metric, draws=1, seed=0) == expected


@given(arrays(np.float64, st.tuples(st.just(2), st.integers(20, 60)), elements=st.sampled_from([0.0, 1.0])))
@settings(deadline=None, max_examples=30)
def test_random_swaps_count_differences_as_large_whatever_their_rounding(scores: np.ndarray) -> None:
    """Shares such as 1/3 and 1/6 are rounded, and so is their difference: 16.7 points by other shares are as many."""
    up, down = int((scores[0] > scores[1]).sum()), int((scores[0] < scores[1]).sum())
    expected = scipy.stats.binomtest(up, up + down).pvalue if up + down else 1.0
    found = compare_two_systems(mean_of_segments("m", scores), 0, 1, draws=2000)
    assert abs(found.p_randomisation - expected) < 5 * np.sqrt(0.25 / 2000) + 1 / 2001
