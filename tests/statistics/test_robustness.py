"""Robust Pass, Drop and Relative: the worked numbers, rows as published, every subset of samples, and properties."""

from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.errors import StatisticsError
from app.statistics.estimates import Estimate
from app.statistics.pass_at_k import NO_PROBLEM
from app.statistics.robustness import (
    NOTHING_TO_LOSE,
    GroupRobustness,
    RobustnessAtK,
    mean_over_models,
    measure_robustness,
    problem_values,
)
from app.statistics.robustness_curves import robustness_over_seeds
from app.statistics.robustness_runs import FAILED, NO_VERDICT, PASSED, PerturbedRuns, Variant
from tests.statistics.perturbed import greedy, runs, simulated, some_runs

FEW: dict[str, Any] = {"draws": 50}


def four(found: RobustnessAtK) -> tuple[float | None, ...]:
    estimates = (found.nominal, found.robust_pass, found.robust_drop, found.robust_relative)
    return tuple(each.value for each in estimates)


def numbers(model: PerturbedRuns, k: int = 1) -> tuple[float | None, ...]:
    return four(measure_robustness(model, (k,), **FEW).whole.at[0])


def test_greedy_by_hand() -> None:
    """Task 2 goes wrong, task 3 goes right under some seed; of two right ones one is left."""
    found = numbers(greedy([1, 1, 0, 0], [[1, 1], [1, 0], [0, 1], [0, 0]]))
    assert found == (0.5, 0.25, 0.5, 0.5)


def test_sampling_by_hand() -> None:
    """One task, four samples, three seeds: rc = 2, rc- = 2, rc+ = 1."""
    by_sample = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 1, 1]])
    model = runs([[1, 1, 1, 0]], [by_sample.T])
    assert numbers(model, 1) == pytest.approx((0.75, 0.5, 1 / 3, 0.75))
    assert numbers(model, 2) == pytest.approx((1, 5 / 6, 1 / 6, 5 / 6 + 0.5))


@pytest.mark.parametrize(
    ("nominal", "robust", "changes", "drop", "relative"),
    [(38, 20, 34, 47.37, 20.73), (50, 21, 58, 58.00, 35.37), (66, 18, 68, 72.73, 41.46)],
    ids=["2B-mono docstring", "16B-mono docstring", "2B-mono syntax"],
)
def test_rows_as_published(nominal: int, robust: int, changes: int, drop: float, relative: float) -> None:
    """CodeGen on HumanEval, Table 3, as the whole numbers of problems that the printed shares stand for."""
    lost = nominal - robust
    gained = changes - lost
    before = [1] * nominal + [0] * (164 - nominal)
    after = [[0, 1]] * lost + [[1, 1]] * robust + [[0, 1]] * gained + [[0, 0]] * (164 - nominal - gained)
    found = numbers(greedy(before, after))
    assert found[:2] == pytest.approx((nominal / 164, robust / 164))
    assert [round(100 * each, 2) for each in found[2:] if each is not None] == [drop, relative]


def test_a_category_is_the_worst_over_its_transformations() -> None:
    """Each transformation leaves three of four right, both together two."""
    model = greedy([1, 1, 1, 1], [[1, 1], [1, 0], [0, 1], [1, 1]], (Variant("a"), Variant("b")))
    found = measure_robustness(model, **FEW)
    assert [each.at[0].robust_pass.value for each in found.transformations] == [0.75, 0.75]
    assert found.whole.at[0].robust_pass.value == 0.5
    assert [(each.name, each.variants, each.seeds) for each in found.transformations] == [("a", 1, 1), ("b", 1, 1)]


def every_subset(model: PerturbedRuns, k: int) -> np.ndarray:
    """The three numbers of each problem from what every choice of k samples shows."""
    worst, best = model.outcomes.all(axis=1), model.outcomes.any(axis=1)
    found = []
    for row in range(len(model.problems)):
        counted = np.flatnonzero(model.is_counted[row])
        events: tuple[Any, ...] = (model.nominal, worst, model.nominal & ~worst, ~model.nominal & best)
        shares = [
            np.mean([event[row, list(chosen)].any() for chosen in combinations(counted, k)])
            if len(counted) >= k
            else np.nan
            for event in events
        ]
        found.append([shares[0], shares[1], shares[2] + shares[3]])
    return np.array(found).T


@given(some_runs(), st.integers(1, 4))
@settings(deadline=None)
def test_the_closed_forms_are_shares_of_subsets(model: PerturbedRuns, k: int) -> None:
    np.testing.assert_allclose(problem_values(model, k), every_subset(model, k), atol=1e-12)


@given(some_runs(is_all_counted=True))
@settings(deadline=None)
def test_no_transformation_keeps_less_than_the_category(model: PerturbedRuns) -> None:
    samples = model.nominal.shape[1]
    for k in (1, samples):
        _, whole, change = problem_values(model, k)
        for name in model.transformations:
            _, alone, its_change = problem_values(model.of_transformation(name), k)
            assert (whole <= alone + 1e-12).all()
            assert (change >= its_change - 1e-12).all()
        assert ((change >= 0) & (change <= (1 if k == 1 else 2))).all()


@given(some_runs(is_all_counted=True))
@settings(deadline=None)
def test_robust_pass_never_rises_with_s_nor_falls_with_k(model: PerturbedRuns) -> None:
    ks = tuple(range(1, model.nominal.shape[1] + 1))
    steps = robustness_over_seeds(model, ks, **FEW)
    assert [(each.s, each.variants) for each in steps] == [(1, 3), (2, 5)]
    passes = np.array([[each.robust_pass.value for each in step.at] for step in steps])
    changes = np.array([[each.robust_relative.value for each in step.at] for step in steps])
    assert (np.diff(passes, axis=0) <= 1e-10).all()
    assert (np.diff(changes, axis=0) >= -1e-10).all()
    assert (np.diff(passes, axis=1) >= -1e-10).all()
    assert steps[-1].at == measure_robustness(model, ks, **FEW).whole.at


@given(some_runs(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_means_nothing(model: PerturbedRuns, random: Random) -> None:
    """That of variants, of problems, and of samples as long as all prompts keep the same one."""
    rows, columns, samples = (list(range(size)) for size in model.perturbed.shape)
    for order in (rows, columns, samples):
        random.shuffle(order)
    assert model.counted is not None
    other = PerturbedRuns(
        model.category,
        tuple(model.problems[row] for row in rows),
        tuple(model.variants[column] for column in columns),
        model.nominal[np.ix_(rows, samples)],
        model.perturbed[np.ix_(rows, columns, samples)],
        model.changed[np.ix_(rows, columns)],
        model.counted[np.ix_(rows, samples)],
    )
    for k in (1, 2):
        np.testing.assert_array_equal(problem_values(other, k), problem_values(model, k)[:, rows])


@given(some_runs(is_all_counted=True))
@settings(deadline=None)
def test_what_changes_nothing_costs_nothing(model: PerturbedRuns) -> None:
    found = measure_robustness(replace(model, changed=np.zeros_like(model.changed)), **FEW).whole
    nominal, robust, drop, change = four(found.at[0])
    assert (robust, change) == (nominal, 0)
    assert drop == (0 if nominal else None)
    assert found.unchanged == found.pairs == 5 * len(model.problems)


def test_unchanged_prompts_are_counted_as_nominal_and_told() -> None:
    """What stands in place of a sample that was never drawn must not matter."""
    model = runs([[1], [1]], [[[0], [0]], [[0], [1]]], changed=[[0, 0], [0, 1]])
    found = measure_robustness(model, **FEW).whole
    assert four(found.at[0]) == (1, 1, 0, 0)
    assert (found.unchanged, found.pairs) == (3, 4)


def test_nothing_to_lose_is_named() -> None:
    nothing = measure_robustness(greedy([0, 0], [[0], [1]]), **FEW).whole.at[0]
    assert nothing.robust_drop == Estimate(None, reason=NOTHING_TO_LOSE)
    assert four(nothing) == (0, 0.5, None, 0.5)


def test_a_drop_may_be_negative() -> None:
    assert numbers(greedy([1, 0, 0], [[1], [1], [0]])) == pytest.approx((1 / 3, 2 / 3, -1, 1 / 3))


def test_too_few_samples_and_no_problem_are_named() -> None:
    short = measure_robustness(greedy([1, 0], [[1], [1]]), (1, 5), **FEW).whole.at
    assert short[0].nominal.value == 0.5
    assert {short[1].nominal, short[1].robust_drop} == {Estimate(None, reason="no problem has 5 judged samples")}
    none = runs(np.zeros((0, 1)), np.zeros((0, 2, 1)))
    assert measure_robustness(none, **FEW).whole.at[0].robust_pass == Estimate(None, reason=NO_PROBLEM)


def test_a_sample_without_a_verdict_counts_nowhere() -> None:
    """Sample 1 of p0 was not run under the changed prompt; that of p1 was not either, but its prompt is unchanged."""
    model = PerturbedRuns.from_verdicts(
        "docstring",
        ["p0", "p1"],
        [Variant("t")],
        nominal=np.array([[PASSED, PASSED], [PASSED, FAILED]], dtype=np.int8),
        perturbed=np.array([[[FAILED, NO_VERDICT]], [[NO_VERDICT, NO_VERDICT]]], dtype=np.int8),
        changed=np.array([[True], [False]]),
    )
    assert model.samples.tolist() == [1, 2]
    found = measure_robustness(model, **FEW)
    assert (found.samples, found.samples_left_out) == (2, 1)
    assert four(found.whole.at[0]) == pytest.approx((0.75, 0.25, 2 / 3, 0.5))


def judged(lacking: tuple[int, int]) -> PerturbedRuns:
    """Three problems under two transformations, of which one problem under one has no verdict."""
    perturbed = np.array([[[1], [1]], [[0], [1]], [[1], [0]]], dtype=np.int8)
    perturbed[lacking] = NO_VERDICT
    return PerturbedRuns.from_verdicts(
        "docstring",
        ["p0", "p1", "p2"],
        [Variant("a"), Variant("b")],
        nominal=np.full((3, 1), PASSED, dtype=np.int8),
        perturbed=perturbed,
        changed=np.ones((3, 2), dtype=np.bool_),
    )


def test_a_problem_without_samples_is_left_out_of_what_it_touches_and_counted() -> None:
    """p1 was not run under a: it counts under b, but neither under a nor under both."""
    found = measure_robustness(judged((1, 0)), **FEW)
    a, b = found.transformations
    assert [each.at[0].problems_left_out for each in (found.whole, a, b)] == [1, 1, 0]
    assert four(found.whole.at[0]) == (1, 0.5, 0.5, 0.5)
    assert four(a.at[0]) == (1, 1, 0, 0)
    assert four(b.at[0]) == pytest.approx((1, 2 / 3, 1 / 3, 1 / 3))
    assert (a.at[0].robust_pass.low, a.at[0].robust_pass.high) == (1, 1)


def test_the_mean_is_over_the_models_that_have_a_value() -> None:
    """Each model's mean is over its own problems; one without any is not in the mean."""
    whole, short = greedy([1, 1], [[1], [0]]), greedy([1, 1], [[1], [0]])
    short = replace(short, counted=np.array([[True], [False]]))
    nothing = replace(whole, counted=np.zeros((2, 1), dtype=np.bool_))
    found = mean_over_models([whole, short, nothing], **FEW).whole.at[0]
    assert (found.models, found.problems_left_out) == (2, 1)
    assert four(found) == (1, 0.75, 0.25, 0.25)
    alone = mean_over_models([nothing], **FEW).whole.at[0]
    assert (alone.models, alone.nominal) == (0, Estimate(None, reason="no problem has a judged sample"))


def test_the_mean_over_models_averages_drops() -> None:
    """Drops of 1/2 and 0: their mean is 1/4, though of the mean pass@1 of 3/4 a third is lost."""
    a = greedy([1, 1, 1, 1], [[1], [1], [0], [0]])
    b = greedy([1, 1, 0, 0], [[1], [1], [0], [0]])
    found = mean_over_models([a, b], **FEW)
    assert four(found.whole.at[0]) == (0.75, 0.5, 0.25, 0.25)
    assert found.models == 2
    nothing = mean_over_models([a, greedy([0, 0, 0, 0], [[0]] * 4)], **FEW).whole.at[0]
    assert (nothing.nominal.value, nothing.robust_drop.reason) == (0.5, NOTHING_TO_LOSE)


def test_ceilings_are_those_of_the_canonical_solutions() -> None:
    canonical = greedy([1, 1, 1, 1], [[1, 1], [1, 0], [1, 1], [0, 0]], (Variant("a"), Variant("b")))
    found = measure_robustness(simulated_like(canonical), canonical=canonical, **FEW)
    ceilings = [each.ceiling.value for each in (found.whole, *found.transformations) if each.ceiling]
    assert ceilings == [0.5, 0.75, 0.5]
    assert measure_robustness(canonical, **FEW).whole.ceiling is None


def simulated_like(model: PerturbedRuns) -> PerturbedRuns:
    return replace(
        model, nominal=np.ones((4, 3), dtype=np.bool_), perturbed=np.ones((4, 2, 3), dtype=np.bool_), counted=None
    )


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """A nominal half of which a fifth is lost, over 100 simulated benchmarks of 100 problems."""
    hits = np.zeros(3)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        before = rng.random(100) < 0.5
        after = np.where(before, rng.random(100) < 0.8, rng.random(100) < 0.1)
        found = measure_robustness(greedy(before, after[:, np.newaxis]), draws=400, seed=seed).whole.at[0]
        truths = ((found.robust_pass, 0.45), (found.robust_drop, 0.1), (found.robust_relative, 0.15))
        hits += [each.low <= truth <= each.high for each, truth in truths]  # type: ignore[operator]
    assert (hits >= 88).all()
    assert (hits <= 100).all()


def test_the_same_seed_gives_the_same_and_the_result_is_plain() -> None:
    model = simulated(40, 3)
    found = measure_robustness(model, (1, 3), **FEW)
    assert found == measure_robustness(model, (1, 3), **FEW)
    assert found != measure_robustness(model, (1, 3), draws=50, seed=1)
    document = found.to_json()
    assert document["whole"]["at"][1]["robust_relative"]["value"] == found.whole.at[1].robust_relative.value
    whole: GroupRobustness = found.whole
    assert (whole.variants, whole.seeds, whole.pairs) == (11, 5, 440)


def test_bad_shapes_are_refused_by_name() -> None:
    good = greedy([1, 0], [[1], [1]])
    with pytest.raises(StatisticsError, match="changed has the shape"):
        replace(good, changed=np.ones((1, 1), dtype=np.bool_))
    with pytest.raises(StatisticsError, match="problem p0 is given twice"):
        replace(good, problems=("p0", "p0"))
    with pytest.raises(StatisticsError, match="variant"):
        greedy([1], [[1, 1]], (Variant("t"), Variant("t")))
    with pytest.raises(StatisticsError, match="no perturbed prompt"):
        good.of_transformation("other")
    with pytest.raises(StatisticsError, match="differ in their problems"):
        mean_over_models([good, replace(good, problems=("a", "b"))])
    with pytest.raises(StatisticsError, match="no model"):
        mean_over_models([])
