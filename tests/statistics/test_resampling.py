"""Draw counts: whole numbers that sum to n, uniform over problems, the same whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.statistics.errors import StatisticsError
from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.intervals import percentile_interval
from app.statistics.resampling import draw_count_blocks, draw_counts


@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 2**40))
def test_every_draw_holds_n_problems(problems: int, draws: int, seed: int) -> None:
    counts = draw_counts(problems, draws, seed=seed)
    assert counts.shape == (draws, problems)
    assert (counts.sum(axis=1) == problems).all()
    assert (counts >= 0).all()
    assert np.array_equal(counts, np.rint(counts))


@given(st.integers(1, 50), st.integers(1, 50), st.integers(8, 5000))
def test_blocks_do_not_change_the_draws(problems: int, draws: int, block_bytes: int) -> None:
    blocks = list(draw_count_blocks(problems, draws, seed=3, block_bytes=block_bytes))
    assert np.array_equal(np.concatenate([counts for _, counts in blocks]), draw_counts(problems, draws, seed=3))
    assert [row for rows, _ in blocks for row in range(rows.start, rows.stop)] == list(range(draws))


def test_counts_are_multinomial() -> None:
    """Of n = 10 problems each is drawn 1 time on average, with variance n·(1/n)·(1 - 1/n) = 0.9, and any two
    have covariance -n/n² = -0.1. With 200,000 draws the standard errors are about 0.002 to 0.005."""
    counts = draw_counts(10, 200_000, seed=0)
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.012)
    covariance = np.cov(counts.T)
    assert np.diag(covariance) == pytest.approx(np.full(10, 0.9), abs=0.025)
    assert covariance[~np.eye(10, dtype=bool)] == pytest.approx(np.full(90, -0.1), abs=0.015)


def test_zero_is_a_seed() -> None:
    assert np.array_equal(draw_counts(30, 5, seed=0), draw_counts(30, 5, seed=0))
    assert not np.array_equal(draw_counts(30, 5, seed=0), draw_counts(30, 5, seed=1))


@pytest.mark.parametrize(("problems", "draws", "seed"), [(0, 5, 0), (5, 0, 0), (5, 5, -1)])
def test_nothing_to_draw_is_an_error(problems: int, draws: int, seed: int) -> None:
    with pytest.raises(StatisticsError):
        draw_counts(problems, draws, seed=seed)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.randoms())
def test_fixed_point_sums_do_not_depend_on_order(values: list[float], random: object) -> None:
    exact = to_fixed_point(np.array(values), fraction_bits(np.array(values), len(values)))
    shuffled = exact.tolist()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sum(shuffled) == sum(exact.tolist()) == float(exact.sum())
    assert np.abs(exact - values).max() <= 2.0 ** -(fraction_bits(np.array(values), len(values)) + 1)


def test_fixed_point_leaves_counts_alone() -> None:
    counts = np.arange(100.0)
    assert np.array_equal(to_fixed_point(counts, fraction_bits(counts, 10_000)), counts)


def test_percentile_interval() -> None:
    """Of 0, 1, …, 200 the 2.5 % and 97.5 % percentiles are 200·0.025 = 5 and 195."""
    low, high = percentile_interval(np.arange(201.0)[np.newaxis])
    assert (low[0], high[0]) == (pytest.approx(5), pytest.approx(195))
    with pytest.raises(StatisticsError):
        percentile_interval(np.arange(3.0), confidence=95)
