"""Execution against people: by hand, against SciPy and scikit-learn, and what degenerate studies say."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from app.statistics.errors import StatisticsError
from app.statistics.execution_agreement import (
    NONE_FAILS,
    NONE_PASSES,
    NOTHING_JOINED,
    ONE_GRADE,
    ExecutionAgreement,
    GradeRow,
    execution_agreement,
)
from app.statistics.graded_outcomes import nearest_level

outputs = st.lists(
    st.tuples(st.sampled_from("abcde"), st.booleans(), st.sampled_from([0, 1, 1.5, 2, 2.25, 3, 4])),
    min_size=3,
    max_size=40,
)


def measured(rows: Any, **options: Any) -> ExecutionAgreement:
    problems, passed, grades = zip(*rows, strict=True) if rows else ((), (), ())
    return execution_agreement(problems, passed, grades, **{"draws": 200, **options})


def test_the_table_and_the_lists_by_hand() -> None:
    found = measured(
        [
            ("a", True, 4),
            ("a", True, 1.2),
            ("a", False, 3.5),
            ("b", False, 0),
            ("b", True, None),
            ("b", None, 2),
            ("c", True, 0.5),
            ("c", False, 2.5),
        ]
    )
    assert found.table == (
        *(GradeRow(0, 0, 1), GradeRow(1, 2, 0), GradeRow(2, 0, 1), GradeRow(3, 0, 1), GradeRow(4, 1, 0)),
    )
    assert found.passes_but_low == (1, 6)
    assert found.fails_but_high == (2,)
    assert (found.outputs, found.without_verdict, found.without_grade, found.problems) == (6, 1, 1, 3)
    # Passing 4, 1.2, 0.5 against failing 3.5, 0, 2.5: 3 + 1 + 1 of 9.
    assert found.superiority.value == pytest.approx(5 / 9)
    # High: 4 and 3.5. Passing and high agree on 4, 0 and 2.5, of six; chance gives 0.5.
    assert found.same.value == 0.5
    assert found.kappa.value == 0
    assert found.mean_passing.value == pytest.approx(1.9)
    assert found.mean_failing.value == pytest.approx(2)


@given(outputs)
@settings(deadline=None)
def test_the_values_against_scipy_and_scikit_learn(rows: list[tuple[str, bool, float]]) -> None:
    found = measured(rows, draws=20)
    passed = np.array([row[1] for row in rows])
    grades = np.array([row[2] for row in rows], dtype=float)
    if 0 < passed.sum() < len(passed):
        assert found.superiority.value == pytest.approx(roc_auc_score(passed, grades))
        u = scipy.stats.mannwhitneyu(grades[passed], grades[~passed]).statistic
        assert found.superiority.value == pytest.approx(u / (passed.sum() * (~passed).sum()))
        if np.ptp(grades) > 0:
            assert found.point_biserial.value == pytest.approx(
                scipy.stats.pointbiserialr(passed, grades).statistic, abs=1e-9
            )
    high = grades >= 3
    if found.kappa.value is None:
        assert passed.all() == high.all()
        assert len({*passed, *high}) == 1
    else:
        assert found.kappa.value == pytest.approx(cohen_kappa_score(passed, high), abs=1e-9)
    assert found.same.value == pytest.approx((passed == high).mean())
    assert sum(row.passing for row in found.table) == passed.sum()
    assert len(found.passes_but_low) == sum(row.passing for row in found.table if row.level <= 1)
    assert len(found.fails_but_high) == sum(row.failing for row in found.table if row.level >= 3)


@given(outputs)
@settings(deadline=None)
def test_the_other_way_round_mirrors_the_chance(rows: list[tuple[str, bool, float]]) -> None:
    here, there = (measured(each, draws=50) for each in (rows, [(p, not v, g) for p, v, g in rows]))
    if here.superiority.value is None:
        assert {here.superiority.reason, there.superiority.reason} == {NONE_FAILS, NONE_PASSES}
        return
    assert there.superiority.value == pytest.approx(1 - here.superiority.value)
    if here.superiority.low is not None and here.superiority.high is not None:
        assert there.superiority.low == pytest.approx(1 - here.superiority.high, abs=1e-9)
        assert there.superiority.high == pytest.approx(1 - here.superiority.low, abs=1e-9)


@given(outputs, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_within_problems_changes_nothing(rows: list[tuple[str, bool, float]], random: Any) -> None:
    """Problems keep their places, which the draws go by."""
    rows = sorted(rows, key=lambda row: row[0])
    mixed = sorted(random.sample(rows, len(rows)), key=lambda row: row[0])
    here, there = measured(rows, draws=30), measured(mixed, draws=30)
    assert (here.superiority, here.point_biserial, here.kappa) == (
        there.superiority,
        there.point_biserial,
        there.kappa,
    )


def test_the_intervals_against_a_plain_cluster_bootstrap() -> None:
    """40 problems of 6 outputs each, 4,000 draws, done again one draw at a time; ends vary by about 0.003."""
    rng = np.random.default_rng(4)
    ease = rng.normal(0, 1, 40)
    passed = rng.random((40, 6)) < 1 / (1 + np.exp(-ease[:, np.newaxis]))
    grades = np.clip(np.round(2 + ease[:, np.newaxis] + passed + rng.normal(0, 1, passed.shape)), 0, 4)
    rows = [(f"p{p}", bool(passed[p, s]), float(grades[p, s])) for p in range(40) for s in range(6)]
    found = measured(rows, draws=4000)
    theirs = []
    for _ in range(2000):
        chosen = rng.integers(0, 40, 40)
        v, g = passed[chosen].ravel(), grades[chosen].ravel()
        theirs.append((roc_auc_score(v, g), scipy.stats.pearsonr(v, g).statistic, cohen_kappa_score(v, g >= 3)))
    low, high = np.percentile(theirs, [2.5, 97.5], axis=0)
    ours = (found.superiority, found.point_biserial, found.kappa)
    assert [each.low for each in ours] == pytest.approx(low.tolist(), abs=0.02)
    assert [each.high for each in ours] == pytest.approx(high.tolist(), abs=0.02)
    # Outputs of a problem succeed together: drawn one by one they would look surer than they are.
    alone = measured([(str(place), *row[1:]) for place, row in enumerate(rows)], draws=4000)
    assert _width(found.mean_failing) > 1.2 * _width(alone.mean_failing)


def _width(estimate: Any) -> float:
    return float(estimate.high - estimate.low)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("a", True, 1), ("b", True, 2)], NONE_FAILS),
        ([("a", False, 1), ("b", False, 2)], NONE_PASSES),
        ([("a", True, None), ("b", None, 2)], NOTHING_JOINED),
        ([], NOTHING_JOINED),
    ],
)
def test_what_is_undefined_says_why(rows: list[Any], reason: str) -> None:
    found = measured(rows)
    for each in (found.superiority, found.point_biserial):
        assert (each.value, each.low, each.high, each.reason) == (None, None, None, reason)
    assert len(found.table) == 5


def test_one_grade_for_all_has_a_chance_but_no_correlation() -> None:
    found = measured([("a", True, 3), ("b", False, 3)])
    assert found.superiority.value == 0.5
    assert (found.point_biserial.value, found.point_biserial.reason) == (None, ONE_GRADE)
    assert found.kappa.value == 0


def test_all_pass_with_high_grades_is_agreement_by_chance_alone() -> None:
    found = measured([("a", True, 4), ("b", True, 3)])
    assert found.same.value == 1
    assert (found.kappa.value, found.kappa.reason) == (None, "chance alone gives full agreement")


def test_one_problem_has_no_interval() -> None:
    found = measured([("a", True, 4), ("a", False, 0)])
    assert (found.superiority.value, found.superiority.low) == (1, None)
    assert (found.kappa.value, found.kappa.low) == (1, None)


def test_a_half_goes_to_the_middle() -> None:
    assert nearest_level(np.array([0.5, 1.5, 2.5, 3.5, 0.49, 2.51])).tolist() == [1, 2, 2, 3, 0, 3]


@pytest.mark.parametrize("grade", [4.5, -1, float("nan")])
def test_a_grade_off_the_scale_is_refused_by_its_place(grade: float) -> None:
    with pytest.raises(StatisticsError, match="Output 1"):
        measured([("a", True, 1), ("b", False, grade)])


def test_other_wrong_input_is_refused() -> None:
    with pytest.raises(StatisticsError, match="overlap"):
        measured([("a", True, 1)], low=3, high=3)
    with pytest.raises(StatisticsError, match="Each output needs"):
        execution_agreement(["a"], [True, False], [1.0])
