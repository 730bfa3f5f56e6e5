"""P(A > B), its ties, and the verdicts drawn from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.statistics.errors import StatisticsError
from app.statistics.significance import directions, p_greater, pair_indices

draws_of_systems = arrays(
    np.float64, st.tuples(st.integers(2, 6), st.integers(1, 30)), elements=st.integers(0, 4).map(float)
)


def test_hand_worked_shares() -> None:
    """A = 3 2 1 5, B = 1 2 3 4: A is greater in draws 1 and 4, B in draw 3, and draw 2 is a tie: strictly
    2/4 = 0.5; with the tie as a half 2.5/4 = 0.625."""
    draws = np.array([[3.0, 2, 1, 5], [1.0, 2, 3, 4]])
    assert p_greater(draws).tolist() == [0.5]
    assert p_greater(draws, "half").tolist() == [0.625]
    with pytest.raises(StatisticsError, match="neither"):
        p_greater(draws, "neither")  # type: ignore[arg-type]


def test_pairs_are_in_order() -> None:
    first, second = pair_indices(3)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


@given(draws_of_systems)
def test_swapping_complements_when_ties_count_half(draws: np.ndarray) -> None:
    first, second = pair_indices(len(draws))
    forward = dict(zip(zip(first, second, strict=True), p_greater(draws, "half"), strict=True))
    backward = p_greater(draws[::-1], "half")
    last = len(draws) - 1
    for a, b, p in zip(first, second, backward, strict=True):
        assert forward[last - b, last - a] + p == pytest.approx(1)


@given(draws_of_systems)
def test_strict_and_half_differ_by_half_the_ties(draws: np.ndarray) -> None:
    first, second = pair_indices(len(draws))
    ties = (draws[first] == draws[second]).mean(axis=1)
    assert p_greater(draws, "half") - p_greater(draws) == pytest.approx(ties / 2)


@given(draws_of_systems)
def test_equal_systems_are_never_told_apart_when_ties_count_half(draws: np.ndarray) -> None:
    draws[1] = draws[0]
    assert p_greater(draws, "half")[0] == 0.5
    assert directions(p_greater(draws, "half"), p_greater(-draws, "half"))[0] == 0


@given(draws_of_systems)
def test_equal_systems_are_never_told_apart_when_ties_are_strict(draws: np.ndarray) -> None:
    """Nor does the verdict follow the order of the list: P(A > B) = P(B > A) = 0."""
    draws[1] = draws[0]
    assert directions(p_greater(draws), p_greater(-draws))[0] == 0


def test_mostly_ties_are_no_difference_but_a_clear_loser_is() -> None:
    p, reverse = np.array([0.0, 0.05, 0.05, 0.0]), np.array([0.05, 0.05, 0.051, 1.0])
    assert directions(p, reverse).tolist() == [0, 0, -1, -1]


def test_both_ends_are_significant() -> None:
    p = np.array([0.0, 0.05, 0.051, 0.5, 0.949, 0.95, 1.0])
    assert directions(p, 1 - p).tolist() == [-1, -1, 0, 0, 0, 1, 1]


def test_the_limits_are_met_exactly_by_whole_counts() -> None:
    """50 of 1,000 and 950 of 1,000 draws are significant: no rounding on the way."""
    for wins, verdict in ((50, -1), (51, 0), (949, 0), (950, 1)):
        draws = np.array([np.arange(1000) < wins, np.full(1000, 0.5)], dtype=np.float64)
        assert directions(p_greater(draws), p_greater(-draws)).tolist() == [verdict]
