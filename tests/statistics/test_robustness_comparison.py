"""Two models under the same perturbations: numbers by hand, chance, and what can't be compared."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.statistics.errors import StatisticsError
from app.statistics.robustness import NOTHING_TO_LOSE, measure_robustness
from app.statistics.robustness_comparison import compare_robustness
from tests.statistics.perturbed import greedy, simulated

FEW: dict[str, Any] = {"draws": 500}


def test_by_hand() -> None:
    """A keeps 3 of 4, B 1 of 2: 0.75 - 0.25, drops of 0.25 and 0.5, changes of 1/4 and 1/4."""
    a = greedy([1, 1, 1, 1], [[1], [1], [1], [0]])
    b = greedy([1, 1, 0, 0], [[1], [0], [0], [0]])
    found = compare_robustness(a, b, **FEW)
    assert found.nominal.difference == 50
    assert found.robust_pass.difference == 50
    assert found.robust_drop is not None
    assert found.robust_drop.difference == -25
    assert found.robust_relative.difference == 0
    assert found.name == "t"
    assert found.to_json()["robust_drop"]["difference"] == -25


def test_a_clear_difference_is_found_and_none_is_not_made_up() -> None:
    strong, weak = simulated(loss=0.02, seed=1), simulated(loss=0.3, seed=1)
    found = compare_robustness(strong, weak, **FEW)
    assert found.robust_drop is not None
    assert found.robust_pass.low > 0
    assert found.robust_drop.high < 0
    assert found.robust_pass.p_randomisation < 0.01
    assert found.robust_drop.p_randomisation < 0.01
    assert found.robust_drop.p_a_greater > 0.99  # better, since it drops less
    same = compare_robustness(strong, strong, **FEW)
    assert same.robust_drop is not None
    assert (same.robust_drop.difference, same.robust_drop.p_randomisation) == (0, 1)


def test_the_null_is_rejected_about_as_often_as_it_should_be() -> None:
    """Two models that are alike, 60 times: p is at most 0.05 in few of them."""
    rejected = 0
    for seed in range(60):
        a, b = (simulated(60, loss=0.1, seed=2 * seed + each) for each in (0, 1))
        drop = compare_robustness(a, replace(b, problems=a.problems), draws=200, seed=seed).robust_drop
        assert drop is not None
        rejected += drop.p_randomisation <= 0.05
    assert rejected <= 9


def test_differences_are_those_of_the_models() -> None:
    a, b = simulated(50, 4, loss=0.05, seed=3), simulated(50, 4, loss=0.2, seed=4)
    found = compare_robustness(a, b, 2, **FEW)
    one, other = (measure_robustness(each, (2,), **FEW).whole.at[0] for each in (a, b))
    for name in ("nominal", "robust_pass", "robust_drop", "robust_relative"):
        expected = 100 * (getattr(one, name).value - getattr(other, name).value)
        assert getattr(found, name).difference == pytest.approx(expected, abs=1e-7)


def test_nothing_to_lose_has_no_drop_to_compare() -> None:
    found = compare_robustness(greedy([1, 1], [[1], [0]]), greedy([0, 0], [[0], [1]]), **FEW)
    assert (found.robust_drop, found.reason) == (None, NOTHING_TO_LOSE)
    assert found.robust_pass.difference == 0


def test_few_passes_leave_draws_without_any() -> None:
    """With one nominal pass of four, a third of the draws hold none: a drop of 0 there, and no failure."""
    a, b = greedy([1, 0, 0, 0], [[0]] * 4), greedy([1, 0, 0, 0], [[1], [0], [0], [0]])
    found = compare_robustness(a, b, **FEW).robust_drop
    assert found is not None
    assert (found.difference, found.low, found.high) == (100, 0, 100)


def test_problems_with_too_few_samples_are_left_out_and_counted() -> None:
    a, b = simulated(20, 3), simulated(20, 3, seed=1)
    counted = np.ones((20, 3), dtype=np.bool_)
    counted[0] = False
    found = compare_robustness(replace(a, counted=counted), b, 3, **FEW)
    assert (found.robust_pass.problems, found.robust_pass.problems_left_out) == (19, 1)
    with pytest.raises(StatisticsError, match="differ in their variants"):
        compare_robustness(a, b.of_transformation("typos"))
