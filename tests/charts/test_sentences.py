"""Sentences say what the numbers say, in good English, at the edges too."""

from copy import deepcopy
from typing import Any

import pytest

from app.charts import sentences, words
from app.charts.results import Results
from tests.charts.study import analysed


def changed(change: dict[str, Any]) -> Results:
    results = analysed()
    return Results(deepcopy(results.document) | change, deepcopy(results.pairs))


def with_verdicts(verdicts: dict[str, list[int]], differences: dict[str, list[float]]) -> Results:
    """A study whose pairs are just these."""
    metrics = [name for name in verdicts if name != "human"]
    kinds = Results({}, {"verdicts": verdicts})
    totals = {name: 100 * float((kinds.kinds(name) != 0).mean()) for name in metrics}
    document = {
        "agreement": {name: {"total_mismatch": totals[name]} for name in metrics},
        "metric_labels": {"bleu": "BLEU", "chrf": "chrF"},
        "bins": [[0, 2], [2, 5], [5, 100]],
        "pairs": len(verdicts["human"]),
    }
    return Results(document, {"verdicts": verdicts, "differences": differences})


def test_no_metric_is_right_below_the_first_good_range() -> None:
    people, size = [1, 1, 1], [1.0, 3.0, 9.0]
    results = with_verdicts(
        {"human": people, "bleu": [-1, -1, -1], "chrf": [0, -1, 1]}, {"human": size, "bleu": size, "chrf": size}
    )
    assert sentences.agreement(results) == (
        "On this study no metric is right in 95 % of pairs below a difference of 5 points; "
        "chrF errs least, in 66.7 % of all pairs."
    )


def test_ties_for_the_least_errors_and_none_wrong() -> None:
    verdicts, size = [1, 0, -1], [1.0, 3.0, -9.0]
    results = with_verdicts(
        {"human": verdicts, "bleu": verdicts, "chrf": verdicts}, {"human": size, "bleu": size, "chrf": size}
    )
    assert sentences.agreement(results) == (
        "On this study BLEU and chrF are right in 95 % of pairs even below a difference of 2 points; "
        "BLEU and chrF err least, in 0 % of all pairs."
    )


def test_never_right() -> None:
    results = with_verdicts({"human": [1, 1], "bleu": [-1, 0]}, {"human": [1.0, 9.0], "bleu": [1.0, 9.0]})
    assert "no metric is right in 95 % of pairs at any difference" in sentences.agreement(results)
    assert "BLEU misses one that people see in 1 and points the other way in 1." in sentences.points_of(
        results, "bleu"
    )


def test_advice_names_who_has_none() -> None:
    advice = {
        "bleu": {"delta": None, "pairs": 9, "mismatches": 0, "reason": "fewer than 20 pairs of systems"},
        "chrf": {"delta": 5.26, "pairs": 30, "mismatches": 1, "reason": None},
        "mine": {"delta": None, "pairs": 9, "mismatches": 0, "reason": "fewer than 20 pairs of systems"},
    }
    text = sentences.advice(changed({"advice": advice}))
    assert "from 5.3 points of chrF on." in text
    assert text.endswith("For BLEU and My_metric <1> there is no such difference: fewer than 20 pairs of systems.")


def test_significance_without_any_sure_range() -> None:
    results = changed({"significance": {name: [[1, 9]] * 4 for name in ("human", "bleu", "chrf", "mine")}})
    assert sentences.significance(results) == (
        "Below a difference of 2 points 10 % of the pairs are significant, depending on the metric; "
        "at no difference do all metrics tell 95 % of the pairs apart."
    )


def test_significance_with_empty_ranges() -> None:
    results = changed({"significance": {name: [[0, 0]] * 3 + [[4, 0]] for name in ("human", "bleu", "chrf", "mine")}})
    assert sentences.significance(results).endswith(".")
    assert "nan" not in sentences.significance(results)


def test_agreement_that_cannot_be_measured() -> None:
    none = {"value": None, "reason": "no item has two grades"}
    text = sentences.annotators({"fleiss_kappa": none, "krippendorff_alpha": {"ordinal": none}})
    assert text == "Agreement can’t be measured: no item has two grades."


@pytest.mark.parametrize(
    ("items", "wanted", "text"),
    [
        ({}, 3, "There is no item to grade yet."),
        ({3: 1}, 3, "All 1 items have the 3 grades asked for. The mean is 3.00."),
        ({0: 1, 1: 3}, 1, "3 of 4 items have the 1 grade asked for. The mean is 0.75. 1 has none."),
    ],
)
def test_grades_per_item(items: dict[int, int], wanted: int, text: str) -> None:
    assert sentences.grades_per_item(items, wanted) == text


def test_grades_per_annotator() -> None:
    assert sentences.grades_per_annotator([]) == "Nobody has graded yet."
    assert sentences.grades_per_annotator([("a", 1200)]) == "a gave all 1,200 grades."
    assert sentences.grades_per_annotator([("a", 3), ("b", 1)]) == (
        "Two annotators gave 4 grades; a gave most, 3 (75.0 %)."
    )


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 9, "0 %"), (9, 9, "100 %"), (1, 9999, "under 0.1 %"), (9998, 9999, "over 99.9 %"), (17, 200, "8.5 %")],
)
def test_a_percentage_is_exact_only_where_it_is(part: int, whole: int, text: str) -> None:
    assert words.percent(part, whole) == text


def test_every_sentence_of_a_real_study_is_one() -> None:
    results = analysed()
    a, b = results.original_names[:2]
    for text in (
        sentences.scores(results),
        sentences.comparison(results, a, b, results.comparison(a, b)),
        sentences.points_of(results, "chrf"),
        sentences.significance(results),
        sentences.agreement(results),
    ):
        assert text[0].isupper() or text.startswith("chrF")
        assert text.endswith(".")
        assert "  " not in text
        assert "None" not in text
