"""One thing that a page shows: a sentence, a figure, and the table of the same numbers."""

from dataclasses import dataclass, field
from typing import Any

from app.charts.tables import Table

Figure = dict[str, Any]  # {"data", "layout", "narrow"}: Plotly's, colours named by role (see app.charts.theme)


@dataclass(frozen=True)
class Exhibit:
    """``name`` is its address and file name; ``reading`` is computed from the numbers, never typed.

    extra: more tables of the same subject, folded below the first.
    """

    name: str
    title: str
    reading: str
    table: Table
    figure: Figure | None = None
    extra: tuple[Table, ...] = field(default=())

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, the main one first."""
        return (self.table, *self.extra)
