"""Sentences say what the numbers say, in good English, at the edges too."""

from copy import deepcopy
from typing import Any

import pytest

from app.charts import pair_sentences, progress_sentences, sentences, words
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
    people, size = [1, 1, 1] * 20, [1.0, 3.0, 9.0] * 20
    verdicts = {"human": people, "bleu": [-1, -1, -1] * 20, "chrf": [0, -1, 1] * 20}
    results = with_verdicts(verdicts, {"human": size, "bleu": size, "chrf": size})
    assert pair_sentences.all_pairs(results) == (
        "Counting also pairs that a metric can’t tell apart, "
        "no metric is right in 95 % of pairs less than 5 points apart; "
        "chrF errs least, in 66.7 % of all pairs."
    )


def test_ties_for_the_least_errors_and_none_wrong() -> None:
    verdicts, size = [1, 0, -1] * 20, [1.0, 3.0, -9.0] * 20
    results = with_verdicts(
        {"human": verdicts, "bleu": verdicts, "chrf": verdicts}, {"human": size, "bleu": size, "chrf": size}
    )
    assert pair_sentences.all_pairs(results) == (
        "Counting also pairs that a metric can’t tell apart, "
        "BLEU and chrF are right in 95 % of pairs less than 2 points apart; all metrics err in no pair."
    )


def test_too_few_pairs_prove_no_metric_right() -> None:
    verdicts, size = [1] * 19, [1.0] * 19
    results = with_verdicts({"human": verdicts, "bleu": verdicts}, {"human": size, "bleu": size})
    assert "no Δ range holds the 20 pairs that it takes to judge a metric" in pair_sentences.all_pairs(results)
    far = [-1] * 20 + [1] * 20
    results = with_verdicts(
        {"human": verdicts + [1] * 40, "bleu": verdicts + far},
        {"human": size + [3.0] * 20 + [9.0] * 20, "bleu": size + [3.0] * 20 + [9.0] * 20},
    )
    text = pair_sentences.all_pairs(results)
    assert "no metric is right in 95 % of pairs less than 5 points apart (where a range holds under 20" in text


def test_never_right() -> None:
    size = [1.0, 9.0] * 20
    results = with_verdicts({"human": [1, 1] * 20, "bleu": [-1, 0] * 20}, {"human": size, "bleu": size})
    assert "no metric is right in 95 % of pairs in any Δ range" in pair_sentences.all_pairs(results)
    assert (
        "BLEU misses a difference that people see in 20 and points the other way in 20."
        in pair_sentences.points_of(results, "bleu")
    )


def test_advice_names_who_has_none() -> None:
    advice = {
        "bleu": {"delta": None, "pairs": 9, "mismatches": 0, "reason": "fewer than 20 pairs of systems"},
        "chrf": {"delta": 5.26, "pairs": 30, "mismatches": 1, "reason": None},
        "mine": {"delta": None, "pairs": 9, "mismatches": 0, "reason": "fewer than 20 pairs of systems"},
    }
    text = pair_sentences.advice(changed({"advice": advice}))
    assert "from this Δ on, in points: chrF 5.3." in text
    assert "trusted" not in text
    assert text.endswith("For BLEU and My_metric <1> there is no such difference: fewer than 20 pairs of systems.")


def test_significance_without_any_sure_range() -> None:
    results = changed({"significance": {name: [[1, 9]] * 4 for name in ("human", "bleu", "chrf", "mine")}})
    assert sentences.significance(results) == (
        "Below a difference of 2 points 10 % of the pairs are significant, whichever the metric; "
        "at no difference do all metrics tell 95 % of the pairs apart."
    )


def test_significance_with_empty_ranges() -> None:
    results = changed({"significance": {name: [[0, 0]] * 3 + [[4, 0]] for name in ("human", "bleu", "chrf", "mine")}})
    assert sentences.significance(results).endswith(".")
    assert "nan" not in sentences.significance(results)


def test_agreement_that_cannot_be_measured() -> None:
    none = {"value": None, "reason": "no item has two grades"}
    text = progress_sentences.annotators({"fleiss_kappa": none, "krippendorff_alpha": {"ordinal": none}})
    assert text == "Agreement can’t be measured: no item has two grades."


@pytest.mark.parametrize(
    ("items", "wanted", "text"),
    [
        ({}, 3, "There is no item to grade yet."),
        ({3: 1}, 3, "The one item has the 3 grades asked for. The mean is 3.00."),
        ({0: 1, 1: 3}, 1, "3 of 4 items have the 1 grade asked for. The mean is 0.75. 1 has none."),
        ({1: 24}, 3, "None of the 24 items has the 3 grades asked for. The mean is 1.00."),
    ],
)
def test_grades_per_item(items: dict[int, int], wanted: int, text: str) -> None:
    assert progress_sentences.grades_per_item(items, wanted) == text


def test_grades_per_annotator() -> None:
    assert progress_sentences.grades_per_annotator([]) == "Nobody has graded yet."
    assert progress_sentences.grades_per_annotator([("a", 1200)]) == "a gave all 1,200 grades."
    assert progress_sentences.grades_per_annotator([("a", 3), ("b", 1)]) == (
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
        pair_sentences.comparison(results, a, b, results.comparison(a, b)),
        pair_sentences.points_of(results, "chrf"),
        sentences.significance(results),
        pair_sentences.all_pairs(results),
    ):
        assert text[0].isupper() or text.startswith("chrF")
        assert text.endswith(".")
        assert "  " not in text
        assert "None" not in text


def test_agreement_in_words_and_with_a_true_minus() -> None:
    cell = {"value": -0.1234, "low": -0.2, "high": 0.1, "word": "poor", "reason": None}
    text = progress_sentences.annotators({"fleiss_kappa": cell, "krippendorff_alpha": {"ordinal": cell}})
    assert text == (
        "On the exact grade annotators agree poorly (Fleiss’ κ −0.123, 95 % interval −0.200 to 0.100); "
        "on the order of the grades poorly, too (Krippendorff’s α −0.123, 95 % interval −0.200 to 0.100)."
    )


def with_scores(**scores: tuple[float, ...]) -> Results:
    """Three systems with these scores, none told apart."""
    names = ("s1", "s2", "s3")
    systems = [
        {
            "name": name,
            "synthetic": False,
            "scores": {m: {"score": row[n], "low": row[n], "high": row[n]} for m, row in scores.items()},
        }
        for n, name in enumerate(names)
    ]
    cell = {"p_a_greater": 0.0, "p_equal": 1.0}
    pairs = [{"a": a, "b": b} | dict.fromkeys(scores, cell) for a, b in (names[:2], names[1:], names[::2])]
    metrics = dict.fromkeys([name for name in scores if name != "human"], None)
    document = {
        "systems": systems,
        "original_pairs": pairs,
        "agreement": metrics,
        "metric_labels": {},
        "settings": {"ties": "strict"},
    }
    return Results(document, {})


def test_first_places_are_shared() -> None:
    equal, down, up = (50.0, 50.0, 50.0), (3.0, 2.0, 1.0), (1.0, 2.0, 3.0)
    text = sentences.scores(with_scores(human=equal, x=equal, y=up))
    assert text.endswith("all three systems equal, at 50.00 points. Every metric but y (s3) puts them first, too.")
    text = sentences.scores(with_scores(human=(5.0, 5.0, 1.0), x=(5.0, 5.0, 1.0)))
    assert text == "People rate s1 and s2 equally best, at 5.00 points. x puts them first, too."
    text = sentences.scores(with_scores(human=down, x=(3.0, 3.0, 1.0), y=equal))
    assert "not significantly above s2" in text
    assert text.endswith("No metric has the same first place: x (s1 and s2) and y (all equal).")


def test_draws_that_are_all_ties_tell_nothing_apart() -> None:
    results = with_scores(human=(5.0, 5.0, 1.0))
    for a, b in (("s1", "s2"), ("s2", "s1")):
        assert results.verdict_between("human", a, b) == 0
        assert not results.is_told_apart("human", a, b)


def test_a_pair_has_one_verdict_from_both_sides() -> None:
    results = with_scores(human=(1.0, 2.0, 3.0))
    results.document["original_pairs"][0]["human"] = {"p_a_greater": 0.04, "p_equal": 0.5}
    assert results.verdict_between("human", "s1", "s2") == -1
    assert results.verdict_between("human", "s2", "s1") == 1
