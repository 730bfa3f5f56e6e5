"""Robustness on two benchmarks side by side: each with its own seeds, marks and drops."""

from dataclasses import replace

import pytest

from app.charts.latex import render_latex
from app.charts.robustness import benchmarks_side_by_side
from app.charts.robustness_models import RobustModel, RobustModels
from app.statistics.robustness import mean_over_models, measure_robustness
from app.statistics.robustness_runs import Variant
from tests.charts import robust
from tests.charts.questions import stored
from tests.charts.robust import whole
from tests.charts.study import SYSTEMS
from tests.statistics.perturbed import greedy

FIRST, _, _ = SYSTEMS


def test_benchmarks_stand_side_by_side() -> None:
    one, other = robust.three_models(), replace(robust.sampled(), models=robust.sampled().models[:1])
    exhibit = benchmarks_side_by_side([one, other])
    (row, *_) = exhibit.table.flat_rows()
    assert row["HumanEval <1>_mean_over_models"] == pytest.approx(
        100 * one.mean["docstring"]["whole"]["at"][0]["nominal"]["value"]
    )
    for model in one.models:
        assert row[f"HumanEval <1>_{model.name}"] == pytest.approx(100 * whole(model)["nominal"]["value"])
    assert row[f"HumanEval_{FIRST}"] == pytest.approx(100 * whole(other.models[0])["nominal"]["value"])
    assert "HumanEval_mean_over_models" not in row
    assert exhibit.reading.startswith("HumanEval <1>: On the mean over the models docstring changes cost most, ")
    assert "HumanEval: Syntax changes cost most, " in exhibit.reading


def over(seeds: int, benchmark: str, **broken: tuple[int, int]) -> RobustModels:
    """Models that solve four problems each: so many break under typos, whatever the seed, and so many under tense."""
    variants = (*(Variant("docstring/typos", seed) for seed in range(seeds)), Variant("docstring/tense"))
    runs = [
        greedy([1] * 4, [[int(row >= typos)] * seeds + [int(row >= tense)] for row in range(4)], variants)
        for typos, tense in broken.values()
    ]
    found = [stored(measure_robustness(each, draws=100).to_json()) for each in runs]
    mean = {"docstring": stored(mean_over_models(runs, draws=100).to_json())} if len(runs) > 1 else {}
    models = [RobustModel(name, {"docstring": each}) for name, each in zip(broken, found, strict=True)]
    return RobustModels(benchmark, models, mean)


def test_each_benchmark_has_its_own_seeds() -> None:
    table = benchmarks_side_by_side([over(3, "MBPP", m=(2, 0)), over(5, "HumanEval", m=(2, 0))]).table
    rows = list(table.flat_rows())
    assert [row["metric"] for row in rows] == ["Nominal pass@1", "RP_s@1", "RD_s@1", "RR_s@1"]
    assert {(row["MBPP_s"], row["HumanEval_s"]) for row in rows} == {(3, 5)}
    latex = render_latex(table)
    assert r"Category & Metric & s (MBPP) & m (MBPP, \%) & s (HumanEval) & m (HumanEval, \%) \\" in latex
    assert r"Docstring & RP\_s@1 $\uparrow$ & 3 & 50.00" in latex
    assert "s: the most seeds of a transformation" in latex
    assert "Bold" not in latex


def test_side_by_side_each_benchmark_has_its_best_and_worst() -> None:
    """By hand: of four solved problems a loses 1 under typos and 2 under tense, b 3 and 0, c on MBPP 4 and 1."""
    human, mbpp = over(3, "HumanEval", a=(1, 2), b=(3, 0)), over(5, "MBPP", a=(2, 0), c=(4, 1))
    exhibit = benchmarks_side_by_side([human, mbpp])
    _, passes, drops, _ = exhibit.table.rows
    assert [each.mark for each in passes[2:]] == ["", "best", "worst", "", "", "best", "worst", ""]
    assert [each.mark for each in drops[2:]] == ["", "best", "worst", "", "", "best", "worst", ""]
    robust_pass = list(exhibit.table.flat_rows())[1]
    models = ("HumanEval_a", "HumanEval_b", "MBPP_a", "MBPP_c")
    assert [robust_pass[name] for name in models] == [50, 25, 50, 0]
    assert (robust_pass["HumanEval_mean_over_models"], robust_pass["MBPP_mean_over_models"]) == (37.5, 25)
    assert exhibit.table.marks == "Bold: the best of a row on each benchmark; underlined: the worst."


def test_side_by_side_every_transformation_has_its_drops() -> None:
    human, mbpp = over(3, "HumanEval", a=(1, 2), b=(3, 0)), over(5, "MBPP", a=(2, 0), c=(4, 1))
    (table,) = benchmarks_side_by_side([human, mbpp]).extra
    rows = {row["transformation"]: row for row in table.flat_rows()}
    models = ("HumanEval_a", "HumanEval_b", "MBPP_a", "MBPP_c")
    assert [rows["typos"][name] for name in models] == [25, 75, 50, 100]
    assert [rows["tense"][name] for name in models] == [50, 0, 0, 25]
    seeds = {name: (row["HumanEval_s"], row["MBPP_s"]) for name, row in rows.items()}
    assert seeds == {"typos": (3, 5), "tense": (1, 1)}
    marks = {row[0].value: [each.mark for each in row[2:]] for row in table.rows}
    assert marks["typos"] == ["", "best", "worst", "", "best", "worst"]
    assert marks["tense"] == ["", "worst", "best", "", "best", "worst"]
