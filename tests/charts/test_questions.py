"""Exhibits of agreement, survey and precision say what their documents say, at the edges too."""

from copy import deepcopy
from typing import Any

import pytest

from app.charts import (
    agreement_sentences,
    cohen_map,
    enough_sentences,
    half_widths,
    question_agreement,
    ranking_over_time,
    survey,
)
from app.charts.latex import render_latex
from app.charts.tables import Measured, Share, Table
from app.statistics.question_agreement import measure_question, measure_strata
from app.statistics.survey import SurveyGrades, survey_table
from tests.charts import questions
from tests.charts.study import SYSTEMS


def column(table: Table, key: str) -> list[Any]:
    place = [each.key for each in table.columns].index(key)
    return [row[place].value for row in table.rows]


def test_the_tables_of_agreement_hold_each_stratum() -> None:
    whole, strata = questions.agreement()
    exhibit = question_agreement.question_agreement("x", whole, strata)
    assert column(exhibit.table, "items") == ["All items", "nominal", "<i>x</i>"]
    kappas = [each["coefficients"]["fleiss_kappa"] for each in (whole, *(s["agreement"] for s in strata))]
    assert column(exhibit.table, "fleiss") == [Measured(k["value"], k["low"], k["high"]) for k in kappas]
    assert column(exhibit.table, "items_without") == [None, 0, 5]
    known = question_agreement.question_agreement("x", whole, strata, items_without_grade=6)
    assert column(known.table, "items_without") == [6, 0, 5]
    majorities, tops = exhibit.extra
    assert column(majorities, "majority_items")[0] == Share(whole["majority"]["count"], whole["majority"]["of"])
    # Of the items with three grades: at least one, two, three times the top grade, never more often than before.
    counts = [share.count for share in column(tops, "items")]
    assert len(counts) == 3
    assert counts == sorted(counts, reverse=True)
    assert counts[1] == whole["top_majority"]["count"]


def test_the_map_shows_each_pair_twice_and_the_table_once() -> None:
    whole, _ = questions.agreement()
    exhibit = cohen_map.pairwise_kappa("x", whole)
    assert exhibit.figure is not None
    z = exhibit.figure["data"][0]["z"]
    assert [list(row) for row in zip(*z, strict=True)] == z
    shown = sorted(value for row in z for value in row if value is not None)
    known = [pair["linear"]["value"] for pair in whole["pairs"] if pair["linear"]["value"] is not None]
    assert shown == pytest.approx(sorted(2 * known), abs=1e-4)
    assert all(z[place][place] is None for place in range(4))
    assert len(exhibit.table.rows) == len(whole["pairs"]) == 5
    assert "No value for" not in exhibit.table.caption
    assert "Pairs with no common item, 1, are left out." in exhibit.table.caption


def test_of_many_pairs_those_with_the_most_common_items_are_shown() -> None:
    whole, _ = questions.agreement()
    table = cohen_map.pairwise_kappa("x", whole, most_rows=2).table
    most = sorted((pair["items"] for pair in whole["pairs"]), reverse=True)[:2]
    assert column(table, "items") == most
    assert "The 2 of 5 pairs with the most common items; the files hold all." in table.caption


def test_pairs_with_too_few_common_items_say_why() -> None:
    whole, _ = questions.agreement()
    fewer = deepcopy(whole)
    empty = {"value": None, "low": None, "high": None, "word": None, "reason": "fewer than 10 common items"}
    for pair in fewer["pairs"][1:]:
        pair |= {"unweighted": empty, "linear": empty, "quadratic": empty}
    exhibit = cohen_map.pairwise_kappa("x", fewer)
    assert "No value for 4 of the pairs: fewer than 10 common items." in exhibit.table.caption
    assert exhibit.reading.startswith("The one pair that can be compared, ")
    fewer["pairs"] = fewer["pairs"][1:]
    nothing = cohen_map.pairwise_kappa("x", fewer)
    assert nothing.figure is None
    assert nothing.reading == "No pair of annotators can be compared yet: fewer than 10 common items."


def test_nothing_graded_yet() -> None:
    exhibit = question_agreement.question_agreement("x", questions.nobody())
    assert exhibit.figure is None
    assert exhibit.reading == "Agreement can’t be measured: no item has two grades."
    assert "No value for All items: no item has two grades." in exhibit.table.caption
    assert cohen_map.pairwise_kappa("x", questions.nobody()).reading == (
        "No two annotators have graded the same item yet."
    )
    empty = survey.survey(questions.survey(empty=True))
    assert empty.figure is None
    assert empty.reading == (
        "No nominal and no perturbed prompt has a grade for naturalness yet. "
        "No pair has a grade for semantic similarity yet."
    )


def test_agreement_in_words() -> None:
    whole, strata = (deepcopy(each) for each in questions.agreement())
    whole["coefficients"]["fleiss_kappa"] |= {"value": 0.5, "low": 0.4, "high": 0.6, "word": "moderate"}
    whole["coefficients"]["krippendorff_alpha"]["ordinal"] |= {"value": 0.7, "low": 0.6, "high": 0.8}
    whole["coefficients"]["krippendorff_alpha"]["ordinal"]["word"] = "substantial"
    whole["majority"] |= {"count": 30, "of": 40}
    whole["top_majority"] |= {"count": 7}
    for stratum, value in zip(strata, (0.3, 0.45), strict=True):
        stratum["agreement"]["coefficients"]["fleiss_kappa"]["value"] = value
    assert agreement_sentences.question(whole, strata, "ordinal") == (
        "On the exact grade annotators agree moderately (Fleiss’ κ 0.500, 95 % interval 0.400 to 0.600); on the "
        "order of the grades substantially (Krippendorff’s α 0.700, 95 % interval 0.600 to 0.800). 30 of 40 items "
        "(75.0 %) have one grade with a strict majority; in 7 it is the top grade, 4 (at least two of three). Of the "
        "strata annotators agree most on <i>x</i> (κ 0.450) and least on nominal (κ 0.300)."
    )
    whole["top_counts"] = [{"grades": n, "top": top, "items": 1 + top} for n in (3, 5) for top in range(n + 1)]
    assert "4 (at least three of five in 15 of the 21 items with five grades)." in agreement_sentences.question(
        whole, strata, "ordinal"
    )


def test_few_items_are_neither_compared_nor_given_an_interval() -> None:
    """Strata of four and of five items: κ of the four stays, without an interval, and no sentence praises it."""
    given = {f"i{number}": (0.0, float(number % 2)) for number in range(9)}
    rows = [(name, who, value) for name, two in given.items() for who, value in zip("ab", two, strict=True)]
    items, annotators, labels = zip(*rows, strict=True)
    strata = {"four": list(given)[:4], "five": list(given)[4:]}
    whole = questions.stored(measure_question(items, annotators, labels, draws=100).to_json())
    parts = [
        questions.stored(each.to_json()) for each in measure_strata(items, annotators, labels, strata, draws=100)
    ]
    exhibit = question_agreement.question_agreement("x", whole, parts)
    found = {row["items"]: row for row in exhibit.table.flat_rows()}
    assert found["four"]["fleiss"] is not None
    assert (found["four"]["fleiss_low"], found["four"]["alpha_ordinal_high"]) == (None, None)
    assert None not in (found["five"]["fleiss_low"], found["All items"]["fleiss_low"])
    assert "No interval where there are fewer than 5 items." in exhibit.table.caption
    assert "Of the strata" not in exhibit.reading
    assert "of 9 items (" in exhibit.reading


def test_the_survey_in_words_and_rows() -> None:
    document = deepcopy(questions.survey())
    exhibit = survey.survey(document)
    assert column(exhibit.table, "question") == [
        "Naturalness, nominal",
        "Naturalness, perturbed",
        "Semantic similarity, perturbed",
    ]
    assert column(exhibit.extra[0], "transformation") == ["typos", "<i>x</i>"] * 2
    assert " less (95 % interval of the change −" in exhibit.reading
    document["naturalness_change"] |= {"value": -0.01, "low": -0.05, "high": 0.03}
    assert ": no difference that these grades could tell from none (" in survey.survey(document).reading


def test_the_survey_says_what_its_shares_and_its_kappa_rest_on() -> None:
    """Shares weigh items and not grades, and an item with one grade is in no kappa."""
    similarity = SurveyGrades(["a", "b", "b", "b"], [0.0, 1.0, 1.0, 1.0])  # 3 of 4 grades, half of the items
    document = questions.stored(
        survey_table(SurveyGrades([], []), similarity, [], {}, {"typos": ["a", "b", "c"]}, draws=10).to_json()
    )
    exhibit = survey.survey(document)
    assert "On average 50.0 % of the grades of a pair say that the meaning is exactly preserved" in exhibit.reading
    row = next(row for row in exhibit.table.flat_rows() if row["question"] == "Semantic similarity, perturbed")
    assert (row["items"], row["items_with_two"], row["items_with_one"], row["items_without_grade"]) == (2, 1, 1, 1)
    assert "1 (% of an item’s grades)".replace("%", "\\%") in render_latex(exhibit.table)


def test_half_widths_of_table_and_figure_agree() -> None:
    document = questions.stored(questions.precision().to_json())
    exhibit = half_widths.system_half_widths(document)
    assert exhibit.figure is not None
    first = exhibit.figure["data"][0]
    assert column(exhibit.table, "grades_3")[0] == pytest.approx(first["y"][first["x"].index(3)], abs=1e-4)
    assert column(exhibit.table, "half_width") == [each["half_width"] for each in document["systems"]]
    assert column(exhibit.extra[0], "a") == [SYSTEMS[0], SYSTEMS[0], SYSTEMS[1]]


def test_what_a_pair_needs_in_words() -> None:
    found = questions.precision(spread=1.5)
    document = questions.stored(found.to_json())
    pair: dict[str, Any] = questions.stored(found.pair(SYSTEMS[1], SYSTEMS[0]).to_json())
    need = {"chance": 0.5, "problems": 60, "more_items": 90, "grades": 7, "more_grades": 300}
    need |= {"problems_reason": None, "grades_reason": None}
    pair |= {"difference": 3.0, "half_width": 4.0, "separated": False}
    pair["needs"] = [need, need | {"chance": 0.8, "problems": 120}]
    first, second = SYSTEMS[1], SYSTEMS[0]
    assert enough_sentences.pair(document, pair) == (
        f"{first} is 3.00 points above {second}, ±4.00: not told apart at 95 %. If the difference stays, its "
        "interval would just exclude 0 with 30 more problems (90 items) or seven grades on every item (300 grades "
        "more). To tell them apart with a chance of 80 % takes 120 problems in all."
    )
    pair["needs"] = [need | {"grades": None, "more_grades": None, "grades_reason": "not within 100 grades an item"}]
    assert "; with grades alone: not within 100 grades an item." in enough_sentences.pair(document, pair)
    pair |= {"difference": -3.0, "half_width": 2.0, "separated": True, "needs": []}
    assert enough_sentences.pair(document, pair) == (
        f"{second} is 3.00 points above {first}, ±2.00: told apart at 95 %."
    )
    assert half_widths.pair_half_widths(document, pair).table.rows
    pair |= {"difference": None, "half_width": None, "reason": "plain: fewer than 10 problems have a grade for it"}
    exhibit = half_widths.pair_half_widths(document, pair)
    assert exhibit.figure is None
    assert "can’t be compared yet: plain: fewer than 10 problems" in exhibit.reading


def test_too_few_problems_for_any_system() -> None:
    exhibit = half_widths.system_half_widths(questions.stored(questions.precision(problems=5).to_json()))
    assert exhibit.figure is None
    assert exhibit.reading == (
        "There is nothing to tell yet: for every system, fewer than 10 problems have a grade for it."
    )


def test_the_ranking_over_time_in_words() -> None:
    settled = deepcopy(questions.stability())
    settled |= {"grades": 200, "since": 50, "sure_since": 20, "pairs": 3, "sure_pairs": 2}
    assert enough_sentences.stability(settled) == (
        "The order of all systems has not changed over the last 150 of 200 grades. "
        "The order of the 2 of 3 pairs that are told apart at 95 % has stood for 180."
    )
    settled |= {"since": settled["checkpoints"][-1]["grades"], "sure_since": None, "sure_pairs": 0}
    assert enough_sentences.stability(settled) == (
        "The order of the systems still changed with the last of the 200 grades. "
        "No two systems are told apart at 95 %, so that any order may still change."
    )
    stored = questions.stability()["checkpoints"]
    exhibit = ranking_over_time.ranking_over_time(questions.stability())
    assert column(exhibit.table, "tau")[-1] == 1
    assert exhibit.figure is not None
    assert exhibit.figure["data"][0]["x"] == [each["grades"] for each in stored if each["tau"] is not None]
