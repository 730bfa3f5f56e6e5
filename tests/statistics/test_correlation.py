"""System-level correlation against SciPy, ties included."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.statistics.correlation import system_correlations

few_values = st.integers(0, 5).map(float)


@given(arrays(np.float64, st.tuples(st.just(2), st.integers(3, 12)), elements=few_values))
def test_equal_to_scipy(scores: np.ndarray) -> None:
    x, y = scores
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    found = system_correlations(x, y)
    assert found.pearson.value == pytest.approx(scipy.stats.pearsonr(x, y).statistic, abs=1e-9)
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-9)
    assert found.kendall.value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-9)


def test_interval_leaves_undefined_draws_out() -> None:
    x, y = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    draws = np.array([[1.0, 5], [2.0, 5], [3.0, 5]])
    human = np.array([[1.0, 1], [2.0, 2], [3.0, 3]])
    found = system_correlations(x, y, draws, human)
    assert found.spearman.value == pytest.approx(0.5)
    assert (found.pearson.low, found.pearson.high) == (1, 1)


def test_undefined_is_named() -> None:
    two = system_correlations(np.array([1.0, 2]), np.array([1.0, 2])).kendall
    assert (two.value, two.reason) == (None, "fewer than 3 systems")
    same = system_correlations(np.ones(4), np.arange(4.0)).kendall
    assert (same.value, same.reason) == (None, "all systems have the same score")
