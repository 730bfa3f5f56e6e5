"""Figures, tables and sentences of executed samples say what the numbers say, at the edges too."""

import statistics
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from app.charts.curves import MOST_DRAWN
from app.charts.execution_agreement import execution_agreement
from app.charts.pass_at_k import pass_at_k
from app.charts.pass_at_k_samples import compared_models, problem_by_problem
from app.charts.reasons import NUMBERED, REASONS, reason_in_words
from app.statistics import pass_at_k as pass_at_k_reasons
from app.statistics.execution_agreement import NONE_FAILS, NONE_PASSES, NOTHING_JOINED, ONE_GRADE
from app.statistics.pass_at_k import ProblemCounts, mean_pass_at_k, problem_estimates
from app.statistics.pass_at_k_runs import ONE_SEED, compare_pass_at_k
from app.statistics.robustness import NO_JUDGED
from app.words import LANGUAGES, speaking
from tests.charts.executions import agreement, counted, models, three_models, with_seeds
from tests.words.marked import marked_words


def test_the_curve_and_its_band_are_the_numbers() -> None:
    run = counted(0.3, 20)
    exhibit = pass_at_k(models(("m", run)))
    assert exhibit.figure is not None
    band, line = exhibit.figure["data"]
    found = mean_pass_at_k(run, [1, 2, 5, 10, 20], draws=200)
    assert line["x"] == [1, 2, 5, 10, 20]
    assert line["y"] == pytest.approx([100 * problem_estimates(run, each.k).mean() for each in found], abs=1e-3)
    highs, lows = ([getattr(each.estimate, end) for each in found] for end in ("high", "low"))
    assert band["y"] == pytest.approx([100 * each for each in highs + lows[::-1]], abs=1e-3)
    assert band["x"] == [1, 2, 5, 10, 20, 20, 10, 5, 2, 1]
    assert exhibit.figure["layout"]["xaxis"]["tickvals"] == [1, 2, 5, 10, 20]


def test_the_table_shows_up_and_down_and_names_what_is_undefined() -> None:
    exhibit = pass_at_k(three_models())
    flat = list(exhibit.table.flat_rows())
    assert [row["pass_at_100"] is None for row in flat] == [False, False, True]
    assert flat[1]["pass_at_1_low"] < flat[1]["pass_at_1"] < flat[1]["pass_at_1_high"]
    shown = exhibit.table.shown_rows()[0][1][2]
    assert shown.up.startswith("+")
    assert shown.down.startswith("−")
    assert "No pass@100 for =cmd|' /C calc'!A0: a problem has fewer than 100 samples." in exhibit.table.caption


def test_the_leader_s_lead_is_weighed() -> None:
    reading = pass_at_k(three_models()).reading
    assert reading.startswith("<b>bold</b> & 50% solves the most problems at the first try, ")
    assert "significantly more than =cmd" in reading
    assert "not significantly" not in reading
    assert "Of 100 samples of <b>bold</b> & 50% at least one passes for " in reading
    close = models(("a", counted(0.5, 10)), ("b", ProblemCounts(*_one_more(counted(0.5, 10)))), ks=(1,))
    assert "but not significantly more than a" in pass_at_k(close).reading
    unknown = models(("a", counted(0.5, 10)), ("b", counted(0.2, 10)), ks=(1,), compared=False)
    assert "; b solves " in pass_at_k(unknown).reading
    assert "significantly" not in pass_at_k(unknown).reading


def _one_more(run: ProblemCounts) -> tuple[Any, Any, Any]:
    passed = run.passed.copy()
    passed[(passed < run.samples).nonzero()[0][0]] += 1
    return run.problems, run.samples, passed


def test_a_tie_one_model_and_none() -> None:
    run = counted(0.5, 10)
    assert "a and b solve equally many problems at the first try" in pass_at_k(models(("a", run), ("b", run))).reading
    assert pass_at_k(models(("a", run), ks=(1,))).reading.startswith("a solves this share of ")
    nothing = pass_at_k(models(("a", counted(0.5, 0))))
    assert nothing.reading == "No model has a pass@1: a problem has no sample."
    assert nothing.figure is None
    assert pass_at_k(models()).reading == "No model has been executed on this benchmark yet."


def test_one_problem_has_no_interval_in_words() -> None:
    reading = pass_at_k(models(("a", counted(0.5, 2, problems=1)), ks=(1,))).reading
    assert "interval" not in reading


def test_a_single_k_has_whiskers_and_no_band() -> None:
    figure = pass_at_k(models(("a", counted(0.5, 10)), ks=(1,))).figure
    assert figure is not None
    (line,) = figure["data"]
    assert line["error_y"]["array"][0] > 0


def test_seeds_have_a_table_of_their_own() -> None:
    exhibit = pass_at_k(with_seeds(0.3, 0.5, 0.4))
    assert [table.name for table in exhibit.tables] == ["pass-at-k", "pass-at-k-seeds"]
    at_1, at_10, at_100 = exhibit.extra[0].flat_rows()
    assert (at_1["model"], at_1["k"], at_1["seeds"], at_100["mean"], at_100["sd"]) == ("many", 1, 3, None, None)
    means = [100 * problem_estimates(counted(rate, 20), 1).mean() for rate in (0.3, 0.5, 0.4)]
    assert at_1["mean"] == pytest.approx(sum(means) / 3)
    assert (at_1["lowest"], at_1["highest"]) == (pytest.approx(min(means)), pytest.approx(max(means)))
    assert at_1["sd"] == pytest.approx(statistics.stdev(means))
    assert at_10["mean_low"] < at_10["mean"] < at_10["mean_high"]
    assert pass_at_k(three_models()).extra == ()


def test_many_models_are_all_in_the_table() -> None:
    exhibit = pass_at_k(models(*[(f"m{n}", counted(n / 10, 10)) for n in range(1, 9)], compared=False))
    assert len(exhibit.table.rows) == 8
    assert exhibit.figure is not None
    assert len([trace for trace in exhibit.figure["data"] if trace.get("fill") is None]) == MOST_DRAWN


def test_the_bars_are_shares_of_each_outcome() -> None:
    document = agreement()
    exhibit = execution_agreement(document)
    assert exhibit.figure is not None
    passing, failing = exhibit.figure["data"]
    assert sum(passing["y"]) == pytest.approx(100, abs=0.01)
    assert sum(failing["y"]) == pytest.approx(100, abs=0.01)
    total = sum(row["passing"] for row in document["table"])
    assert passing["y"][4] == pytest.approx(100 * document["table"][4]["passing"] / total, abs=1e-3)
    flat = list(exhibit.table.flat_rows())
    assert [row["failing_count"] for row in flat] == [row["failing"] for row in document["table"]]
    assert flat[0]["pass_share_of"] == flat[0]["passing_count"] + flat[0]["failing_count"]
    assert "left out are 1 without a grade and 1 without a verdict" in exhibit.table.caption


def test_the_sentence_tells_means_chance_and_exceptions() -> None:
    document = agreement([("a", True, 4), ("a", True, 1), ("b", False, 3), ("b", False, 0), ("c", True, 4)])
    assert execution_agreement(document).reading == (
        "People give outputs that pass 3.00 on average and those that fail 1.50. Of an output that passes and one "
        "that fails the first has the higher grade in 83.3 %"
        + _chance(document)
        + ". 1 output passes, but people gave it at most 1; 1 fails, but people gave it at least 3."
    )
    clear = execution_agreement(agreement()).reading
    assert "50 % is chance" in clear


def _chance(document: dict[str, Any]) -> str:
    low, high = (f"{100 * document['superiority'][end]:.1f}" for end in ("low", "high"))
    if document["superiority"]["low"] <= 0.5:
        return f", which can’t be told from chance (95 % interval {low} to {high})"
    return f" (95 % interval {low} to {high}; 50 % is chance)"


def test_what_can_t_be_compared_says_why() -> None:
    all_pass = execution_agreement(agreement([("a", True, 1), ("b", True, 4)]))
    assert all_pass.reading == (
        "Tests and people can’t be compared: all graded outputs pass. "
        "1 output passes, but people gave it at most 1; 0 fail, but people gave them at least 3."
    )
    assert all_pass.figure is not None
    assert len(all_pass.figure["data"]) == 1
    nothing = execution_agreement(agreement([]))
    assert nothing.figure is None
    assert nothing.reading == "Tests and people can’t be compared: no output has both a verdict and a grade."
    assert "No value for Cohen’s κ" in nothing.extra[0].caption


def test_a_chance_that_can_t_be_told() -> None:
    rows = [(f"p{n}", n % 2 == 0, float(n % 4 // 2 * 4)) for n in range(8)]
    assert "can’t be told from chance" in execution_agreement(agreement(rows)).reading


def test_no_exception_is_said_so() -> None:
    reading = execution_agreement(agreement([("a", True, 4), ("b", False, 0)])).reading
    assert reading.endswith("No output passes with a grade of at most 1, and none fails with one of at least 3.")


def test_every_word_goes_through_the_catalogue() -> None:
    with marked_words():
        for exhibit in (pass_at_k(three_models()), execution_agreement(agreement())):
            assert "«" in exhibit.title
            assert exhibit.reading.startswith("«")
            heads = [column.title for table in exhibit.tables for column in table.columns]
            assert all(head.startswith(("«", "pass@")) for head in heads)


def test_numbers_follow_the_language() -> None:
    with speaking(LANGUAGES["de"]):
        figure = pass_at_k(three_models()).figure
        assert figure is not None
        assert figure["layout"]["separators"] == ",."


def test_every_reason_can_be_translated() -> None:
    """They are English in stored results; with the list of reasons they are collected for the catalogue."""
    plain = [
        pass_at_k_reasons.NO_PROBLEM,
        pass_at_k_reasons.NO_SAMPLE,
        NO_JUDGED,
        ONE_SEED,
        NOTHING_JOINED,
        NONE_FAILS,
        NONE_PASSES,
        ONE_GRADE,
    ]
    assert [reason for reason in plain if reason not in REASONS] == []
    numbered = pass_at_k_reasons.TOO_FEW_SAMPLES.format(k="%(number)s")
    assert numbered in NUMBERED
    with marked_words():
        assert reason_in_words("a problem has fewer than 7 samples") == "«a problem has fewer than 7 samples»"


def test_what_randomisation_does_not_confirm_is_not_called_more_than_chance() -> None:
    """Two problems, both solved by one model only: no resample says otherwise, and yet it is two tosses of a coin."""
    counts = [ProblemCounts(("a", "b"), np.array([1, 1]), np.array(passed)) for passed in ([1, 1], [0, 0])]
    comparison = compare_pass_at_k(counts[0], counts[1], 1)
    found = {"a": "one", "b": "other", "comparison": asdict(comparison), "p_b_greater": 0.0}
    assert (comparison.p_a_greater, comparison.p_randomisation > 0.05) == (1.0, True)
    assert "but not by randomisation" in compared_models(found).reading
    headline = pass_at_k(models(("one", counts[0]), ("other", counts[1]), ks=(1,))).reading
    assert "but not significantly more than other (0 %)" in headline


def test_the_canonical_solutions_are_not_ranked() -> None:
    both = models(("a", counted(0.5, 10)), ("b", counted(0.2, 10)), ks=(1,))
    ceiling = replace(models(("canonical", counted(0.95, 10)), ks=(1,)).models[0], is_canonical=True)
    shown = pass_at_k(replace(both, models=[ceiling, *both.models]))
    assert shown.reading == pass_at_k(both).reading
    assert "canonical: the canonical solutions, the ceiling; in no ranking." in shown.table.caption
    assert "canonical" not in pass_at_k(both).table.caption
    assert pass_at_k(replace(both, models=[ceiling])).reading.startswith("canonical solves this share ")


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (((1, 1, 1), (1, 0, 0), (1, 1, 0)), "1 of 3 problems is solved by every model in some sample and 1 by none."),
        (((1, 1, 1), (1, 0, 1)), "1 of 2 problems is solved by every model in some sample and each by some model."),
        (((1, 1, 0), (0, 0, 1)), "No problem is solved by every model, but each by some model."),
        (((1, 1, 0), (1, 0, 0)), "No problem is solved by every model, and 1 of 2 is solved by none."),
        (((1, 0, 0), (1, 0, 0)), "No problem is solved by any model."),
        (((1, 2, 1), (0, 1, 1)), "Every problem is solved by every model in some sample."),
    ],
)
def test_who_solves_what_is_told_of_models_alone(passed: tuple[tuple[int, ...], ...], told: str) -> None:
    """The first is the canonical solutions."""
    names = ("canonical", "a", "b")
    document = {
        "models": [{"name": name, "is_canonical": name == names[0], "generations": []} for name in names],
        "problems": [{"problem": "p", "passed": each, "samples": [2] * 3} for each in passed],
    }
    assert problem_by_problem(document, "/benchmarks/b").reading == told


def test_an_interval_without_width_is_explained() -> None:
    told = "all problems came out alike"
    nothing = ProblemCounts(("a", "b"), np.array([1, 1]), np.array([0, 0]))
    assert told in pass_at_k(models(("m", nothing))).table.caption
    assert told not in pass_at_k(models(("m", counted(0.3, 1)))).table.caption


def test_what_no_model_has_samples_for_is_said_once() -> None:
    caption = pass_at_k(models(("m", counted(0.3, 1)), ("n", counted(0.5, 1)))).table.caption
    assert caption.count("enough samples") == 1
    assert "No pass@" not in caption
