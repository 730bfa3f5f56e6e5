"""One table, three spellings."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.charts import compare, delta_bars, forest
from app.charts.latex import escape, render_latex
from app.charts.tables import Cell, Column, Measured, PValue, Ranked, Share, Table, number, show
from app.charts.words import short
from app.services.exports.chart_tables import table_csv
from tests.charts.study import SYSTEMS, analysed


def table_of(*cells: Cell, column: Column | None = None) -> Table:
    return Table("t", "Title", "Caption", (column or Column("x", "X"),), tuple((cell,) for cell in cells))


def rows_of(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table_csv(table).decode())))


def test_an_interval_is_three_columns_and_up_and_down() -> None:
    table = table_of(Cell(Measured(12.37, 10.91, 13.96)))
    assert rows_of(table) == [{"x": "12.37", "x_low": "10.91", "x_high": "13.96"}]
    shown = show(table.rows[0][0], table.columns[0])
    assert (shown.text, shown.up, shown.down) == ("12.37", "+1.59", "−1.46")
    assert "12.37$^{+1.59}_{-1.46}$" in render_latex(table)


def test_zero_has_no_sign() -> None:
    """Rounding leaves -0.0, of a coefficient just below zero for example."""
    table = table_of(Cell(Measured(-0.0, -0.5, -0.0)), column=Column("x", "X", decimals=1))
    assert rows_of(table) == [{"x": "0.0", "x_low": "-0.5", "x_high": "0.0"}]
    assert show(table.rows[0][0], table.columns[0]).text == "0.0"
    assert "-0.0" not in render_latex(table)
    assert short(-0.0) == "0"


def test_no_digit_is_noise() -> None:
    assert rows_of(table_of(Cell(Measured(100 * 0.2583333333, 0.1 + 0.2, None)))) == [
        {"x": "25.83333333", "x_low": "0.3", "x_high": ""}
    ]


def test_a_share_tells_its_counts() -> None:
    table = table_of(Cell(Share(5, 187)), Cell(Share(0, 0)), column=Column("x", "X", "%", 1))
    assert rows_of(table)[0]["x_count"] == "5"
    assert rows_of(table)[1]["x_percent"] == ""
    assert [shown.text for row in table.shown_rows() for _, _, shown in row] == ["2.7", "–"]
    assert "2.7 (5 of 187)" in render_latex(table)


def test_the_smallest_p_is_a_bound() -> None:
    column = Column("p", "p", decimals=3)
    assert show(Cell(PValue(1 / 1001, 1000)), column).text == "≤ 0.001"
    assert show(Cell(PValue(2 / 1001, 1000)), column).text == "0.002"
    assert show(Cell(PValue(1 / 101, 100)), column).text == "≤ 0.010"
    assert rows_of(table_of(Cell(PValue(0.25, 1000)), column=column)) == [{"p": "0.25"}]


def test_a_ranked_mean_keeps_both() -> None:
    assert rows_of(table_of(Cell(Ranked(2.4, 1.0)))) == [{"x": "2.4", "x_rank": "1.0"}]


@pytest.mark.parametrize(
    ("value", "decimals", "text"), [(-0.001, 2, "0.00"), (-1.5, 1, "−1.5"), (3321, 0, "3,321"), (0.5, 3, "0.500")]
)
def test_numbers_as_journals_print_them(value: float, decimals: int, text: str) -> None:
    assert number(value, decimals) == text


def test_formulas_are_text_in_csv() -> None:
    rows = rows_of(forest.systems_forest(analysed()).table)
    assert rows[2]["system"] == "'" + SYSTEMS[2]


def test_latex_prints_text_as_it_is() -> None:
    assert escape("50 % of <x> & #1_{a}^~\\$") == (
        r"50 \% of \textless{}x\textgreater{} \& \#1\_\{a\}\textasciicircum{}\textasciitilde{}\textbackslash{}\$"
    )
    text = render_latex(forest.systems_forest(analysed()).table)
    assert r"\textless{}b\textgreater{}bold" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


@given(st.text())
def test_latex_leaves_no_special_letter_alone(text: str) -> None:
    escaped = escape(text)
    for special in "&%#_":
        assert escaped.count(special) == escaped.count("\\" + special)


def test_latex_spells_what_cannot_be_seen() -> None:
    """Neither an override nor a blank letter; and no row's first letter belongs to the end of the row before."""
    assert escape("a\u202eb\u2066c\u200b\u3164") == "a[U+202E]b[U+2066]c[U+200B][U+3164]"
    assert escape("5\u00a0%, Čeština, 名前") == "5\u00a0\\%, Čeština, 名前"
    rows = render_latex(table_of(Cell("\u202ex"), Cell("*y"), Cell("z"), column=Column("x", "X", is_text=True)))
    assert "{}[U+202E]x \\\\\n{}*y \\\\\nz \\\\" in rows


def test_rows_have_as_many_cells_as_columns() -> None:
    results = analysed()
    for exhibit in (delta_bars.agreement_by_delta(results), compare.two_systems(results, *SYSTEMS[:2])):
        for table in exhibit.tables:
            assert all(len(row) == len(table.columns) for row in table.rows)
            assert len(set(table.flat_columns())) == len(table.flat_columns())


def test_the_table_says_what_the_document_says() -> None:
    results = analysed()
    rows = rows_of(forest.systems_forest(results).table)
    for row, system in zip(rows, results.originals, strict=True):
        for metric in results.scored:
            assert float(row[metric]) == system["scores"][metric]["score"]
            assert float(row[f"{metric}_low"]) == system["scores"][metric]["low"]
