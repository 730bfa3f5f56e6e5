"""Is it enough? How far intervals reach now, and would with more grades or problems: of systems and of a pair."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts import enough_sentences, half_width_tables
from app.charts.exhibit import Exhibit, Figure
from app.charts.facets import axis_name, layout_key, panels
from app.charts.tables import number
from app.charts.theme import axis, figure, legend, plain
from app.charts.words import join
from app.words import N_, gettext, human_number

Document = Mapping[str, Any]  # of a Precision
MOST_COLOURED = 6  # systems with a colour and a dash of their own; more are hairlines, named on hover
MOST_LINES = 40
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PANEL_PX, PANEL_GAP = 260, 0.09
WAYS = (
    ("by_grades", "grade_numbers", N_("More grades on every item")),
    ("by_problems", "problem_numbers", N_("More problems")),
)


def system_half_widths(document: Document) -> Exhibit:
    """All systems' means with their intervals, now and projected."""
    known = _drawn(document)
    return Exhibit(
        "half-widths",
        gettext("How precise the systems’ means are"),
        enough_sentences.systems(document),
        half_width_tables.system_table(document),
        _curves(document, [(system["name"], system) for system in known]) if known else None,
        extra=(half_width_tables.pair_table(document),),
    )


def _drawn(document: Document) -> list[Mapping[str, Any]]:
    """Systems with a half-width; of very many some, evenly from the narrowest to the widest."""
    known = [system for system in document["systems"] if system["half_width"] is not None]
    if len(known) <= MOST_LINES:
        return known
    ordered = sorted(known, key=lambda system: float(system["half_width"]))
    return [ordered[round(place * (len(ordered) - 1) / (MOST_LINES - 1))] for place in range(MOST_LINES)]


def pair_half_widths(document: Document, pair: Mapping[str, Any]) -> Exhibit:
    """What it takes to tell two systems apart; pair: of a PairPrecision of the same Precision."""
    names = join([pair["first"], pair["second"]])
    chart = None
    if pair["half_width"] is not None:
        chart = _curves(
            document, [(gettext("Half-width of %(names)s", names=names), pair)], level=abs(pair["difference"])
        )
    return Exhibit(
        "enough",
        gettext("What it takes to tell %(names)s apart", names=names),
        enough_sentences.pair(document, pair),
        half_width_tables.need_table(document, pair),
        chart,
    )


def _curves(document: Document, lines: Sequence[tuple[str, Mapping[str, Any]]], level: float | None = None) -> Figure:
    """One panel for each way to more; level: a difference that the half-width must fall below."""
    ways = [way for way in WAYS if lines[0][1][way[0]]]
    layout = panels([gettext(title) for _, _, title in ways], columns=2, panel_px=PANEL_PX, gap=PANEL_GAP, margin=110)
    data, shapes = [], []
    top = 1.08 * max([level or 0.0, *(value for _, each in lines for way in ways for value in each[way[0]])])
    for panel, (key, numbers, _) in enumerate(ways):
        data += [_line(name, each[key], document[numbers], panel, row) for row, (name, each) in enumerate(lines)]
        unit = gettext("Grades per item") if key == "by_grades" else gettext("Problems")
        layout[layout_key("x", panel)] = (
            axis(unit, rangemode="tozero", tickformat=",d") | layout[layout_key("x", panel)]
        )
        vertical = axis(gettext("± points") if panel == 0 else "", range=[0, top]) | layout[layout_key("y", panel)]
        layout[layout_key("y", panel)] = vertical | {"showticklabels": True}
        now = document["grades_per_item"] if key == "by_grades" else document["problems"]
        shapes.append(_rule(panel, now))
        if level is not None:
            data.append(_level(level, document[numbers], panel))
    coloured = len(data) // len(ways) <= MOST_COLOURED + (level is not None)
    return figure(
        data,
        **layout,
        margin={"l": 8, "r": 16, "t": 40 if coloured else 8, "b": 8},
        showlegend=coloured,
        legend=legend(),
        shapes=shapes,
        narrow={"layout": _stacked([gettext(title) for _, _, title in ways], len(lines))},
    )


def _stacked(titles: list[str], lines: int) -> dict[str, Any]:
    """One panel below the other; their titles say what the axes count."""
    margin = 40 + 26 * min(lines, MOST_COLOURED)
    layout = panels(titles, columns=1, panel_px=PANEL_PX, gap=PANEL_GAP, margin=110 + margin)
    for panel in range(len(titles)):
        domain = layout[layout_key("x", panel)]["domain"]
        layout[layout_key("x", panel)] = {"domain": domain, "title": {"text": ""}}
        layout[layout_key("y", panel)] = {"domain": layout[layout_key("y", panel)]["domain"]}
    return layout | {"margin": {"t": margin}}


def _line(name: str, values: Sequence[float], numbers: Sequence[int], panel: int, row: int) -> dict[str, Any]:
    own = row < MOST_COLOURED
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(name),
        "legendgroup": f"line-{row}",
        "showlegend": panel == 0,
        "x": list(numbers),
        "y": [round(value, 4) for value in values],
        "xaxis": axis_name("x", panel),
        "yaxis": axis_name("y", panel),
        "line": {
            "color": f"@series-{row + 1}" if own else "@line",
            "dash": DASHES[row % len(DASHES)] if own else "solid",
            "width": 2 if own else 1,
        },
        "hoverinfo": "text",
        "hovertext": [
            _line_words(plain(name), number(value, 2), human_number(count), is_problems=panel > 0)
            for value, count in zip(values, numbers, strict=True)
        ],
    }


def _line_words(name: str, half: str, count: str, *, is_problems: bool) -> str:
    if is_problems:
        return gettext("%(name)s: ±%(half)s points with %(number)s problems", name=name, half=half, number=count)
    return gettext("%(name)s: ±%(half)s points with %(number)s grades per item", name=name, half=half, number=count)


def _level(level: float, numbers: Sequence[int], panel: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": gettext("Their difference"),
        "legendgroup": "level",
        "showlegend": panel == 0,
        "x": [numbers[0], numbers[-1]],
        "y": [round(level, 4)] * 2,
        "xaxis": axis_name("x", panel),
        "yaxis": axis_name("y", panel),
        "line": {"color": "@series-7", "width": 1.5, "dash": "dot"},
        "hoverinfo": "text",
        "hovertext": [gettext("Difference now: %(size)s points", size=number(level, 2))] * 2,
    }


def _rule(panel: int, now: float) -> dict[str, Any]:
    """Where the study stands."""
    place = {"xref": axis_name("x", panel), "yref": f"{axis_name('y', panel)} domain"}
    line = {"color": "@line", "width": 1, "dash": "dot"}
    return {"type": "line", "x0": now, "x1": now, "y0": 0, "y1": 1, "line": line, **place}
