"""Two systems compared, and what people said of pairs that a metric puts equally far apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.charts import sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.results import Results
from app.charts.tables import Cell, Column, Measured, PValue, Share, Table
from app.charts.theme import AGREE, HUMAN, SIGN, Kind, axis, delta_label, figure, legend, patterned, plain, style_of

SEES_NONE = Kind("no_difference", "People see no difference", "@kind-type-1", "/", "triangle-up")
SAME = Kind("same", "People say the same", AGREE.colour, AGREE.pattern, AGREE.symbol)
OPPOSITE = Kind("opposite", "People say the opposite", SIGN.colour, SIGN.pattern, SIGN.symbol)
ROW_PX = 34


def two_systems(results: Results, a: str, b: str) -> Exhibit:
    """Differences of A and B on every metric, with their intervals and p-values."""
    cells = results.comparison(a, b)
    return Exhibit(
        "comparison",
        f"{a} compared with {b}",
        sentences.comparison(results, a, b, cells),
        _table(results, a, b, cells),
        _figure(results, a, b, cells),
    )


def _figure(results: Results, a: str, b: str, cells: dict[str, dict[str, float]]) -> Figure:
    data = []
    for metric in results.scored:
        cell, style, label = cells[metric], style_of(metric, results.scored), plain(results.label(metric))
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [cell["difference"]],
                "y": [label],
                "marker": {"color": style.colour, "symbol": style.symbol, "size": 11},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [cell["high"] - cell["difference"]],
                    "arrayminus": [cell["difference"] - cell["low"]],
                    "color": style.colour,
                    "thickness": 2,
                    "width": 5,
                },
                "hoverinfo": "text",
                "hovertext": [
                    f"{label}: {plain(a)} is {abs(cell['difference']):.2f} points "
                    f"{'above' if cell['difference'] >= 0 else 'below'} {plain(b)}, "
                    f"95 % interval {cell['low']:.2f} to {cell['high']:.2f}"
                ],
            }
        )
    corner: dict[str, Any] = {"yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False, "xref": "paper"}
    faint = {"font": {"color": "@muted", "size": 12}}
    return figure(
        data,
        height=ROW_PX * len(results.scored) + 100,
        margin={"l": 8, "r": 16, "t": 30, "b": 8},
        xaxis=axis("Difference, points, with 95 % interval", zeroline=True, zerolinewidth=2, rangemode="tozero"),
        yaxis=axis(autorange="reversed", type="category"),
        annotations=[
            corner | faint | {"text": f"← {plain(b)} better", "x": 0, "xanchor": "left"},
            corner | faint | {"text": f"{plain(a)} better →", "x": 1, "xanchor": "right"},
        ],
    )


def _table(results: Results, a: str, b: str, cells: dict[str, dict[str, float]]) -> Table:
    draws = results.draws
    rows = tuple(
        (
            Cell(results.label(metric)),
            Cell(Measured(cell["difference"], cell["low"], cell["high"])),
            Cell(cell["p_a_greater"], "significant" if results.is_told_apart(metric, a, b) else ""),
            Cell(PValue(cell["p_bootstrap"], draws)),
            Cell(PValue(cell["p_randomisation"], draws)),
        )
        for metric, cell in cells.items()
    )
    columns = (
        Column("metric", "Metric", is_text=True),
        Column("difference", "A − B", "points", 2),
        Column("p_a_greater", "P(A > B)", "share of draws", 3, term="p-greater"),
        Column("p_bootstrap", "p, bootstrap", "two-sided", 3, term="p-bootstrap"),
        Column("p_randomisation", "p, randomisation", "two-sided", 3, term="p-randomisation"),
    )
    caption = (
        f"A is {a}, B is {b}. +up −down: 95 % interval of {draws:,} paired draws. "
        "*: significant by the study’s criterion, P(A > B) at most 0.05 or at least 0.95. "
        "The p-values are not corrected for the number of comparisons."
    )
    return Table("comparison", "Difference of two systems", caption, columns, rows)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What people say of the pairs in one Δ range of one metric."""

    metric: str
    low: float
    high: float
    same: int
    none: int
    opposite: int

    @property
    def pairs(self) -> int:
        """All pairs in the range."""
        return self.same + self.none + self.opposite


def verdicts_of_people(results: Results, a: str, b: str) -> list[Verdicts]:
    """For each metric: the Δ range that A and B fall into, and people's verdicts on all pairs in it."""
    cells, theirs = results.comparison(a, b), results.verdicts(HUMAN)
    found = []
    for metric in results.metrics:
        ours, numbers = results.differences(metric), results.bin_numbers(metric)
        lows = [low for low, _ in results.bins[1:]]
        own = int(np.searchsorted(lows, abs(cells[metric]["difference"]), side="right"))
        inside = numbers == own
        together = np.sign(ours[inside]) * theirs[inside]
        none = int(np.count_nonzero(theirs[inside] == 0))
        same = int(np.count_nonzero(together > 0))
        # The rest: the opposite, or a difference where the metric's is exactly zero.
        found.append(Verdicts(metric, *results.bins[own], same, none, int(inside.sum()) - none - same))
    return found


def what_people_said(results: Results, a: str, b: str) -> Exhibit:
    """What people said of pairs with such a Δ."""
    found = verdicts_of_people(results, a, b)
    rows = tuple(
        (
            Cell(results.label(each.metric)),
            Cell(delta_label(each.low, each.high)),
            *(Cell(Share(count, each.pairs)) for count in (each.same, each.none, each.opposite)),
        )
        for each in found
    )
    columns = (
        Column("metric", "Metric", is_text=True),
        Column("delta", "Δ range", "points", is_text=True),
        Column(SAME.key, "People say the same", "% of pairs", 1),
        Column(SEES_NONE.key, "See no difference", "% of pairs", 1),
        Column(OPPOSITE.key, "Say the opposite", "% of pairs", 1),
    )
    caption = (
        "All pairs of systems that the metric puts as far apart as these two, whether it finds them significant "
        "or not. “The same”: people significantly prefer the system that the metric scores higher."
    )
    table = Table("said", "What people said of pairs with such a difference", caption, columns, rows)
    return Exhibit(
        "said",
        "What people said of pairs with such a difference",
        sentences.said(results, found),
        table,
        _said_figure(results, found),
    )


def _said_figure(results: Results, found: list[Verdicts]) -> Figure:
    names = [f"{plain(results.label(each.metric))}, Δ {delta_label(each.low, each.high)}" for each in found]
    data = []
    for kind, field in ((SAME, "same"), (SEES_NONE, "none"), (OPPOSITE, "opposite")):
        counts = [getattr(each, field) for each in found]
        shares = [100 * count / each.pairs if each.pairs else 0 for count, each in zip(counts, found, strict=True)]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": kind.label,
                "y": names,
                "x": [round(share, 2) for share in shares],
                "marker": patterned(kind),
                "hoverinfo": "text",
                "hovertext": [
                    f"{name}: in {count:,} of {each.pairs:,} pairs ({share:.1f} %) "
                    f"{kind.label[0].lower()}{kind.label[1:]}"
                    for name, count, share, each in zip(names, counts, shares, found, strict=True)
                ],
            }
        )
    return figure(
        data,
        height=ROW_PX * len(found) + 110,
        barmode="stack",
        bargap=0.35,
        margin={"l": 8, "r": 16, "t": 36, "b": 8},
        showlegend=True,
        legend=legend(traceorder="normal"),
        xaxis=axis("Share of pairs, %", range=[0, 100]),
        yaxis=axis(autorange="reversed", type="category", showgrid=False),
        narrow={"layout": {"margin": {"t": 84}}},
    )
