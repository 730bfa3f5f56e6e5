"""Small panels of one figure, one a metric, in rows that fit the page."""

from math import ceil
from typing import Any

from app.charts.theme import note

TITLE_PX = 30
GAP_PX = 34  # room for a row's tick labels


def axis_name(letter: str, panel: int) -> str:
    """Plotly's name of the panel's axis in a trace: x, x2, x3 …"""
    return letter if panel == 0 else f"{letter}{panel + 1}"


def layout_key(letter: str, panel: int) -> str:
    """Plotly's name of the panel's axis in a layout."""
    return f"{letter}axis" if panel == 0 else f"{letter}axis{panel + 1}"


def panels(titles: list[str], *, columns: int, panel_px: int, gap: float, margin: int) -> dict[str, Any]:
    """Domains, titles above each panel, and the height with the margins; to be merged into the axes' own settings."""
    columns = min(columns, len(titles))
    rows = ceil(len(titles) / columns)
    step = panel_px + TITLE_PX + GAP_PX
    height = rows * step - GAP_PX
    width = (1 - gap * (columns - 1)) / columns
    layout: dict[str, Any] = {"annotations": [], "height": height + margin}
    for number, title in enumerate(titles):
        row, column = divmod(number, columns)
        left = column * (width + gap)
        top = 1 - (row * step + TITLE_PX) / height
        bottom = max(0.0, 1 - (row * step + TITLE_PX + panel_px) / height)
        layout[layout_key("x", number)] = {"domain": [left, left + width], "anchor": axis_name("y", number)}
        layout[layout_key("y", number)] = {
            "domain": [bottom, top],
            "anchor": axis_name("x", number),
            "showticklabels": column == 0,
        }
        layout["annotations"].append(
            note(
                title,
                xref="paper",
                yref="paper",
                x=left,
                y=top,
                xanchor="left",
                yanchor="bottom",
                font={"color": "@text", "size": 14, "weight": 600},
                yshift=6,
            )
        )
    return layout
