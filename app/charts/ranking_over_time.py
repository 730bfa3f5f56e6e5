"""Whether the ranking has settled: its agreement with the present one as the grades came in."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts import enough_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.tables import Cell, Column, Share, Table, number
from app.charts.theme import axis, figure, note
from app.words import gettext, human_number

MOST_MEANS = 12  # systems whose means fit a table of all checkpoints


def ranking_over_time(document: Mapping[str, Any]) -> Exhibit:
    """document: of a RankingStability."""
    known = [each for each in document["checkpoints"] if each["tau"] is not None]
    return Exhibit(
        "ranking-over-time",
        gettext("Whether the ranking has settled"),
        enough_sentences.stability(document),
        _table(document),
        _figure(document, known) if known else None,
    )


def _figure(document: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> Figure:
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "line": {"color": "@series-1", "width": 2, "shape": "hv"},
        "marker": {"color": "@series-1", "size": 5},
        "x": [each["grades"] for each in known],
        "y": [round(each["tau"], 4) for each in known],
        "hoverinfo": "text",
        "hovertext": [
            gettext(
                "After %(grades)s grades: τ %(tau)s, %(changed)s of %(total)s pairs in another order than now",
                grades=human_number(each["grades"]),
                tau=number(each["tau"], 2),
                changed=human_number(each["changed"]),
                total=human_number(document["pairs"]),
            )
            for each in known
        ],
    }
    since = document["since"]
    return figure(
        [trace],
        height=320,
        margin={"l": 8, "r": 16, "t": 28, "b": 8},
        xaxis=axis(gettext("Grades so far"), rangemode="tozero", tickformat=",d"),
        yaxis=axis(
            gettext("Kendall’s τ to the ranking now"),
            range=[min(-0.02, *(each["tau"] for each in known)) - 0.03, 1.05],
        ),
        shapes=[
            {"type": "line", "x0": since, "x1": since, "yref": "paper", "y0": 0, "y1": 1}
            | {"line": {"color": "@line", "width": 1, "dash": "dot"}}
        ],
        annotations=[_since(since, document["grades"])],
    )


def _since(since: int, grades: int) -> dict[str, Any]:
    side = {"xanchor": "right", "xshift": -4} if since > grades / 2 else {"xanchor": "left", "xshift": 4}
    return note(gettext("no change since"), x=since, y=1, yref="paper", yanchor="bottom", **side)


def _without_grade(names: str) -> str:
    return gettext("Without any grade: %(systems)s.", systems=names)


def _table(document: Mapping[str, Any]) -> Table:
    systems = document["systems"] if len(document["systems"]) <= MOST_MEANS else []
    columns = (
        Column("grades", gettext("Grades"), gettext("so far"), 0),
        Column("tau", gettext("Kendall’s τ"), gettext("to the ranking now"), 2, term="kendall"),
        Column("changed", gettext("Other order than now"), gettext("%% of pairs"), 1),
        Column("changed_sure", gettext("Of pairs told apart now"), "%", 1, term="separated"),
        *(Column(f"mean_{place}", name, gettext("points"), 2) for place, name in enumerate(systems)),
    )
    rows = tuple(
        (
            Cell(each["grades"]),
            Cell(each["tau"]),
            Cell(Share(each["changed"], document["pairs"])),
            Cell(Share(each["changed_sure"], document["sure_pairs"])),
            *map(Cell, each["means"][: len(systems)]),
        )
        for each in document["checkpoints"]
    )
    caption = gettext(
        "Means of the systems from the grades that had come by then, in the order in which they were given; "
        "it begins where each system has a grade."
    )
    if document["systems_left_out"]:
        names = ", ".join(document["systems_left_out"])
        caption = f"{caption} {_without_grade(names)}"
    return Table("ranking-over-time", gettext("The ranking as the grades came in"), caption, columns, rows)
