"""Scores of the systems with their intervals: Table 2 of 'Out of the BLEU', and the forest plot of it."""

from typing import Any

from app.charts import sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.results import Results
from app.charts.tables import Cell, Column, Mark, Measured, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, note, plain, short, style_of
from app.words import gettext

ROW_PX = 18
GROUP_GAP = 2.7  # rows between two metrics, one of them the metric's name


def systems_forest(results: Results) -> Exhibit:
    """Original systems on every metric, people first; all systems in a second table."""
    return Exhibit(
        name="scores",
        title=gettext("Scores of the systems"),
        reading=sentences.scores(results),
        figure=_figure(results),
        table=_original_table(results),
        extra=(_all_table(results),) if len(results.systems) > len(results.originals) else (),
    )


def _figure(results: Results) -> Figure:
    rows: dict[str, list[float]] = {}
    top = 0.0
    for metric in results.scored:
        rows[metric] = [top - place for place in range(len(results.originals))]
        top -= len(results.originals) - 1 + GROUP_GAP
    data = [_trace(results, metric, rows[metric]) for metric in results.scored]
    names = [short(name) for name in results.original_names]
    titles = [_title(results, metric, rows[metric][0] + 1.05) for metric in results.scored]
    return figure(
        data,
        height=round((GROUP_GAP - top) * ROW_PX) + 70,
        xaxis=axis(
            gettext("Score, points (0–100), with 95 %% interval"), rangemode="tozero", zeroline=True, side="bottom"
        ),
        yaxis=axis(
            tickvals=[row for metric in results.scored for row in rows[metric]],
            ticktext=names * len(results.scored),
            range=[top + GROUP_GAP - 0.7, 1.7],
            gridcolor="rgba(0,0,0,0)",
        ),
        annotations=titles,
        narrow={
            "layout": {
                "xaxis": {"title": {"text": gettext("Score, points")}},
                "yaxis": {
                    "ticktext": [short(name, LONGEST_NARROW) for name in results.original_names] * len(results.scored)
                },
            }
        },
    )


def _title(results: Results, metric: str, row: float) -> dict[str, Any]:
    colour = style_of(metric, results.scored).colour
    return note(
        short(results.label(metric)),
        x=0,
        xref="paper",
        xanchor="left",
        xshift=4,
        y=row,
        font={"color": colour, "size": 13, "weight": 600},
    )


def _trace(results: Results, metric: str, rows: list[float]) -> dict[str, Any]:
    cells = [system["scores"][metric] for system in results.originals]
    style = style_of(metric, results.scored)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(results.label(metric)),
        "x": [round(cell["score"], 4) for cell in cells],
        "y": rows,
        "marker": {"color": style.colour, "symbol": style.symbol, "size": 9},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [round(cell["high"] - cell["score"], 4) for cell in cells],
            "arrayminus": [round(cell["score"] - cell["low"], 4) for cell in cells],
            "color": style.colour,
            "thickness": 1.5,
            "width": 4,
        },
        "hoverinfo": "text",
        "hovertext": [
            gettext(
                "%(system)s: %(metric)s %(score)s, 95 %% interval %(low)s to %(high)s",
                system=plain(name),
                metric=plain(results.label(metric)),
                **{key: number(cell[key], 2) for key in ("score", "low", "high")},
            )
            for name, cell in zip(results.original_names, cells, strict=True)
        ],
    }


def _columns(results: Results) -> tuple[Column, ...]:
    scores = [Column(metric, results.label(metric), gettext("points"), 2) for metric in results.scored]
    return (Column("system", gettext("System"), is_text=True), *scores)


def _original_table(results: Results) -> Table:
    caption = gettext(
        "Corpus score on all problems with +up −down to the 97.5 %% and 2.5 %% percentiles of the draws. "
        "Bold: the best system of the column, or all that share the first place; ≈: not told apart from it at 95 %%."
    )
    marks = {metric: _marks(results, metric) for metric in results.scored}
    rows = tuple(
        (
            Cell(system["name"]),
            *(Cell(_measured(system, metric), marks[metric][place]) for metric in results.scored),
        )
        for place, system in enumerate(results.originals)
    )
    return Table("scores", gettext("Scores of the systems, in points"), caption, _columns(results), rows)


def _all_table(results: Results) -> Table:
    title = gettext("All %(number)s systems, synthetic ones included", number=len(results.systems))
    rows = tuple(
        (Cell(system["name"]), *(Cell(_measured(system, metric)) for metric in results.scored))
        for system in results.systems
    )
    caption = gettext(
        "Synthetic systems are named by the system they are made from, the percentage of its outputs replaced, "
        "and 1 (by better graded outputs) or 0 (by worse ones)."
    )
    return Table("all-scores", title, caption, _columns(results), rows)


def _measured(system: dict[str, Any], metric: str) -> Measured:
    cell = system["scores"][metric]
    return Measured(cell["score"], cell["low"], cell["high"])


def _marks(results: Results, metric: str) -> list[Mark]:
    """The best system, or several that score the same, and those not told apart from it."""
    best = sentences.firsts(results, metric)
    return [
        "best" if name in best else ("" if results.is_told_apart(metric, name, best[0]) else "same")
        for name in results.original_names
    ]
