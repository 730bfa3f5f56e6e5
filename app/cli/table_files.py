"""Tables of a page as files: all in one for a paper, or each by itself for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.analyse import write_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.charts.tables import Table


def write_tables(tables: Sequence[Table], latex: Path | None, folder: Path | None) -> None:
    """LaTeX to that file, CSV to that folder, which is there, where they are wanted."""
    from app.services.exports.chart_tables import table_csv, tables_latex

    if latex is not None:
        write_bytes(latex, tables_latex(tables))
    if folder is not None:
        for table in tables:
            write_bytes(folder / f"{table.name}.csv", table_csv(table))
