"""Synthetic systems: what is replaced, in which order, and what is dropped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.statistics.errors import StatisticsError
from app.statistics.synthetic_systems import with_synthetic_systems


def distinct_outputs(systems: int, problems: int) -> np.ndarray:
    return np.arange(systems * problems).reshape(systems, problems)


def test_hand_worked_replacements() -> None:
    """Three systems, four problems; 50 % of 4 problems are 2.

    a improved: gains of the best other per problem are 4 (b), 1 (b; c ties, b comes first), 1 (c), none.
    Largest first: problem 0, then 1 before 2 (equal gains, problem order). So a_50_1 takes b, b, a, a. a
    worsened: problem 3 loses 4 and problem 2 loses 1, both by b's output: a, a, b, b. But b worsened replaces
    problem 0 (loses 4) and 1 (loses 1) by a's outputs and is the same system: only the later name stays.
    """
    grades = np.array([[0.0, 1, 2, 4], [4.0, 2, 1, 0], [3.0, 2, 3, 0]])
    found = with_synthetic_systems("abc", grades, distinct_outputs(3, 4), percents=[50])
    sources = dict(zip(found.names, found.sources.tolist(), strict=True))
    assert found.originals == 3
    assert found.names == ("a", "b", "c", "a_50_1", "b_50_1", "b_50_0", "c_50_1", "c_50_0")
    assert sources["a"] == [0, 0, 0, 0]
    assert sources["a_50_1"] == [1, 1, 0, 0]
    assert sources["b_50_0"] == [0, 0, 1, 1]
    # b improved: problem 3 gains 4 (a), problem 2 gains 2 (c, more than a's 1), problem 0 nothing.
    assert sources["b_50_1"] == [1, 1, 2, 0]


def test_rounding_of_the_number_replaced() -> None:
    """k = round(percent·n/100) of 472 problems, as the paper has them: 5, 14, 24, 47, 71, 94, 118, 142."""
    grades = np.stack([np.zeros(472), np.ones(472)])
    found = with_synthetic_systems("ab", grades, distinct_outputs(2, 472))
    replaced = [int((sources != 0).sum()) for sources in found.sources[2:10]]
    assert found.names[2:10] == tuple(f"a_{p}_1" for p in (1, 3, 5, 10, 15, 20, 25, 30))
    assert replaced == [5, 14, 24, 47, 71, 94, 118, 142]


def test_equal_outputs_are_one_system() -> None:
    """b is better by one problem only, so that every share of improvement replaces just that one: the last of
    the equal systems stays. Where the texts are the same, the synthetic system is the original and is
    dropped."""
    grades = np.array([[0.0] * 10, [1.0] + [0.0] * 9])
    found = with_synthetic_systems("ab", grades, distinct_outputs(2, 10), percents=[10, 20, 30])
    assert found.names == ("a", "b", "a_30_1", "b_30_0")
    same_text = np.tile(np.arange(10), (2, 1))
    assert with_synthetic_systems("ab", grades, same_text, percents=[10, 20, 30]).names == ("a", "b")


def test_one_system_has_no_other_to_take_from() -> None:
    assert with_synthetic_systems("a", np.zeros((1, 3)), distinct_outputs(1, 3)).names == ("a",)


@pytest.mark.parametrize("percents", [[0], [-1], [101]])
def test_impossible_percentages(percents: list[float]) -> None:
    with pytest.raises(StatisticsError, match="Percentages"):
        with_synthetic_systems("ab", np.zeros((2, 3)), distinct_outputs(2, 3), percents)


@given(arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(1, 25)), elements=st.integers(0, 4).map(float)))
def test_properties(grades: np.ndarray) -> None:
    systems, problems = grades.shape
    names = [f"s{i}" for i in range(systems)]
    found = with_synthetic_systems(names, grades, distinct_outputs(systems, problems))
    own = np.take_along_axis(grades, found.sources, axis=0)
    for name, sources, taken in zip(found.names[systems:], found.sources[systems:], own[systems:], strict=True):
        origin, percent, improved = name.rsplit("_", 2)
        start = grades[int(origin[1:])]
        changed = sources != int(origin[1:])
        assert 0 < changed.sum() <= round(float(percent) * problems / 100)
        gain = taken - start if improved == "1" else start - taken
        assert (gain[changed] > 0).all()
        assert (gain[~changed] == 0).all()
    assert len({row.tobytes() for row in found.sources}) == len(found.names)
