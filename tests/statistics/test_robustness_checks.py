"""Automatic checks against people, next to SciPy on every drawn sample, and mean scores by problem."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.errors import StatisticsError
from app.statistics.resampling import draw_counts
from app.statistics.robustness_checks import (
    ALL_FAULTS,
    NO_FAULT,
    NO_ITEM,
    NO_SPREAD,
    ChecksAgainstPeople,
    checks_against_people,
    weighted_kendall,
    weighted_spearman,
)
from app.statistics.robustness_scores import mean_scores
from app.statistics.survey import SurveyGrades

FEW: dict[str, Any] = {"draws": 300}


def graded(by_item: dict[str, list[float]]) -> SurveyGrades:
    rows = [(item, grade) for item, grades in by_item.items() for grade in grades]
    return SurveyGrades([item for item, _ in rows], [grade for _, grade in rows])


def made_up(items: int = 80, seed: int = 0) -> ChecksAgainstPeople:
    """A check that sees what people see, one that sees half of it, and one that guesses."""
    rng = np.random.default_rng(seed)
    truth = rng.random(items)
    grades = {f"i{n:03d}": rng.choice([0, 0.5, 1], 5, p=[(1 - t) ** 2, 2 * t * (1 - t), t**2]).tolist()
              for n, t in enumerate(truth)}  # fmt: skip
    scores = {
        name: {f"i{n:03d}": float(t + rng.normal(0, noise)) for n, t in enumerate(truth)}
        for name, noise in (("sees", 0.05), ("half", 0.5))
    }
    scores["guesses"] = {f"i{n:03d}": float(each) for n, each in enumerate(rng.random(items))}
    return checks_against_people(graded(grades), scores, **FEW)


def test_by_hand() -> None:
    """Two of four items have three low grades or more; of the four pairs the check orders three, one is a tie."""
    grades = graded({"a": [0, 0, 0.5, 1, 1], "b": [0.5] * 5, "c": [1] * 5, "d": [1, 1, 1, 0, 0]})
    found = checks_against_people(grades, {"cosine": {"a": 0.1, "b": 0.6, "c": 0.9, "d": 0.6}}, **FEW)
    (check,) = found.checks
    assert (check.items, check.unnatural, check.items_left_out) == (4, 2, 0)
    assert check.auc.value == (1 + 1 + 1 + 0.5) / 4
    expected = scipy.stats.kendalltau([0.1, 0.6, 0.9, 0.6], [0.5, 0.5, 1, 0.6]).statistic
    assert check.kendall.value == pytest.approx(expected)
    assert found.differences == ()


def test_the_mean_may_decide_instead() -> None:
    grades = graded({"a": [0, 0, 1, 1, 1], "b": [1, 1, 1, 1, 0.5], "c": [0, 0, 0, 1, 1]})
    scores = {"x": {"a": 0.5, "b": 0.9, "c": 0.1}}
    by_majority, by_mean = (
        checks_against_people(grades, scores, verdict=verdict, limit=0.6, draws=50).checks[0].unnatural
        for verdict in ("majority", "mean")
    )
    assert (by_majority, by_mean) == (1, 2)


@given(st.integers(3, 12), st.integers(0, 2**32), st.integers(2, 6))
@settings(deadline=None, max_examples=40)
def test_weighted_correlations_are_those_of_the_drawn_items(items: int, seed: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values, (2, items)).astype(float)
    counts = draw_counts(items, 20, seed=seed % 1000)
    for ours, theirs in ((weighted_kendall, scipy.stats.kendalltau), (weighted_spearman, scipy.stats.spearmanr)):
        for found, row in zip(ours(counts, x, y), counts.astype(int), strict=True):
            a, b = np.repeat(x, row), np.repeat(y, row)
            if np.ptp(a) == 0 or np.ptp(b) == 0:
                assert np.isnan(found)
            else:
                assert found == pytest.approx(theirs(a, b).statistic)


def test_the_better_check_is_told_from_the_guess() -> None:
    found = made_up()
    sees, half, guesses = found.checks
    assert sees.auc.value > half.auc.value > 0.5  # type: ignore[operator]
    assert sees.auc.low > 0.5  # type: ignore[operator]
    assert guesses.auc.low < 0.5 < guesses.auc.high  # type: ignore[operator]
    by_pair = {(each.first, each.second): each for each in found.differences}
    clear = by_pair["sees", "guesses"]
    assert clear.difference.low > 0  # type: ignore[operator]
    assert clear.p is not None
    assert clear.p <= 0.01
    assert clear.difference.value == pytest.approx(sees.auc.value - guesses.auc.value, abs=1e-9)  # type: ignore[operator]
    assert found == made_up()
    assert len(found.to_json()["differences"]) == 3


def test_the_area_is_that_of_mann_and_whitney() -> None:
    rng = np.random.default_rng(5)
    low, high = rng.integers(0, 6, 30), rng.integers(2, 9, 40)
    grades = graded({f"l{n}": [0.0, 0.0] for n in range(30)} | {f"h{n}": [1.0, 1.0] for n in range(40)})
    scores = {f"l{n}": float(each) for n, each in enumerate(low)} | {f"h{n}": float(e) for n, e in enumerate(high)}
    found = checks_against_people(grades, {"x": scores}, **FEW).checks[0].auc
    assert found.value == pytest.approx(scipy.stats.mannwhitneyu(high, low).statistic / (30 * 40))


def test_items_that_a_check_lacks_are_left_out_of_its_numbers_and_of_differences() -> None:
    names = "abcdefghijkl"
    grades = graded({name: [float(name > "f")] * 3 for name in names})
    full = {name: float(place) for place, name in enumerate(names)}
    found = checks_against_people(grades, {"all": full, "few": {k: v for k, v in full.items() if k != "a"}}, **FEW)
    assert [(each.items, each.items_left_out) for each in found.checks] == [(12, 0), (11, 1)]
    assert found.differences[0].items == 11
    assert (found.differences[0].difference.value, found.differences[0].p) == (0, 1)


def test_a_perfect_order_of_a_few_items_has_no_interval() -> None:
    """Every draw keeps the order of four bad and five good items, so that the interval would be the point 1."""
    names = "abcdefghi"
    full = {name: float(place) for place, name in enumerate(names)}
    for bad, has_interval in ((4, False), (5, True)):
        grades = graded({name: [float(place >= bad)] * 3 for place, name in enumerate(names + "j")})
        scores = full | {"j": 9.0}
        found = checks_against_people(grades, {"one": scores, "two": scores}, **FEW)
        assert found.checks[0].auc.value == 1
        assert (found.checks[0].auc.low == 1) is (found.checks[0].auc.high == 1) is has_interval
        assert (found.differences[0].difference.low == 0) is (found.differences[0].p == 1) is has_interval
        assert found.checks[0].kendall.low is not None
    few = checks_against_people(graded({name: [float(name > "b")] * 3 for name in "abcd"}), {"one": full}, **FEW)
    assert [(each.low, each.high) for each in (few.checks[0].kendall, few.checks[0].spearman)] == [(None, None)] * 2


def test_what_can_t_be_measured_says_why() -> None:
    fine, bad = [1.0, 1.0], [0.0, 0.0]
    scores = {"x": {"a": 0.1, "b": 0.2}}
    for grades, reason in (
        ({"a": fine, "b": fine}, NO_FAULT),
        ({"a": bad, "b": bad}, ALL_FAULTS),
        ({"z": fine}, NO_ITEM),
    ):
        (check,) = checks_against_people(graded(grades), scores, **FEW).checks
        assert check.auc.reason == reason
        assert check.kendall.reason == (NO_ITEM if reason == NO_ITEM else NO_SPREAD)
    both = checks_against_people(graded({"a": fine, "b": fine}), scores | {"y": scores["x"]}, **FEW)
    assert (both.differences[0].p, both.differences[0].difference.reason) == (None, NO_FAULT)
    with pytest.raises(StatisticsError, match="the score of a is nan"):
        checks_against_people(graded({"a": fine}), {"x": {"a": float("nan")}})


def test_mean_scores_weigh_pairs_and_draw_problems() -> None:
    found = mean_scores(
        "cosine", ["p", "p", "q", "q"], ["typos", "typos", "typos", "case"], [1, 0.5, 0.9, 0.3], **FEW
    )
    assert [(each.stratum, each.mean.value, each.pairs, each.problems) for each in found] == [
        ("typos", pytest.approx(0.8), 3, 2),
        ("case", 0.3, 1, 1),
    ]
    assert (found[0].mean.low, found[0].mean.high) == (0.75, 0.9)  # p twice, q twice
    assert found[1].mean.low is None
    with pytest.raises(StatisticsError, match="q under case is inf"):
        mean_scores("cosine", ["q"], ["case"], [float("inf")])
