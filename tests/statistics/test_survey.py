"""The survey's table: a case by hand, the normal interval, the pooled rows, and what is missing."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.statistics.agreement import measure_agreement
from app.statistics.survey import NATURALNESS, NOMINAL, PERTURBED, SIMILARITY, SurveyGrades, survey_table


def grades_of(by_item: dict[str, list[float]]) -> SurveyGrades:
    rows = [(item, grade) for item, grades in by_item.items() for grade in grades]
    return SurveyGrades([item for item, _ in rows], [grade for _, grade in rows])


def test_by_hand() -> None:
    """Unequal numbers of grades: each item weighs the same, so nominal is (1 + 0.25) / 2 and not 3.5 / 5."""
    naturalness = grades_of({"n1": [1, 1, 1], "n2": [0.5, 0], "b1": [0, 0.5], "s1": [1]})
    similarity = grades_of({"pair-b1": [1, 0.5], "pair-s1": [1, 1]})
    perturbed = {"butterfingers": ["b1"], "synonyms": ["s1", "s2"]}
    pairs = {"butterfingers": ["pair-b1"], "synonyms": ["pair-s1"]}
    found = survey_table(naturalness, similarity, ["n1", "n2"], perturbed, pairs, draws=200)
    assert [(row.question, row.prompts, row.transformation) for row in found.rows] == [
        (NATURALNESS, NOMINAL, None),
        (NATURALNESS, PERTURBED, None),
        (NATURALNESS, PERTURBED, "butterfingers"),
        (NATURALNESS, PERTURBED, "synonyms"),
        (SIMILARITY, PERTURBED, None),
        (SIMILARITY, PERTURBED, "butterfingers"),
        (SIMILARITY, PERTURBED, "synonyms"),
    ]
    nominal = found.rows[0]
    assert nominal.mean.value == pytest.approx(0.625)
    assert [(each.label, each.share.value) for each in nominal.shares] == [(0, 0.25), (0.5, 0.25), (1, 0.5)]
    assert (nominal.items, nominal.items_with_two, nominal.grades) == (2, 2, 5)
    assert found.row(NATURALNESS, PERTURBED).mean.value == pytest.approx((0.25 + 1) / 2)
    assert found.naturalness_change.value == pytest.approx(0)
    synonyms = found.row(NATURALNESS, PERTURBED, "synonyms")
    assert (synonyms.items, synonyms.items_without_grade, synonyms.kappa.value) == (1, 1, None)
    assert (synonyms.mean.value, synonyms.mean.low) == (1, None)  # a single item can't be resampled
    similar = found.row(SIMILARITY, PERTURBED)
    assert (similar.mean.value, similar.items, similar.items_without_grade) == (0.875, 2, 0)
    assert found.row(SIMILARITY, PERTURBED, "butterfingers").shares[2].share.value == 0.5


def test_intervals_are_the_textbook_s() -> None:
    """400 items each: the interval of a mean is near 1.96 sd / sqrt(n), that of the change its sum in quadrature.

    Were both samples drawn alike, the equal items would make the interval of the change 0 wide.
    """
    values = np.random.default_rng(1).choice([0, 0.5, 1], 400, p=[0.1, 0.3, 0.6])
    nominal = {f"n{n:03d}": [value, value] for n, value in enumerate(values)}
    perturbed = {f"p{n:03d}": [value, value] for n, value in enumerate(values)}
    found = survey_table(
        grades_of(nominal | perturbed), grades_of({}), list(nominal), {"x": list(perturbed)}, {}, draws=4000
    )
    half = 1.96 * values.std() / 20
    mean, change = found.rows[0].mean, found.naturalness_change
    assert mean.low is not None and mean.high is not None and change.low is not None and change.high is not None  # noqa: PT018
    assert (mean.high - mean.low) / 2 == pytest.approx(half, rel=0.05)
    assert (change.high - change.low) / 2 == pytest.approx(half * np.sqrt(2), rel=0.05)


@given(st.dictionaries(st.integers(0, 9), st.lists(st.sampled_from([0, 0.5, 1]), max_size=4), min_size=1))
@settings(deadline=None, max_examples=40)
def test_rows_add_up(grades: dict[int, list[float]]) -> None:
    naturalness = grades_of({f"i{item}": values for item, values in grades.items()})
    strata = {"even": [f"i{n}" for n in range(0, 10, 2)], "odd": [f"i{n}" for n in range(1, 10, 2)]}
    found = survey_table(naturalness, grades_of({}), [], strata, {}, draws=30)
    pooled, even, odd = (found.row(NATURALNESS, PERTURBED, name) for name in (None, "even", "odd"))
    assert (pooled.items, pooled.grades) == (even.items + odd.items, even.grades + odd.grades)
    assert pooled.items + pooled.items_without_grade == 10
    for row in (pooled, even, odd):
        if row.mean.value is None:
            assert row.items == 0
            continue
        shares = [(each.label, each.share.value) for each in row.shares]
        assert sum(share for _, share in shares if share is not None) == pytest.approx(1)
        assert sum(label * share for label, share in shares if share is not None) == pytest.approx(row.mean.value)
    assert pooled.kappa == measure_agreement(naturalness.items, naturalness.labels, draws=30).fleiss_kappa
    json.dumps(found.to_json(), allow_nan=False)


def test_nothing_yet_has_reasons() -> None:
    found = survey_table(grades_of({}), grades_of({}), ["n"], {"x": ["p"]}, {"x": ["q"]}, draws=10)
    for row in found.rows:
        assert (row.mean.value, row.mean.reason) == (None, "no item has a grade")
        assert row.kappa.reason == "no item has two grades"
    assert found.naturalness_change.reason == "no nominal prompt has a grade"
