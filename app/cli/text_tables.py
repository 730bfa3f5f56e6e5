"""A table as text for a terminal: columns under each other, an interval as +up −down behind its number."""

from app.charts.tables import MISSING, Cell, Column, Shown, Table

GAP = "  "


def text_table(table: Table) -> str:
    """The title, the head, and a line for each row; below, where a cell has no value, the caption that says why."""
    head = [_head(column) for column in table.columns]
    body = [[_words(*each) for each in row] for row in table.shown_rows()]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [_line(row, widths, table.columns) for row in (head, ["-" * width for width in widths], *body)]
    why = [table.caption] if any(MISSING in row for row in body) else []
    return "\n".join([table.title, *lines, *why])


def _head(column: Column) -> str:
    return f"{column.title} [{column.unit}]" if column.unit else column.title


def _words(_column: Column, _cell: Cell, shown: Shown) -> str:
    note = f"({shown.note})" if shown.note else ""
    return " ".join(part for part in (shown.text + shown.sign, shown.up, shown.down, note) if part)


def _line(cells: list[str], widths: list[int], columns: tuple[Column, ...]) -> str:
    parts = [
        cell.ljust(width) if column.is_text else cell.rjust(width)
        for cell, width, column in zip(cells, widths, columns, strict=True)
    ]
    return GAP.join(parts).rstrip()
