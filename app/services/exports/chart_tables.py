"""A dashboard's table as a file: CSV with all digits, LaTeX as printed."""

from app.charts.latex import render_latex
from app.charts.tables import Table
from app.services.exports.formats import csv_lines


def table_csv(table: Table) -> bytes:
    """UTF-8 CSV; cells that a spreadsheet would take for a formula are made text."""
    return b"".join(csv_lines(table.flat_columns(), table.flat_rows()))


def table_latex(table: Table) -> bytes:
    """A LaTeX table with booktabs."""
    return render_latex(table).encode()
