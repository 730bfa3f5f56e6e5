"""What is the best and the worst of a row, what can be neither, and which intervals are no certainty."""

from app.charts.latex import render_latex
from app.charts.robustness import benchmarks_side_by_side, robustness
from app.charts.robustness_map import transformation_map
from app.charts.robustness_models import RobustModel, RobustModels
from app.charts.robustness_tables import marks_of
from app.statistics.robustness import NOTHING_TO_LOSE
from tests.charts import robust
from tests.charts.robust import tiny


def test_best_and_worst_of_a_row_are_marked() -> None:
    assert marks_of([0.1, 0.3, 0.2, None], lower_is_better=True) == ["best", "worst", "", ""]
    assert marks_of([0.1, 0.3, 0.3], lower_is_better=False) == ["worst", "best", "best"]
    assert marks_of([0.3, 0.3], lower_is_better=False) == marks_of([0.3, None], lower_is_better=True) == ["", ""]
    latex = render_latex(robustness(robust.three_models()).table)
    assert r"\textbf{" in latex
    assert r"\underline{" in latex
    assert r"RP4@1 $\uparrow$" in latex


def test_who_solves_nothing_has_no_mark() -> None:
    """It can lose nothing, and that is no merit: its RR of 0 is not the best."""
    found = {
        "none": tiny([0] * 4, [[0]] * 4),
        "some": tiny([1, 1, 0, 0], [[1], [0], [0], [0]]),
        "most": tiny([1, 1, 1, 0], [[0], [0], [1], [0]]),
    }
    models = [RobustModel(name, each.models[0].categories) for name, each in found.items()]
    three, two = RobustModels("b", models), RobustModels("b", models[:2])
    for exhibit in (robustness(three), transformation_map(three)):
        assert all(row[2].mark == "" for row in exhibit.table.rows)
        assert "best" in {row[3].mark for row in exhibit.table.rows}
        assert exhibit.table.marks == (
            "Bold: the best of a row; underlined: the worst. "
            "A model whose nominal pass@1 is 0 has no mark: it can lose nothing."
        )
        assert "Bold" not in exhibit.table.caption
        assert "Bold" in render_latex(exhibit.table)
    for exhibit in (robustness(two), transformation_map(two), benchmarks_side_by_side([two, two])):
        for table in (exhibit.table, *exhibit.extra):
            assert not any(cell.mark for row in table.rows for cell in row)
            assert "Bold" not in render_latex(table)


def test_an_interval_without_width_is_no_certainty() -> None:
    """The one problem that is solved is lost: 100 % of it in every resample that has it."""
    words = "An interval without width: all problems came out alike"
    one = tiny([1, 0, 0, 0], [[0]] * 4)
    for exhibit in (robustness(one), transformation_map(one)):
        assert exhibit.table is not None
        assert words in exhibit.table.caption
    wide = tiny([1, 1, 0, 0], [[1], [0], [0], [0]])
    for exhibit in (robustness(wide), transformation_map(wide)):
        assert words not in exhibit.table.caption


def test_an_empty_column_of_the_map_says_why() -> None:
    models = [
        RobustModel("none", tiny([0, 0], [[0], [0]]).models[0].categories),
        RobustModel("some", tiny([1, 1], [[1], [0]]).models[0].categories),
    ]
    exhibit = transformation_map(RobustModels("b", models))
    assert exhibit.reading.endswith(f"No value for none: {NOTHING_TO_LOSE}.")
    assert exhibit.figure is not None
    (trace,) = exhibit.figure["data"]
    assert trace["z"][1] == [None, 50]
    assert trace["hoverongaps"]
    assert trace["hovertext"][1][0].endswith(f": {NOTHING_TO_LOSE}")
    assert trace["hovertext"][0] == ["", ""]  # the head
