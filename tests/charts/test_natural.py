"""What people and checks say of perturbed prompts: tables, figures and sentences follow the numbers."""

from typing import Any

import pytest

from app.charts.measured import Document
from app.charts.reasons import REASONS
from app.charts.robustness_checks import checks_against_people
from app.charts.robustness_people import of_questions, survey_by_category
from app.charts.robustness_scores import mean_scores
from app.charts.robustness_surveys import surveys_side_by_side
from app.statistics import robustness_checks as reasons
from app.statistics.robustness_checks import checks_against_people as against
from app.statistics.robustness_survey import robustness_survey
from app.statistics.survey import SurveyGrades
from tests.charts import robust
from tests.words.marked import marked_words


def test_the_table_by_category_has_shares_majority_and_kappa() -> None:
    document = robust.survey()
    exhibit = survey_by_category(document)
    rows = list(exhibit.table.flat_rows())
    assert [(row["question"], row["prompts"]) for row in rows] == [
        ("Naturalness", "Nominal prompts"),
        ("Naturalness", "All perturbed prompts"),
        ("Naturalness", "Docstring"),
        ("Naturalness", "Format"),
        ("Semantic similarity", "All perturbed prompts"),
        ("Semantic similarity", "Docstring"),
        ("Semantic similarity", "Format"),
    ]
    for row, source, majority in zip(
        rows, document["categories"]["table"]["rows"], document["categories"]["majorities"], strict=True
    ):
        assert row["mean"] == source["mean"]["value"]
        assert sum(row[f"label_{label}"] for label in ("0", "0.5", "1")) == pytest.approx(100)
        assert row["majority_count"] == majority["labels"][-1]["share"]["count"]
        assert row["kappa"] == source["kappa"]["value"]
    single = [row["prompts"] for row in exhibit.extra[0].flat_rows()]
    assert single.count("ButterFingers (docstring)") == 2


def test_few_items_have_no_interval() -> None:
    """Of two items, or four, the bootstrap's interval is too narrow; the numbers themselves stay."""
    exhibit = survey_by_category(_survey_of(4, 5))
    rows = {row["prompts"]: row for row in exhibit.table.flat_rows()}
    few, enough = rows["Docstring"], rows["Format"]
    assert few["mean"] is not None
    assert few["kappa"] is not None
    assert {few[f"{name}_{end}"] for name in ("mean", "kappa", "label_1") for end in ("low", "high")} == {None}
    assert None not in {enough[f"{name}_{end}"] for name in ("mean", "kappa", "label_1") for end in ("low", "high")}
    why = "No interval where there are fewer than 5 items."
    beside = surveys_side_by_side([("One", _survey_of(4, 5))], name="one", title="One")
    assert next(beside.extra[0].flat_rows())["One_mean_low"] is None
    for table in (exhibit.table, exhibit.extra[0], beside.extra[0]):
        assert why in table.caption
    assert "No interval" not in survey_by_category(robust.survey()).table.caption


def test_the_sentence_compares_only_categories_with_items_enough() -> None:
    assert "Least natural are" in survey_by_category(_survey_of(5, 5)).reading
    assert "Least natural are" not in survey_by_category(_survey_of(4, 5)).reading


def _survey_of(docstrings: int, halves: int) -> Document:
    """Two grades of each item: some agree, some don't."""
    given = {f"d{number}": (0.0, 0.5 * (number % 2)) for number in range(docstrings)}
    given |= {f"f{number}": (1.0, 1.0 - 0.5 * (number % 2)) for number in range(halves)}
    grades = SurveyGrades(
        [name for name in given for _ in range(2)], [each for two in given.values() for each in two]
    )
    items = {
        "docstring/ButterFingers": [name for name in given if name.startswith("d")],
        "format/Tab-Indent": [name for name in given if name.startswith("f")],
    }
    categories = {name: name.partition("/")[0] for name in items}
    found = robustness_survey(grades, SurveyGrades([], []), [], items, {}, category_of=categories, draws=200)
    document: Document = robust.stored(found.to_json())
    return document


def test_bars_are_the_shares() -> None:
    exhibit = survey_by_category(robust.survey())
    assert exhibit.figure is not None
    bars = exhibit.figure["data"]
    assert [trace["name"] for trace in bars] == [
        "0: not natural / totally changed",
        "0.5: possible but rare / slightly changed",
        "1: natural / exactly preserved",
    ]
    for place in range(len(bars[0]["x"])):
        assert sum(trace["x"][place] for trace in bars) == pytest.approx(100, abs=0.01)
    assert len(set(bars[0]["y"])) == 7


def test_the_sentence_tells_majorities_and_extremes() -> None:
    document = robust.survey()
    reading = survey_by_category(document).reading
    top = document["categories"]["majorities"][1]["labels"][-1]["share"]
    assert f"Most annotators of an item call {top['count']} of 45 perturbed prompts natural." in reading
    assert "Least natural are docstring changes (mean 0." in reading
    assert "most natural format changes" in reading


def test_benchmarks_stand_side_by_side() -> None:
    document = robust.survey()
    one = document | {part: _without(document[part], "format") for part in ("categories", "transformations")}
    exhibit = surveys_side_by_side([("MBPP", one), ("HumanEval", document)], name="both", title="Both", note="So.")
    nominal = next(iter(exhibit.table.flat_rows()))
    assert (
        nominal["HumanEval_mean"]
        == nominal["MBPP_mean"]
        == document["categories"]["table"]["rows"][0]["mean"]["value"]
    )
    assert exhibit.reading.startswith("MBPP: ")
    assert exhibit.table.caption.endswith("So.")
    categories, transformations = exhibit.extra
    assert (categories.name, transformations.name) == ("both-categories", "both-transformations")
    rows = {(row["question"], row["prompts"]): row for row in categories.flat_rows()}
    assert list(rows) == [
        ("Naturalness", "Docstring"),
        ("Naturalness", "Format"),
        ("Semantic similarity", "Docstring"),
        ("Semantic similarity", "Format"),
    ]
    docstring = rows["Naturalness", "Docstring"]
    assert docstring["MBPP_kappa"] == docstring["HumanEval_kappa"]
    assert docstring["MBPP_kappa"] is not None
    assert rows["Naturalness", "Format"]["MBPP_mean"] is None
    assert rows["Naturalness", "Format"]["HumanEval_mean"] is not None


def _without(part: dict[str, Any], category: str) -> dict[str, Any]:
    rows = [row for row in part["table"]["rows"] if not (row["transformation"] or "").startswith(category)]
    return part | {"table": part["table"] | {"rows": rows}}


def test_checks_are_ranked_by_what_they_predict() -> None:
    document = robust.checks()
    exhibit = checks_against_people(document)
    rows = list(exhibit.table.flat_rows())
    assert [row["check"] for row in rows] == [
        "Embedding cosine",
        "CodeBLEU syntax",
        "<i>guess</i>",
        "CodeBLEU data flow",
    ]
    assert rows[0]["auc"] == document["checks"][0]["auc"]["value"]
    assert exhibit.figure is not None
    (points,) = exhibit.figure["data"]
    assert points["x"] == pytest.approx([100 * row["auc"] for row in rows[:3]], abs=1e-3)
    assert "No value for CodeBLEU data flow: no item has both a grade and a score." in exhibit.table.caption


def test_no_more_is_claimed_than_the_intervals_show() -> None:
    document = robust.checks()
    reading = checks_against_people(document).reading
    assert reading.startswith("Embedding cosine comes nearest to people: of an item that they call unnatural")
    assert "significantly more often than CodeBLEU syntax" in reading
    assert reading.endswith("Not told from chance: <i>guess</i>.")
    close = document | {"differences": [each | {"p": 0.2} for each in document["differences"]]}
    assert "which is not significantly more often than CodeBLEU syntax" in checks_against_people(close).reading
    assert "whose meaning they find changed" in checks_against_people(document, "similarity").reading


def test_where_no_check_tells_it_none_is_praised() -> None:
    document = robust.checks()
    guess = [each for each in document["checks"] if each["check"] == "<i>guess</i>"]
    weak = checks_against_people(document | {"checks": guess, "differences": []})
    assert weak.reading.startswith("No check tells what people call unnatural: none is told from chance.")
    share = 100 * guess[0]["auc"]["value"]
    assert f"The best, <i>guess</i>, scores such an item lower than another one in {share:.1f} %" in weak.reading
    assert "nearest to people" not in weak.reading
    assert [cell.mark for row in weak.table.rows for cell in row] == [""] * 7
    about_meaning = checks_against_people(document | {"checks": guess, "differences": []}, "similarity")
    assert about_meaning.reading.startswith("No check tells what people find changed in meaning")


def test_a_perfect_order_of_a_few_items_tells_nothing() -> None:
    """All draws of two bad and four good items keep the order: the interval would be the point 1."""
    items = [f"i{number}" for number in range(6)]
    grades = SurveyGrades(items, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    found = against(grades, {"cosine_code": {item: float(place) for place, item in enumerate(items)}}, draws=200)
    document = robust.stored(found.to_json())
    exhibit = checks_against_people(document)
    (row,) = exhibit.table.flat_rows()
    assert (row["auc"], row["auc_low"], row["auc_high"]) == (1.0, None, None)
    assert "No interval of the AUC of Cosine of code: fewer than 5 items of either kind." in exhibit.table.caption
    assert exhibit.figure is not None
    assert exhibit.figure["data"][0]["hovertext"] == ["Cosine of code: 100.0 %"]
    assert exhibit.reading == (
        "Too few items to say which check tells what people say: they find fault with 2 of 6, "
        "and it takes at least 5 of either kind."
    )
    both = robust.checks()
    mixed = both | {"checks": [*document["checks"], *both["checks"]]}
    reading = checks_against_people(mixed).reading
    assert reading.startswith("Embedding cosine comes nearest to people")
    assert reading.endswith("Not told from chance: <i>guess</i>. Too few items to say: Cosine of code.")


def test_without_a_check_the_reason_is_told() -> None:
    document = robust.checks()
    last = [each for each in document["checks"] if each["auc"]["value"] is None]
    nothing = checks_against_people(document | {"checks": last, "differences": []})
    assert nothing.figure is None
    assert nothing.extra == ()
    assert nothing.reading == "No check can be held against people: no item has both a grade and a score."
    plain = [reasons.NO_ITEM, reasons.NO_FAULT, reasons.ALL_FAULTS, reasons.NO_SPREAD]
    assert [reason for reason in plain if reason not in REASONS] == []


def test_mean_scores_by_benchmark_and_check() -> None:
    found = robust.scores()
    exhibit = mean_scores("docstring", [("HumanEval", found), ("MBPP", found[:1])])
    rows = list(exhibit.table.flat_rows())
    assert [row["stratum"] for row in rows] == ["ButterFingers", "<i>x</i>"]
    assert rows[0]["HumanEval_cosine"] == rows[0]["MBPP_cosine"] == found[0]["mean"]["value"]
    assert rows[1]["MBPP_cosine"] is None
    assert exhibit.reading.startswith("Embedding cosine is lowest under ButterFingers on HumanEval, 0.7")
    assert mean_scores("none", []).reading == "No perturbed prompt has a score yet."


def test_every_word_goes_through_the_catalogue() -> None:
    with marked_words():
        for exhibit in (survey_by_category(robust.survey()), checks_against_people(robust.checks())):
            assert "«" in exhibit.title
            assert exhibit.reading.startswith("«")
            heads = [column.title for table in exhibit.tables for column in table.columns]
            assert all(head.startswith("«") or head in {"0", "0,5", "1", "AUC", "A", "B"} for head in heads)


def test_a_question_that_is_not_asked_is_not_spoken_of() -> None:
    document = robust.survey()
    both = survey_by_category(document)
    assert "similarity" in both.reading
    for asked, other, shown in (
        ("naturalness", "similarity", "Naturalness"),
        ("similarity", "naturalness", "Semantic similarity"),
    ):
        only = of_questions(document, [asked])
        exhibit = survey_by_category(only)
        assert other not in exhibit.reading
        assert {row["question"] for row in exhibit.table.flat_rows()} == {shown}
        beside = surveys_side_by_side([("Only one", only)], name="one", title="One")
        assert all(row["question"].startswith(shown) for row in beside.table.flat_rows())
        assert other not in beside.reading
    surveys = [("Both", document), ("One", of_questions(document, ["naturalness"]))]
    two = surveys_side_by_side(surveys, name="two", title="Two")
    last = list(two.table.flat_rows())[-1]
    assert (last["question"], last["One_mean"], last["Both_mean"] is None) == (
        "Semantic similarity, perturbed",
        None,
        False,
    )
