"""What people and checks say of perturbed prompts: tables, figures and sentences follow the numbers."""

import pytest

from app.charts.reasons import REASONS
from app.charts.robustness_checks import checks_against_people
from app.charts.robustness_people import survey_by_benchmark, survey_by_category
from app.charts.robustness_scores import mean_scores
from app.statistics import robustness_checks as reasons
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
    exhibit = survey_by_benchmark([("HumanEval", document), ("MBPP", document)])
    nominal = next(iter(exhibit.table.flat_rows()))
    assert (
        nominal["HumanEval_mean"]
        == nominal["MBPP_mean"]
        == document["categories"]["table"]["rows"][0]["mean"]["value"]
    )
    assert exhibit.reading.startswith("HumanEval: ")


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
