"""Problems that break most, and the samples that were right before."""

from hypothesis import given, settings

from app.statistics.robustness_breaks import FlippedSample, broken_problems, flipped_samples
from app.statistics.robustness_runs import PerturbedRuns, Variant
from tests.statistics.perturbed import greedy, runs, some_runs

VARIANTS = (Variant("typos", 0), Variant("typos", 1), Variant("tense"))


def test_a_transformation_counts_once_however_many_seeds_it_has() -> None:
    """p0 breaks under both seeds of one, p1 under one seed of it and under the other; p2 was never right."""
    model = greedy([1, 1, 0, 1], [[0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 1]], VARIANTS)
    second, first = sorted(broken_problems(model), key=lambda each: each.problem)
    assert [each.problem for each in broken_problems(model)] == ["p1", "p0"]
    assert (first.weight, first.breaking, first.changed, first.by) == (0.75, 2, 3, ("typos", "tense"))
    assert (second.weight, second.breaking, second.by) == (0.5, 2, ("typos",))
    assert (second.passing, second.samples) == (1, 1)


def test_samples_weigh_by_their_share() -> None:
    model = runs([[1, 1, 0, 0]], [[[1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]], VARIANTS)
    (found,) = broken_problems(model)
    assert found.weight == (0.75 + 0) / 2
    assert (found.passing, found.samples) == (2, 4)


def test_flipped_samples_by_hand() -> None:
    model = runs([[1, 0]], [[[0, 1], [1, 1], [0, 0]]], VARIANTS, changed=[[1, 1, 0]])
    lost = flipped_samples(model)
    assert (lost.total, lost.shown) == (1, (FlippedSample("p0", "typos", 0, 0),))
    gained = flipped_samples(model, is_right_before=False, most=1)
    assert (gained.total, gained.shown) == (2, (FlippedSample("p0", "typos", 0, 1),))
    assert flipped_samples(model, problems=["other"]).total == 0


@given(some_runs())
@settings(deadline=None)
def test_they_are_the_same_breaks(model: PerturbedRuns) -> None:
    pairs = flipped_samples(model).shown
    breaking = {(each.problem, each.transformation, each.seed) for each in pairs}
    by_problem = {each.problem: each for each in broken_problems(model)}
    assert {problem for problem, *_ in breaking} == set(by_problem)
    for name, found in by_problem.items():
        assert found.breaking == sum(problem == name for problem, *_ in breaking)
        assert 0 < found.weight <= 1
        assert found.breaking <= found.changed
