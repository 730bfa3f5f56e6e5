"""Figures, tables and sentences of robustness say what the numbers say, and no more than their intervals show."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.charts.latex import render_latex
from app.charts.reasons import REASONS
from app.charts.robustness import benchmarks_side_by_side, robustness
from app.charts.robustness_breaks import MOST_DRAWN, broken_problems, flipped_samples
from app.charts.robustness_compared import compared_models
from app.charts.robustness_curves import over_k, over_seeds
from app.charts.robustness_map import HEAD, transformation_map
from app.charts.robustness_models import PASS, RobustModel, RobustModels, is_significant
from app.charts.robustness_samples import left_out
from app.charts.robustness_tables import transformation_table
from app.charts.tables import PValue, Shown
from app.statistics.robustness import NOTHING_TO_LOSE, measure_robustness
from app.statistics.robustness_comparison import compare_robustness
from app.statistics.robustness_runs import PerturbedRuns, Variant
from tests.charts import robust
from tests.charts.questions import stored
from tests.charts.robust import only, tiny, whole
from tests.charts.study import SYSTEMS
from tests.statistics.perturbed import greedy
from tests.words.marked import marked_words

FIRST, SECOND, THIRD = SYSTEMS


def test_the_table_is_the_paper_s_with_the_mean_over_models() -> None:
    results = robust.three_models()
    table = robustness(results).table
    rows = list(table.flat_rows())
    assert [(row["category"], row["metric"]) for row in rows[:4]] == [
        ("Docstring", "Nominal pass@1"),
        ("Docstring", "RP4@1"),
        ("Docstring", "RD4@1"),
        ("Docstring", "RR4@1"),
    ]
    assert [row["category"] for row in rows[::4]] == ["Docstring", "Function name", "Syntax", "Format"]
    for place, key in enumerate(("nominal", "robust_pass", "robust_drop", "robust_relative")):
        values = [whole(model)[key]["value"] for model in results.models]
        assert [rows[place][name] for name in SYSTEMS] == pytest.approx([100 * each for each in values])
        assert rows[place]["mean_over_models"] == pytest.approx(100 * sum(values) / 3)


def test_the_figure_has_nominal_worst_case_and_ceiling_of_each() -> None:
    results = robust.three_models()
    figure = robustness(results).figure
    assert figure is not None
    line, worst, nominal = figure["data"][:3]
    first = results.models[0]
    assert worst["x"] == pytest.approx(
        [100 * whole(first, each)[PASS]["value"] for each in results.categories], abs=1e-3
    )
    assert nominal["x"] == pytest.approx(
        [100 * whole(first, each)["nominal"]["value"] for each in results.categories], abs=1e-3
    )
    assert line["x"][:2] == [nominal["x"][0], worst["x"][0]]
    assert figure["layout"]["xaxis"]["range"][0] < 0  # a mark at 0 does not cover the categories' names
    ceiling = next(trace for trace in figure["data"] if "ceiling" in trace.get("name", ""))
    assert ceiling["x"][0] == pytest.approx(
        100 * first.categories["docstring"]["whole"]["ceiling"]["value"], abs=1e-3
    )


def test_a_difference_is_called_significant_only_where_it_is() -> None:
    results = robust.three_models()
    reading = robustness(results).reading
    assert f"Under docstring changes {THIRD} keeps the greatest share of its pass@1, " in reading
    found = results.difference(THIRD, FIRST, "docstring", "robust_drop")
    assert found is not None
    assert found["low"] < 0 < found["high"]
    assert f"the difference to {FIRST} " in reading
    assert "is not significant" in reading
    clear = replace(results, models=results.models[:2], mean={})
    assert f"that is significantly more than {SECOND} " in robustness(clear).reading
    unknown = robustness(robust.three_models(is_compared=False)).reading
    assert "significant" not in unknown
    assert f"{FIRST} comes next with " in unknown


def test_significance_takes_interval_and_p() -> None:
    found = {"low": 0.1, "high": 2.0, "p_randomisation": 0.01}
    assert is_significant(found)
    assert not is_significant(found | {"low": -0.1})
    assert not is_significant(found | {"p_randomisation": 0.06})
    assert is_significant(found | {"low": -2.0, "high": -0.1})


def test_a_comparison_is_turned_with_its_models() -> None:
    results = robust.three_models()
    one = results.difference(FIRST, SECOND, "syntax", "robust_drop")
    other = results.difference(SECOND, FIRST, "syntax", "robust_drop")
    assert one is not None
    assert other is not None
    assert (one["difference"], one["low"], one["high"]) == (-other["difference"], -other["high"], -other["low"])


def test_one_model_and_its_limits() -> None:
    lossy = tiny([1] * 40 + [0] * 4, [[int(row % 2)] for row in range(44)])
    assert robustness(lossy).reading.startswith(
        "Under docstring changes m keeps 55.0 % of its pass@1 (95 % interval "
    )
    few = tiny([1] * 10 + [0], [[1]] * 9 + [[0], [0]])
    assert "keeps 90.0 % of its pass@1" in robustness(few).reading
    assert "which can’t be told from all of it" in robustness(few).reading
    none = tiny([1, 1, 0], [[1], [1], [0]])
    assert robustness(none).reading == "Under docstring changes m keeps all of its pass@1."
    calm, shaken = none.models[0].categories["docstring"], few.models[0].categories["docstring"]
    both = only(RobustModel("m", {"docstring": calm, "format": calm}))
    assert robustness(both).reading == "m keeps all of its pass@1 under the changes of each category."
    mixed = only(RobustModel("m", {"docstring": calm, "format": shaken}))
    assert "Under docstring changes m keeps all of its pass@1." in robustness(mixed).reading
    assert robustness(none).table.marks == ""


def test_what_is_undefined_says_why() -> None:
    nothing = robustness(tiny([0, 0], [[0], [1]]))
    assert nothing.reading == f"No drop can be told: {NOTHING_TO_LOSE}."
    assert f"No value for m: {NOTHING_TO_LOSE}." in nothing.table.caption
    assert NOTHING_TO_LOSE in REASONS
    by_change = transformation_map(tiny([0, 0], [[0], [1]]))
    assert by_change.figure is None
    assert by_change.table.caption.endswith(f"No value for m: {NOTHING_TO_LOSE}.")
    assert f"No value for Robust Drop: {NOTHING_TO_LOSE}." in by_change.extra[0].caption
    beside = benchmarks_side_by_side([tiny([0, 0], [[0], [1]]), robust.three_models()])
    assert all(f"HumanEval: No value for m: {NOTHING_TO_LOSE}." in table.caption for table in beside.tables)
    assert "No value" not in transformation_map(robust.three_models()).table.caption
    empty = RobustModels("HumanEval", [RobustModel("m", {})])
    assert "No model has been executed" in robustness(empty).reading
    assert robustness(empty).figure is None


def test_ceilings_are_told_where_canonical_solutions_fail() -> None:
    assert "of the canonical solutions themselves" in robustness(robust.three_models()).reading
    assert "canonical" not in robustness(tiny([1, 1], [[1], [0]])).reading
    reached = tiny([1, 1], [[1], [0]])
    whole = reached.models[0].categories["docstring"]["whole"]
    whole["ceiling"] = {"value": 1.0, "low": 1.0, "high": 1.0, "reason": None}
    assert (
        "The ceiling is 100 %: the canonical solutions pass on all perturbed prompts." in robustness(reached).reading
    )


def test_the_map_holds_every_transformation_under_its_category() -> None:
    results = robust.three_models()
    exhibit = transformation_map(results)
    assert exhibit.figure is not None
    (trace,) = exhibit.figure["data"]
    names = [name for category in results.categories for name in (HEAD, *results.groups(category))]
    assert len(trace["z"]) == len(names)
    assert [note["text"] for note in exhibit.figure["layout"]["annotations"]] == [
        "Docstring",
        "Function name",
        "Syntax",
        "Format",
    ]
    for row, name in zip(trace["z"], names, strict=True):
        assert (row == [None] * 3) == (name == HEAD)
    drops = [row for row in exhibit.table.flat_rows() if row["transformation"] == "SynonymInsertion"]
    place = names.index("docstring/SynonymInsertion")
    assert [drops[0][name] for name in SYSTEMS] == pytest.approx(trace["z"][place], abs=1e-3)
    assert "SynonymInsertion (Docstring)" in trace["hovertext"][place][0]
    passes = transformation_map(results, PASS)
    assert passes.name == "robustness-map-pass"
    assert passes.figure is not None
    assert passes.figure["data"][0]["zmax"] == 100


def test_each_model_has_a_table_with_unchanged_and_ceiling() -> None:
    results = robust.three_models()
    tables = transformation_map(results).extra
    assert [table.name for table in tables] == [f"robustness-transformations-{place}" for place in (1, 2, 3)]
    rows = list(tables[0].flat_rows())
    last = next(row for row in rows if row["transformation"] == "All of the category")
    document = results.models[0].categories["docstring"]["whole"]
    assert (last["unchanged_count"], last["unchanged_of"]) == (document["unchanged"], document["pairs"])
    assert last["ceiling"] == pytest.approx(100 * document["ceiling"]["value"])


def test_the_worst_transformation_is_named_for_each_model() -> None:
    reading = transformation_map(robust.three_models()).reading
    assert f"{SECOND} loses most under VarRenamerRN (syntax), " in reading
    assert "no model has a loss that could be told from none" in reading


def test_the_curve_over_seeds_starts_at_the_nominal_value_and_never_rises() -> None:
    results = robust.three_models()
    exhibit = over_seeds(results, "docstring")
    assert exhibit.figure is not None
    line = exhibit.figure["data"][3]
    assert line["x"] == [0, 1, 2, 3, 4]
    assert line["y"][0] == pytest.approx(100 * whole(results.models[0])["nominal"]["value"], abs=1e-3)
    assert line["y"][1:] == sorted(line["y"][1:], reverse=True)
    assert line["y"][-1] == pytest.approx(100 * whole(results.models[0])[PASS]["value"], abs=1e-3)
    assert len(exhibit.table.rows) == 3 * robust.SEEDS
    assert f"{FIRST} goes from pass@1 " in exhibit.reading
    assert over_seeds(only(RobustModel("m", results.models[0].categories)), "docstring").figure is None


def test_the_curve_over_k_has_a_thin_nominal_line() -> None:
    results = robust.sampled()
    exhibit = over_k(results, "docstring")
    assert exhibit.figure is not None
    lines = [trace for trace in exhibit.figure["data"] if trace.get("fill") is None and trace["x"] != [None]]
    assert [len(trace["x"]) for trace in lines] == [5, 5, 5, 5]
    robust_line, _, nominal, _ = lines
    assert all(low <= high + 1e-9 for low, high in zip(robust_line["y"], nominal["y"], strict=True))
    assert nominal["line"]["width"] < robust_line["line"]["width"]
    relative = [row["robust_relative"] for row in exhibit.table.flat_rows()]
    assert max(relative) > 100  # a sum of two shares
    assert "may come to 200 %" in exhibit.table.caption


def test_problems_that_break_are_drawn_and_listed() -> None:
    broken = robust.broken()
    exhibit = broken_problems(FIRST, "docstring", broken, robust.PROBLEMS, link=lambda problem: f"/p/{problem}")
    assert len(exhibit.table.rows) == len(broken) > MOST_DRAWN
    assert exhibit.figure is not None
    (bars,) = exhibit.figure["data"]
    assert bars["x"] == pytest.approx([100 * each["weight"] for each in broken[:MOST_DRAWN]], abs=1e-3)
    assert exhibit.table.rows[0][0].link == f"/p/{broken[0]['problem']}"
    assert exhibit.reading.startswith(f"Docstring changes break {len(broken)} of 60 problems of {FIRST}")
    flat = next(exhibit.table.flat_rows())
    assert (flat["model"], flat["category"]) == (FIRST, "Docstring")
    nothing = broken_problems(FIRST, "docstring", [], 60)
    assert render_latex(nothing.table).startswith("% What breaks most: ")
    assert "tabular" not in render_latex(nothing.table)
    assert nothing.figure is None
    assert nothing.reading == f"No docstring change breaks a problem that {FIRST} solves."
    always = [broken[0] | {"weight": 1.0}]
    assert "1 breaks under every change, in every sample" in broken_problems("m", "syntax", always, 60).reading


def test_what_breaks_a_problem_is_named_in_full_in_files() -> None:
    by = [f"docstring/T{number}" for number in range(8)]
    table = broken_problems("m", "docstring", [robust.broken()[0] | {"by": by}], 60).table
    assert table.rows[0][-1].value == "T0, T1, T2, T3, T4, T5 and 2 more"
    assert next(table.flat_rows())["by"] == "T0, T1, T2, T3, T4, T5, T6, T7"


def test_pairs_are_listed_with_what_is_left_out() -> None:
    found = robust.flipped(most=10)
    exhibit = flipped_samples("m", "docstring", found, link=lambda each: f"/pair/{each['problem']}/{each['seed']}")
    assert len(exhibit.table.rows) == 10
    assert f"The first 10 of {found['total']}." in exhibit.table.caption
    assert exhibit.table.rows[0][0].link.startswith("/pair/HumanEval/")
    assert (
        exhibit.reading
        == f"{found['total']} samples of m that pass on the nominal prompt fail after a docstring change."
    )
    gained = flipped_samples(
        "m", "docstring", robust.flipped(most=None, is_right_before=False), is_right_before=False
    )
    assert gained.title == "Wrong before, right after"
    assert gained.table.title == "Wrong before, right after: m, docstring"
    assert r"\caption{Right before, wrong after: m, docstring. " in render_latex(exhibit.table)
    flat = next(exhibit.table.flat_rows())
    assert (flat["model"], flat["category"]) == ("m", "Docstring")
    assert "The first" not in gained.table.caption


def test_two_models_compared() -> None:
    results = robust.three_models()
    compared = [(name, robust.SEEDS, results.compared[FIRST, SECOND, name]) for name in results.categories]
    exhibit = compared_models(FIRST, SECOND, compared)
    assert len(exhibit.table.rows) == 16
    assert f"Under syntax changes {SECOND} loses a greater share of its pass@1 than {FIRST}, by " in exhibit.reading
    assert exhibit.reading.endswith("Under the others the difference of the drops is not significant.")
    same = compared_models(FIRST, THIRD, [("format", 4, results.compared[FIRST, THIRD, "format"])])
    assert same.reading.startswith(f"Neither {FIRST} nor {THIRD} loses a significantly greater share")
    undefined = results.compared[FIRST, THIRD, "format"] | {"robust_drop": None, "reason": NOTHING_TO_LOSE}
    without = compared_models(FIRST, THIRD, [("format", 4, undefined)])
    assert "can’t be compared" in without.reading
    assert f"No value for Robust Drop: {NOTHING_TO_LOSE}." in without.table.caption


def test_an_exact_p_says_so() -> None:
    """Three problems of A alone, one of B: 2 * (1 + 4) of 2^4 swaps. Of many that differ the swaps are random."""
    a, b = greedy([1] * 4, [[1], [1], [1], [0]]), greedy([1] * 4, [[0], [0], [0], [1]])
    few = compare_robustness(a, b, draws=50)
    cells = p_cells(few.to_json())
    assert (cells["RP1@1 ↑"].text, cells["RP1@1 ↑"].note) == ("0.6250", "exact")
    many = compare_robustness(greedy([1] * 20, [[1]] * 20), greedy([1] * 20, [[0]] * 20), draws=50)
    cells = p_cells(many.to_json())
    assert (cells["RP1@1 ↑"].text, cells["RP1@1 ↑"].note) == ("≤ 0.0196", "")
    assert cells["Nominal pass@1 ↑"].note == "exact"
    assert (PValue(2**-15, None).in_words(4), PValue(0.0625, None).in_words(4)) == ("≤ 0.0001", "0.0625")


def p_cells(document: dict[str, Any]) -> dict[str, Shown]:
    """Of each measure p by randomisation, in words."""
    rows = compared_models("A", "B", [("docstring", 1, document)]).table.shown_rows()
    return {row[1][2].text: row[5][2] for row in rows}


def test_every_word_goes_through_the_catalogue() -> None:
    results = robust.three_models()
    with marked_words():
        for exhibit in (robustness(results), transformation_map(results), over_seeds(results, "syntax")):
            assert "«" in exhibit.title
            assert "«" in exhibit.reading
            names = {*SYSTEMS, "s", "k"}
            heads = [column.title for table in exhibit.tables for column in table.columns]
            assert all(head.startswith("«") or head in names for head in heads)


def test_problems_and_models_without_judged_samples_are_told() -> None:
    """The headline ranks no category in which a model is missing without saying so."""
    full = tiny([1, 1, 1], [[1], [0], [1]]).models[0].categories["docstring"]
    lacking = PerturbedRuns.from_verdicts(
        "docstring",
        ["p0", "p1", "p2"],
        [Variant("docstring/t")],
        nominal=np.array([[1], [1], [1]], dtype=np.int8),
        perturbed=np.array([[[1]], [[-1]], [[0]]], dtype=np.int8),
        changed=np.ones((3, 1), dtype=np.bool_),
    )
    short = stored(measure_robustness(lacking, draws=20).to_json())
    results = RobustModels(
        "b", [RobustModel("whole", {"docstring": full}), RobustModel("short", {"docstring": short})]
    )
    caption = robustness(results).table.caption
    assert "short, docstring: 1 of 3 problems left out: not all samples are judged." in caption
    assert "whole, docstring" not in caption
    twice = RobustModel("short", {"docstring": short, "format": short, "syntax": full})
    both = robustness(RobustModels("b", [twice])).table.caption
    assert both.count("left out") == 1
    assert "short, docstring and format: 1 of 3 problems left out: not all samples are judged." in both
    named = transformation_table(results, twice).caption
    assert "t (docstring), all of the category docstring, t (format) and" in named
    assert named.count("left out") == 1
    everywhere = transformation_table(results, results.models[1]).caption
    assert everywhere.endswith("same changes. 1 of 3 problems left out: not all samples are judged.")
    three = robust.three_models()
    others = {name: found for name, found in three.models[0].categories.items() if name != "syntax"}
    without = replace(three.models[0], categories=others)
    missing = replace(three, models=[without, *three.models[1:]])
    assert f"Under syntax changes the mean is over 2 of 3 models: no value of {FIRST}." in robustness(missing).reading
    assert "no value of" not in robustness(three).reading


def test_one_seed_is_not_told_as_several() -> None:
    rows = [
        {"category": "docstring", "transformation": name, "seed": seed, "models": []}
        for name, seed in (("docstring/BackTranslation", 0), ("docstring/Typos", 1), ("docstring/Typos", 2))
    ]
    (told,) = left_out({"left_out": rows, "set_aside": []})
    assert "BackTranslation (seed 0) and Typos (seeds 1, 2) count in no number" in told


def test_the_canonical_solutions_take_no_mark_and_no_place() -> None:
    three = robust.three_models()
    canonical = replace(three.models[0], name="canonical", is_canonical=True)
    shown = robustness(replace(three, models=[*three.models, canonical]))
    plain = robustness(three)
    assert shown.reading == plain.reading
    assert "canonical: the canonical solutions, the ceiling; in no mean and no mark." in shown.table.caption
    for with_it, without in zip(shown.table.rows, plain.table.rows, strict=True):
        assert [cell.mark for cell in with_it] == [*(cell.mark for cell in without[:5]), "", ""]
        assert with_it[5].value == without[2].value
