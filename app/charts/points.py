"""Each pair of systems as a point: the metric's difference against people's."""

from typing import Any

import numpy as np

from app.charts import pair_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.results import Results
from app.charts.tables import Cell, Column, Share, Table
from app.charts.theme import AGREE, HUMAN, KINDS, Kind, axis, figure, legend, note, plain, short
from app.words import N_, gettext, human_number

MOST_NAMES = 15  # more would hide the points


def metric_against_people(results: Results, metric: str) -> Exhibit:
    """One metric's differences beside people's, over all pairs."""
    return Exhibit(
        f"points-{metric}",
        gettext("%(metric)s against people, pair by pair", metric=results.label(metric)),
        pair_sentences.points_of(results, metric),
        _original_table(results, metric),
        _figure(results, metric),
        extra=(_kind_table(results),),
    )


def _figure(results: Results, metric: str) -> Figure:
    ours, theirs, kinds = results.differences(metric), results.differences(HUMAN), results.kinds(metric)
    pairs = np.stack([results.pairs["first"], results.pairs["second"]], axis=1)
    data = []
    for number, kind in enumerate(KINDS):
        chosen = kinds == number
        data.append(
            _cloud(kind, np.round(ours[chosen], 2).tolist(), np.round(theirs[chosen], 2).tolist())
            | {"customdata": pairs[chosen].tolist()}
        )
    ring, names = _originals(results, metric)
    data.append(ring)
    label = plain(results.label(metric))
    chart = figure(
        data,
        height=560,
        xaxis=axis(
            gettext("Δ %(metric)s, points", metric=short(results.label(metric))), zeroline=True, zerolinewidth=1.5
        ),
        yaxis=axis(gettext("Δ people, points"), zeroline=True, zerolinewidth=1.5),
        showlegend=True,
        margin={"l": 8, "r": 16, "t": 36, "b": 8},
        legend=legend(),
        annotations=[*_corners(), *names],
        narrow={"layout": {"annotations": _corners(), "height": 460, "margin": {"t": 60}}},
    )
    # The page puts the words of a point together: 3,321 of them spelt out would be most of its size.
    chart["words"] = {"names": [plain(system["name"]) for system in results.systems], "metric": label}
    return chart


def _cloud(kind: Kind, x: list[float], y: list[float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"{kind.label} ({human_number(len(x))})",
        "x": x,
        "y": y,
        "marker": {"color": kind.colour, "symbol": kind.symbol, "size": 5 if kind is AGREE else 6, "opacity": 0.6},
        "hoverinfo": "text",
    }


def _originals(results: Results, metric: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The pairs of original systems, ringed, and their names beside them."""
    pairs = np.stack([results.pairs["first"], results.pairs["second"]], axis=1)
    chosen = np.flatnonzero(pairs[:, 1] < len(results.originals))
    x = np.round(results.differences(metric)[chosen], 2).tolist()
    y = np.round(results.differences(HUMAN)[chosen], 2).tolist()
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": gettext("Original systems (%(number)s)", number=len(chosen)),
        "x": x,
        "y": y,
        "customdata": pairs[chosen].tolist(),
        "marker": {"color": "@text", "symbol": "circle-open", "size": 11, "line": {"width": 2}},
        "hoverinfo": "text",
    }
    if len(chosen) > MOST_NAMES:
        return trace, []
    names = [
        f"{short(results.original_names[a], 20)} – {short(results.original_names[b], 20)}" for a, b in pairs[chosen]
    ]
    order = sorted(range(len(chosen)), key=lambda place: float(y[place]))
    return trace, [_name(names[place], x[place], y[place], number % 2) for number, place in enumerate(order)]


def _name(text: str, x: float, y: float, side: int) -> dict[str, Any]:
    """Left and right in turn: neighbours would cover each other."""
    place = {"xanchor": "left", "xshift": 9} if side else {"xanchor": "right", "xshift": -9}
    look = {"bgcolor": "@ground", "opacity": 0.9, "borderpad": 1, "font": {"color": "@text", "size": 11}}
    return note(text, x=x, y=y, **place, **look)


def _corners() -> list[dict[str, Any]]:
    """Which quadrants are which."""
    opposite, same = gettext("opposite directions"), gettext("same direction")
    corner = {"xref": "paper", "yref": "paper"}
    return [
        note(opposite, **corner, x=0.01, y=0.99, xanchor="left", yanchor="top"),
        note(opposite, **corner, x=0.99, y=0.01, xanchor="right", yanchor="bottom"),
        note(same, **corner, x=0.99, y=0.99, xanchor="right", yanchor="top"),
        note(same, **corner, x=0.01, y=0.01, xanchor="left", yanchor="bottom"),
    ]


WORDS = {1: N_("A better"), 0: N_("no difference"), -1: N_("B better")}


def _original_table(results: Results, metric: str) -> Table:
    rows = tuple(
        (
            Cell(pair["a"]),
            Cell(pair["b"]),
            Cell(pair[metric]["difference"]),
            Cell(gettext(WORDS[results.stored_verdict(pair[metric])])),
            Cell(pair[HUMAN]["difference"]),
            Cell(gettext(WORDS[results.stored_verdict(pair[HUMAN])])),
            Cell(_kind(results, pair, metric).label),
        )
        for pair in results.document["original_pairs"]
    )
    label = results.label(metric)
    columns = (
        Column("a", "A", is_text=True),
        Column("b", "B", is_text=True),
        Column("metric_difference", f"Δ {label}", gettext("points"), 2),
        Column("metric_verdict", gettext("%(metric)s says", metric=label), is_text=True),
        Column("human_difference", gettext("Δ people"), gettext("points"), 2),
        Column("human_verdict", gettext("People say"), is_text=True),
        Column("kind", gettext("Together"), is_text=True),
    )
    caption = gettext("Δ is A’s score less B’s. “No difference”: not told apart at 95 %%.")
    return Table(
        f"points-{metric}",
        gettext("%(metric)s and people on the original systems", metric=label),
        caption,
        columns,
        rows,
    )


def _kind(results: Results, pair: dict[str, Any], metric: str) -> Kind:
    ours, theirs = results.stored_verdict(pair[metric]), results.stored_verdict(pair[HUMAN])
    if ours == theirs:
        return AGREE
    if theirs == 0:
        return KINDS[1]
    return KINDS[2] if ours == 0 else KINDS[3]


def _kind_table(results: Results) -> Table:
    total = results.pair_count
    rows = []
    for metric in results.metrics:
        counts = np.bincount(results.kinds(metric), minlength=len(KINDS))
        rows.append((Cell(results.label(metric)), *(Cell(Share(int(count), total)) for count in counts)))
    columns = [
        Column(kind.key, kind.label, gettext("%% of pairs"), 1, term=kind.key.replace("_", "-").replace("agree", ""))
        for kind in KINDS
    ]
    return Table(
        "kinds",
        gettext("How each metric and people come together"),
        gettext("All %(number)s pairs of systems, synthetic ones included.", number=human_number(total)),
        (Column("metric", gettext("Metric"), is_text=True), *columns),
        tuple(rows),
    )


def pair_table(results: Results) -> Table:
    """Every pair with all differences and verdicts: for a file, not for a page."""
    names = [system["name"] for system in results.systems]
    columns = [Column("a", "A", is_text=True), Column("b", "B", is_text=True)]
    values: list[list[Any]] = []
    for metric in results.scored:
        label = results.label(metric)
        columns.append(Column(f"{metric}_difference", f"Δ {label}", gettext("points"), 2))
        columns.append(Column(f"{metric}_verdict", gettext("%(metric)s verdict", metric=label), decimals=0))
        values += [results.pairs["differences"][metric], results.pairs["verdicts"][metric]]
    rows = tuple(
        (Cell(names[a]), Cell(names[b]), *map(Cell, row))
        for a, b, row in zip(results.pairs["first"], results.pairs["second"], zip(*values, strict=True), strict=True)
    )
    caption = gettext("Verdicts: 1 A better, −1 B better, 0 not told apart at 95 %%.")
    return Table("pairs", gettext("All pairs of systems"), caption, tuple(columns), rows)
