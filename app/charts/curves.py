"""Lines with their intervals as bands: shares in percent over a number such as k, one line a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.charts.measured import Document, ends, whiskers
from app.charts.theme import plain, short
from app.words import human_number

MOST_DRAWN = 6  # more bands hide each other; the table has all
MOST_MARKED = 15
SYMBOLS = ("circle", "square", "triangle-up", "cross", "triangle-down", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True, slots=True)
class Point:
    """A share (0-1) with its interval at x; words are its hover text."""

    x: int
    estimate: Document
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One line; ``row`` chooses its colour, symbol and dash, and is at most MOST_DRAWN - 1."""

    name: str
    points: Sequence[Point]
    row: int

    @property
    def colour(self) -> str:
        """Its role."""
        return f"@series-{self.row + 1}"


def log_ticks(xs: Sequence[int]) -> dict[str, Any]:
    """1, 2, 5, 10, 20 … as far as there are values."""
    steps = [step * 10**power for power in range(len(str(xs[-1]))) for step in (1, 2, 5)]
    ticks = [step for step in steps if xs[0] <= step <= xs[-1]] or [xs[0]]
    return {"tickvals": ticks, "ticktext": [human_number(tick) for tick in ticks]}


def traces(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Bands below, lines above; a single point has whiskers and no band."""
    bands = [_band(each) for each in curves if len(each.points) > 1]
    return [*bands, *map(_line, curves)]


def _band(curve: Curve) -> dict[str, Any]:
    """The intervals as one area: along the upper ends and back along the lower ones."""
    xs = [each.x for each in curve.points]
    lows, highs = zip(*(ends(each.estimate) for each in curve.points), strict=True)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(curve.name),
        "legendgroup": f"model-{curve.row}",
        "showlegend": False,
        "x": [*xs, *reversed(xs)],
        "y": [round(100 * value, 4) for value in (*highs, *reversed(lows))],
        "fill": "toself",
        "fillcolor": curve.colour,
        "line": {"width": 0},
        "opacity": 0.16,
        "hoverinfo": "skip",
    }


def _line(curve: Curve) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if len(curve.points) <= MOST_MARKED else "lines",
        "name": short(curve.name),
        "legendgroup": f"model-{curve.row}",
        "x": [each.x for each in curve.points],
        "y": [round(100 * each.estimate["value"], 4) for each in curve.points],
        "line": {"color": curve.colour, "dash": DASHES[curve.row], "width": 2},
        "marker": {"color": curve.colour, "symbol": SYMBOLS[curve.row], "size": 8},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [each.words for each in curve.points],
    }
    if len(curve.points) == 1:
        trace["error_y"] = whiskers([curve.points[0].estimate], 100) | {"color": curve.colour}
    return trace
