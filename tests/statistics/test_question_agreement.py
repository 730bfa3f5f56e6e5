"""One question's agreement: Cohen's own table, scikit-learn's kappas, a resample by hand, strata, named reasons."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from app.statistics.agreement import measure_agreement
from app.statistics.errors import StatisticsError
from app.statistics.question_agreement import QuestionAgreement, measure_question, measure_strata
from app.statistics.resampling import draw_counts

Row = tuple[str, str, float]
# Up to five annotators, each grading some of up to twelve items on the scale 0-3.
rows_of_grades = st.dictionaries(
    st.tuples(st.integers(0, 11), st.integers(0, 4)), st.integers(0, 3), min_size=1, max_size=60
).map(lambda grades: [(f"i{item:02d}", f"a{who}", float(grade)) for (item, who), grade in grades.items()])


def measure(rows: list[Row], draws: int = 40, **options: object) -> QuestionAgreement:
    items, annotators, labels = zip(*rows, strict=True) if rows else ((), (), ())
    return measure_question(items, annotators, labels, draws=draws, **options)  # type: ignore[arg-type]


def two_annotators(table: list[list[int]], labels: list[float]) -> list[Row]:
    """Rows of grades with this joint table."""
    cells = [(a, b) for i, a in enumerate(labels) for j, b in enumerate(labels) for _ in range(table[i][j])]
    return [row for n, (a, b) in enumerate(cells) for row in ((f"i{n:04d}", "a", a), (f"i{n:04d}", "b", b))]


def test_cohen_1960() -> None:
    """Cohen 1960, table 1, of 200 cases: po 0.70, pc 0.41, kappa 0.492 (0.29 / 0.59)."""
    rows = two_annotators([[88, 10, 2], [14, 40, 6], [18, 10, 12]], [0, 1, 2])
    found = measure(rows, draws=2000)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.items, pair.equal) == ("a", "b", 200, 140)
    assert pair.unweighted.value == pytest.approx(0.29 / 0.59)
    assert pair.unweighted.low is not None and pair.unweighted.high is not None  # noqa: PT018
    # Fleiss, Cohen & Everitt 1969: the standard error of this kappa is sqrt(0.70·0.30)/(0.59·sqrt(200)) or near.
    assert (pair.unweighted.high - pair.unweighted.low) / 2 == pytest.approx(1.96 * 0.0549, rel=0.1)


@given(rows_of_grades)
@settings(deadline=None, max_examples=40)
def test_every_pair_equals_scikit_learn(rows: list[Row]) -> None:
    """Labels 0-3 are evenly spaced, where its weights by place are ours by value."""
    by_annotator: dict[str, dict[str, float]] = {}
    for item, annotator, label in rows:
        by_annotator.setdefault(annotator, {})[item] = label
    found = {(pair.first, pair.second): pair for pair in measure(rows, fewest_common_items=1).pairs}
    for a, b in ((a, b) for a in by_annotator for b in by_annotator if a < b):
        common = sorted(by_annotator[a].keys() & by_annotator[b].keys())
        if not common:
            assert (a, b) not in found
            continue
        first, second = ([int(by_annotator[who][item]) for item in common] for who in (a, b))
        pair = found[a, b]
        assert pair.items == len(common)
        assert pair.equal == sum(x == y for x, y in zip(first, second, strict=True))
        if len(set(first + second)) == 1:
            assert pair.unweighted.value is pair.linear.value is pair.quadratic.value is None
            assert "one and the same grade" in str(pair.quadratic.reason)
            continue
        for name, weights in (("unweighted", None), ("linear", "linear"), ("quadratic", "quadratic")):
            expected = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights=weights)
            assert getattr(pair, name).value == pytest.approx(expected, abs=1e-9)


def test_each_draw_is_the_coefficient_of_that_resample() -> None:
    """The interval's ends, from 60 resamples written out as rows and measured by scikit-learn one by one."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 5, 30)
    first, second = (np.clip(truth + rng.integers(-1, 2, 30), 0, 4) for _ in range(2))
    rows = [row for n in range(30) for row in ((f"i{n:02d}", "a", first[n]), (f"i{n:02d}", "b", second[n]))]
    found = measure(rows, draws=60, seed=4)
    picks = [np.repeat(np.arange(30), counts.astype(int)) for counts in draw_counts(30, 60, seed=4)]
    kappas = [cohen_kappa_score(first[p], second[p], labels=[0, 1, 2, 3, 4], weights="quadratic") for p in picks]
    same = [np.mean(first[p] == second[p]) for p in picks]
    assert (found.pairs[0].quadratic.low, found.pairs[0].quadratic.high) == pytest.approx(
        tuple(np.percentile(kappas, [2.5, 97.5])), abs=1e-9
    )
    assert (found.same.low, found.same.high) == pytest.approx(tuple(np.percentile(same, [2.5, 97.5])), abs=1e-9)


@given(rows_of_grades, st.randoms())
@settings(deadline=None, max_examples=40)
def test_order_and_names_do_not_matter(rows: list[Row], random: Random) -> None:
    found = measure(rows, fewest_common_items=1)
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert measure(shuffled, fewest_common_items=1) == found
    # Other names in the same order, labels on another straight line.
    moved = measure([(f"x{item}", f"y{who}", 2 * label + 5) for item, who, label in rows], fewest_common_items=1)
    assert (moved.same, moved.majority, moved.top_majority) == (found.same, found.majority, found.top_majority)
    assert moved.top_counts == found.top_counts
    for ours, theirs in zip(moved.pairs, found.pairs, strict=True):
        assert (ours.linear.value is None) == (theirs.linear.value is None)
        assert ours.linear.value == pytest.approx(theirs.linear.value, abs=1e-9)
    # Annotators' names turned round: the same pairs, seen from the other side.
    turned = measure([(item, f"z{9 - int(who[1])}", label) for item, who, label in rows], fewest_common_items=1)
    assert sorted((p.items, p.equal, p.linear.value or 0.0) for p in turned.pairs) == sorted(
        (p.items, p.equal, p.linear.value or 0.0) for p in found.pairs
    )
    assert turned.coefficients == found.coefficients


@given(rows_of_grades)
@settings(deadline=None, max_examples=40)
def test_coefficients_are_those_of_the_analysis(rows: list[Row]) -> None:
    items, _, labels = zip(*rows, strict=True)
    assert measure(rows, seed=7).coefficients == measure_agreement(items, labels, draws=40, seed=7)


def test_three_of_five_say_one() -> None:
    """By hand: items with 1 given 5, 3, 2 and 0 of five times, one with a tie of 2:2:1, and one with three grades."""
    grades = [[1] * 5, [1, 1, 1, 0, 0.5], [1, 1, 0, 0, 0], [0] * 5, [1, 1, 0.5, 0.5, 0], [1, 1, 0]]
    rows = [(f"i{n}", f"a{who}", float(g)) for n, item in enumerate(grades) for who, g in enumerate(item)]
    found = measure(rows, top=1)
    assert (found.majority.count, found.majority.of) == (5, 6)
    assert (found.top_majority.count, found.top_majority.of) == (3, 6)
    assert found.top_majority.share == 0.5
    assert found.at_least(3, 5) == (2, 5)
    assert found.at_least(2, 3) == (1, 1)
    # Equal pairs of ten: 10, 3, 1 + 3, 10, 1 + 1; of three: 1.
    assert found.same.value == pytest.approx((1 + 0.3 + 0.4 + 1 + 0.2 + 1 / 3) / 6)
    assert measure(rows, top=2).top_majority.count == 0


def test_strata_by_themselves() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"i{n:03d}", f"a{who}", float(rng.integers(0, 3))) for n in range(60) for who in range(3) if n % 10]
    strata = {
        "nominal": [f"i{n:03d}" for n in range(30)],
        "perturbed": [f"i{n:03d}" for n in range(30, 60)],
        "no": [],
    }
    nominal, perturbed, empty = measure_strata(*zip(*rows, strict=True), strata, draws=50)
    assert (nominal.name, nominal.items, nominal.items_without_grade) == ("nominal", 30, 3)
    assert nominal.agreement == measure([row for row in rows if row[0] < "i030"], draws=50)
    assert perturbed.agreement.coefficients.items_used == 27
    assert (empty.items, empty.agreement.same.value, empty.agreement.same.reason) == (
        0,
        None,
        "no item has two grades",
    )


@pytest.mark.parametrize(
    "rows",
    [[], [("i", "a", 1.0)], [("i", "a", 1.0), ("i", "b", 1.0)], [("i", "a", 1.0), ("j", "a", 2.0), ("j", "b", 2.0)]],
)
def test_undefined_has_a_reason_and_no_nan(rows: list[Row]) -> None:
    found = json.loads(json.dumps(measure(rows).to_json(), allow_nan=False))
    for cell in (found["same"], found["coefficients"]["fleiss_kappa"], *(p["linear"] for p in found["pairs"])):
        assert (cell["value"] is None) == (cell["reason"] is not None)
    for share in (found["majority"], found["top_majority"]):
        assert (share["share"] is None) == (share["reason"] is not None)
    for pair in found["pairs"]:
        assert pair["unweighted"]["reason"] == "fewer than 10 common items"


def test_a_second_grade_of_an_annotator_is_refused() -> None:
    with pytest.raises(StatisticsError, match="more than one grade"):
        measure([("i", "a", 1.0), ("i", "a", 2.0)])


def test_many_pairs_take_fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.statistics.question_agreement.PAIR_BUDGET", 9_000)
    rng = np.random.default_rng(2)
    rows = [(f"i{n}", f"a{who}", float(rng.integers(0, 2))) for n in range(40) for who in range(3)]
    fewer = measure(rows, draws=2000)
    assert fewer.pair_draws == 1500  # 9,000 / (3 pairs of 2 labels)
    monkeypatch.setattr("app.statistics.question_agreement.PAIR_BUDGET", 90_000)
    assert fewer.pairs[0].linear.value == measure(rows, draws=2000).pairs[0].linear.value
    assert fewer.pairs == measure(rows, draws=1500).pairs
