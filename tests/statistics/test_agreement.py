"""Agreement: hand-worked and published examples, the krippendorff package, and named reasons."""

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.statistics.agreement import AnnotatorAgreement, landis_koch, measure_agreement
from app.statistics.errors import StatisticsError

items_of_grades = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=12)


def measure(grades_by_item: list[list[float]], draws: int = 50, seed: int = 0) -> AnnotatorAgreement:
    items = [f"i{number:03d}" for number, grades in enumerate(grades_by_item) for _ in grades]
    return measure_agreement(items, [g for grades in grades_by_item for g in grades], draws=draws, seed=seed)


def test_fleiss_1971() -> None:
    """The example in Fleiss' article's spirit, small enough for the margin: three items, three grades each.

    Counts (2,1), (3,0), (0,3): P_i = (2·1+1·0)/(3·2) = 1/3, 1, 1, mean 7/9. Shares 5/9 and 4/9: Pe = 41/81.
    Kappa = (63/81 - 41/81) / (40/81) = 22/40 = 0.55.
    """
    found = measure([[0, 0, 1], [0, 0, 0], [1, 1, 1]])
    assert found.fleiss_kappa.value == pytest.approx(0.55)
    assert found.fleiss_kappa.word == "moderate"


def test_fleiss_with_unequal_numbers_of_grades() -> None:
    """Counts (2,0), (1,1), (1,3): P_i = 1, 0, 6/12, mean 1/2. Shares 4/8 and 4/8: Pe = 1/2, kappa 0."""
    assert measure([[0, 0], [0, 1], [0, 1, 1, 1]]).fleiss_kappa.value == pytest.approx(0)


def test_krippendorff_2011_example() -> None:
    """Four observers, twelve units, missing values: Krippendorff 2011, section C: nominal 0.743, ordinal
    0.815, interval 0.849."""
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[row[u] for row in table if row[u] is not None] for u in range(12)]
    found = measure(units)  # type: ignore[arg-type]
    assert found.alpha_nominal.value == pytest.approx(0.743, abs=0.0005)
    assert found.alpha_ordinal.value == pytest.approx(0.815, abs=0.0005)
    assert found.alpha_interval.value == pytest.approx(0.849, abs=0.0005)
    assert (found.items_used, found.items_left_out, found.grades_used) == (11, 1, 40)


@given(items_of_grades)
@settings(deadline=None)
def test_equal_to_the_krippendorff_package(grades: list[list[int]]) -> None:
    pairable = [item for item in grades if len(item) > 1]
    assume(len({grade for item in pairable for grade in item}) > 1)
    counts = np.array([[item.count(value) for value in range(5)] for item in grades])
    found = measure(grades)  # type: ignore[arg-type]
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(value_counts=counts, value_domain=np.arange(5), level_of_measurement=level)
        assert getattr(found, f"alpha_{level}").value == pytest.approx(expected, abs=1e-8)


@given(items_of_grades, st.randoms())
@settings(deadline=None)
def test_order_and_naming_of_labels(grades: list[list[int]], random: object) -> None:
    """Shuffled rows give the same bytes; an increasing straight line leaves even the interval alpha alone."""
    rows = [(f"i{n}", grade) for n, item in enumerate(grades) for grade in item]
    found = measure_agreement(*zip(*rows, strict=True), draws=20)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert measure_agreement(*zip(*rows, strict=True), draws=20) == found
    moved = measure_agreement([item for item, _ in rows], [3 * grade + 7 for _, grade in rows], draws=20)
    assert moved.alpha_interval.value == pytest.approx(found.alpha_interval.value, abs=1e-8)
    for coefficient in (found.fleiss_kappa, found.alpha_nominal, found.alpha_ordinal, found.alpha_interval):
        assert (coefficient.value is None) == (coefficient.reason is not None)
        assert coefficient.value is None or coefficient.value <= 1


@pytest.mark.parametrize(
    ("grades", "reason"),
    [
        ([], "no item has two grades"),
        ([[1], [2]], "no item has two grades"),
        ([[3, 3], [3, 3, 3], [1]], "all grades are the same, so that chance alone gives full agreement"),
    ],
)
def test_undefined_is_named(grades: list[list[float]], reason: str) -> None:
    found = measure(grades)
    for coefficient in (found.fleiss_kappa, found.alpha_nominal, found.alpha_ordinal, found.alpha_interval):
        assert (coefficient.value, coefficient.low, coefficient.reason) == (None, None, reason)


def test_draws_with_a_single_label_are_left_out() -> None:
    """Two items, (0,0) and (4,4): half of all draws hold one of them twice: undefined there."""
    found = measure([[0, 0], [4, 4]], draws=2000).alpha_interval
    assert found.value == 1
    assert (found.low, found.high) == (1, 1)
    assert found.draws_left_out == pytest.approx(1000, abs=100)


def test_a_single_item_has_no_interval() -> None:
    """Each draw would hold the item itself, and the interval would be its value."""
    found = measure([[0, 4, 4], [1]])
    for coefficient in (found.fleiss_kappa, found.alpha_nominal, found.alpha_ordinal, found.alpha_interval):
        assert coefficient.value is not None
        assert (coefficient.low, coefficient.high, coefficient.reason) == (None, None, None)
    two = measure([[0, 4, 4], [1, 1, 4]]).fleiss_kappa
    assert (two.low is None, two.high is None) == (False, False)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """300 simulated studies of 100 items, three graders, agreement by construction: a grade is the item's
    with probability sqrt(a), else random, so that two agree beyond chance with probability a = 0.5. The
    population's alpha is then 0.5; the interval must cover it in about 95 % (standard error 1.3 %)."""
    rng, hits = np.random.default_rng(5), 0
    for study in range(300):
        truth = rng.integers(0, 5, (100, 1))
        grades = np.where(rng.random((100, 3)) < np.sqrt(0.5), truth, rng.integers(0, 5, (100, 3)))
        found = measure(grades.tolist(), draws=300, seed=study).alpha_nominal
        assert found.low is not None and found.high is not None  # noqa: PT018
        hits += found.low <= 0.5 <= found.high
    assert 0.90 <= hits / 300 <= 0.98


def test_json_has_plain_values_only() -> None:
    import json

    text = json.dumps(measure([[0, 0, 1], [4, 4], [2]]).to_json(), allow_nan=False)
    found = json.loads(text)
    assert set(found) == {"fleiss_kappa", "krippendorff_alpha", "grades_per_item"}
    assert found["grades_per_item"] == {
        "smallest": 1,
        "mean": 2,
        "largest": 3,
        "items_by_count": {"1": 1, "2": 1, "3": 1},
    }
    assert json.dumps(measure([]).to_json(), allow_nan=False)


def test_words_of_landis_and_koch() -> None:
    values = [-0.1, 0, 0.2, 0.21, 0.4, 0.6, 0.8, 0.81, 1]
    words = ["poor", "slight", "slight", "fair", "fair", "moderate", "substantial", "almost perfect"]
    assert [landis_koch(value) for value in values] == [*words, "almost perfect"]


def test_a_grade_that_is_no_number_is_refused() -> None:
    with pytest.raises(StatisticsError, match="finite"):
        measure([[0, float("nan")]])
