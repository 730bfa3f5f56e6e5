"""Two systems compared, and what people said of pairs that a metric puts equally far apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.charts import pair_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.results import Results
from app.charts.tables import MISSING, Cell, Column, Measured, PValue, Share, Table, number
from app.charts.theme import (
    AGREE,
    HUMAN,
    LONGEST_LABEL,
    LONGEST_NARROW,
    SIGN,
    Kind,
    axis,
    delta_label,
    figure,
    legend,
    note,
    patterned,
    plain,
    short,
    style_of,
)
from app.charts.words import percent
from app.words import N_, gettext, human_number

SEES_NONE = Kind("none", N_("People see no difference"), "@kind-type-1", "/", "triangle-up")
SAME = Kind("same", N_("People say the same"), AGREE.colour, AGREE.pattern, AGREE.symbol)
OPPOSITE = Kind("opposite", N_("People say the opposite"), SIGN.colour, SIGN.pattern, SIGN.symbol)
UNDIRECTED = Kind("undirected", N_("The metric scores both the same, people don’t"), "@kind-type-2", ".", "square")
ROW_PX = 34


def two_systems(results: Results, a: str, b: str) -> Exhibit:
    """Differences of A and B on every metric, with their intervals and p-values."""
    cells = results.comparison(a, b)
    return Exhibit(
        "comparison",
        gettext("%(a)s compared with %(b)s", a=a, b=b),
        pair_sentences.comparison(results, a, b, cells),
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
                    gettext(
                        "%(metric)s: %(a)s less %(b)s is %(difference)s points, 95 %% interval %(low)s to %(high)s",
                        metric=label,
                        a=plain(a),
                        b=plain(b),
                        **{key: number(cell[key], 2) for key in ("difference", "low", "high")},
                    )
                ],
            }
        )
    labels = [plain(results.label(metric)) for metric in results.scored]
    return figure(
        data,
        height=ROW_PX * len(results.scored) + 100,
        margin={"l": 8, "r": 16, "t": 30, "b": 8},
        xaxis=axis(
            gettext("Difference, points, with 95 %% interval"), zeroline=True, zerolinewidth=2, rangemode="tozero"
        ),
        yaxis=axis(
            autorange="reversed",
            type="category",
            tickvals=labels,
            ticktext=[short(results.label(metric)) for metric in results.scored],
        ),
        annotations=_directions(a, b, LONGEST_LABEL, 0),
        narrow={
            "layout": {
                # One above the other: side by side they would overlap.
                "annotations": _directions(a, b, LONGEST_LABEL, 18),
                "margin": {"t": 48},
                "xaxis": {"title": {"text": gettext("Difference, points")}},
                "yaxis": {
                    "ticktext": [short(results.label(metric), LONGEST_NARROW + 4) for metric in results.scored]
                },
            }
        },
    )


def _directions(a: str, b: str, most: int, shift: int) -> list[dict[str, Any]]:
    """Which way is better for whom."""
    corner: dict[str, Any] = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom"}
    return [
        note(gettext("← %(system)s better", system=short(b, most)), **corner, x=0, xanchor="left", yshift=shift),
        note(gettext("%(system)s better →", system=short(a, most)), **corner, x=1, xanchor="right"),
    ]


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
        Column("metric", gettext("Metric"), is_text=True),
        Column("difference", "A − B", gettext("points"), 2),
        Column("p_a_greater", "P(A > B)", gettext("share of draws"), 3, term="p-greater"),
        Column("p_bootstrap", gettext("p, bootstrap"), gettext("two-sided"), 3, term="p-bootstrap"),
        Column("p_randomisation", gettext("p, randomisation"), gettext("two-sided"), 3, term="p-randomisation"),
    )
    caption = gettext(
        "A is %(a)s, B is %(b)s. +up −down: 95 %% interval of %(draws)s paired draws. "
        "*: significant by the study’s criterion as published, P(A > B) at least 0.95 or at most 0.05: one-sided at "
        "95 %%, so 90 %% two-sided. The two p-values are two-sided, so that * can stand beside a p of up to about "
        "0.1. They are not corrected for the number of comparisons.",
        a=a,
        b=b,
        draws=human_number(draws),
    )
    title = gettext("Difference of two systems")
    return Table("comparison", title, caption + _ties_words(results, a, b), columns, rows)


def _ties_words(results: Results, a: str, b: str) -> str:
    """What becomes of ties between draws, where there can be any."""
    if results.document["settings"]["ties"] != "strict":
        return ""
    words = gettext(
        "Draws in which both score the same are no win; where nearly all are so there is no significant difference."
    )
    if results.is_turned(a, b):
        order = gettext("The criterion is applied in the study’s order of systems, %(b)s before %(a)s.", a=a, b=b)
        words = f"{words} {order}"
    return f" {words}"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What people say of the pairs in one Δ range of one metric."""

    metric: str
    low: float
    high: float
    same: int
    none: int
    opposite: int
    undirected: int  # people see a difference, but the metric scores both systems the same: it points nowhere

    @property
    def pairs(self) -> int:
        """All pairs in the range."""
        return self.same + self.none + self.opposite + self.undirected


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
        opposite = int(np.count_nonzero(together < 0))
        undirected = int(np.count_nonzero(inside)) - none - same - opposite
        found.append(Verdicts(metric, *results.bins[own], same, none, opposite, undirected))
    return found


def what_people_said(results: Results, a: str, b: str) -> Exhibit:
    """What people said of pairs with such a Δ."""
    found = verdicts_of_people(results, a, b)
    kinds = _kinds(found)
    rows = tuple(
        (
            Cell(results.label(each.metric)),
            Cell(delta_label(each.low, each.high)),
            *(Cell(Share(count, each.pairs)) for count in (getattr(each, kind.key) for kind in kinds)),
        )
        for each in found
    )
    columns = (
        Column("metric", gettext("Metric"), is_text=True),
        Column("delta", gettext("Δ range"), gettext("points"), is_text=True),
        *(Column(f"people_{kind.key}", kind.label, gettext("%% of pairs"), 1) for kind in kinds),
    )
    caption = gettext(
        "All pairs of systems that the metric puts as far apart as these two, whether it finds them significant "
        "or not. “The same”: people significantly prefer the system that the metric scores higher. "
        "A range holds its lower edge; the last one also takes what lies beyond it."
    )
    title = gettext("What people said of pairs with such a difference")
    table = Table("said", title, caption, columns, rows)
    return Exhibit("said", title, pair_sentences.said(results, found), table, _said_figure(results, found))


def _kinds(found: list[Verdicts]) -> list[Kind]:
    """Undirected pairs are rare: named only where there are some."""
    return [SAME, SEES_NONE, OPPOSITE, *([UNDIRECTED] if any(each.undirected for each in found) else [])]


def _said_figure(results: Results, found: list[Verdicts]) -> Figure:
    names = [f"{plain(results.label(each.metric))}, Δ {delta_label(each.low, each.high)}" for each in found]
    data = []
    for kind in _kinds(found):
        counts = [getattr(each, kind.key) for each in found]
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
                    gettext(
                        "%(name)s: in %(number)s of %(total)s pairs (%(share)s): %(what)s",
                        name=name,
                        number=human_number(count),
                        total=human_number(each.pairs),
                        share=_percent(count, each.pairs),
                        what=kind.label,
                    )
                    for name, count, each in zip(names, counts, found, strict=True)
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
        xaxis=axis(gettext("Share of pairs, %%"), range=[0, 100]),
        yaxis=axis(
            autorange="reversed",
            type="category",
            showgrid=False,
            tickvals=names,
            ticktext=_ticks(results, found, LONGEST_LABEL),
        ),
        narrow={"layout": {"margin": {"t": 84}, "yaxis": {"ticktext": _ticks(results, found, LONGEST_NARROW)}}},
    )


def _ticks(results: Results, found: list[Verdicts], most: int) -> list[str]:
    return [
        f"{short(results.label(each.metric), most)},\u00a0Δ\u00a0{delta_label(each.low, each.high)}" for each in found
    ]


def _percent(count: int, pairs: int) -> str:
    return percent(count, pairs) if pairs else MISSING
