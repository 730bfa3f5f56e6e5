"""How people rank the systems, and how each metric and each way of forming the consensus does."""

from typing import Any

from app.charts import sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.reasons import reason_in_words
from app.charts.results import Results
from app.charts.tables import Cell, Column, Measured, Ranked, Table, Value
from app.charts.theme import HUMAN, LONGEST_LABEL, LONGEST_NARROW, axis, figure, note, plain, short
from app.charts.words import join
from app.charts.words import short as brief
from app.statistics.ranks import mid_ranks
from app.words import gettext, human_number

ROW_PX = 46
FEW_SYSTEMS = 10


def ranks(results: Results, metric: str) -> list[float]:
    """Rank of each original system, 1 the best, equal scores sharing the mean of their ranks."""
    scores = [system["scores"][metric]["score"] for system in results.originals]
    return mid_ranks(scores)


def metric_ranking(results: Results) -> Exhibit:
    """People's ranking beside each metric's."""
    return Exhibit(
        name="ranking",
        title=gettext("The ranking by people and by each metric"),
        reading=sentences.ranking(results, {metric: ranks(results, metric) for metric in results.scored}),
        figure=_figure(results),
        table=_rank_table(results),
        extra=(_correlation_table(results),) if results.metrics else (),
    )


def _figure(results: Results) -> Figure:
    places = list(range(len(results.scored)))
    by_metric = {metric: ranks(results, metric) for metric in results.scored}
    people = by_metric[HUMAN]
    data = [
        _line(results, number, [by_metric[metric][number] for metric in results.scored], people[number])
        for number in range(len(results.originals))
    ]
    rows = _rows_of_labels(people)
    longest = max(len(name) for name in results.original_names)
    wide, narrow = min(LONGEST_LABEL, longest), min(LONGEST_NARROW, longest)
    names = [short(results.label(metric)) for metric in results.scored]
    return figure(
        data,
        height=ROW_PX * len(results.originals) + 80,
        xaxis=axis(
            tickvals=places,
            ticktext=names,
            side="top",
            range=[-0.3, places[-1] + 0.45],
            showgrid=False,
            linewidth=0,
            linecolor="rgba(0,0,0,0)",
        ),
        yaxis=axis(showticklabels=False, range=[len(people) + 0.5, 0.5], showgrid=False, linecolor="rgba(0,0,0,0)"),
        annotations=_labels(results, rows, wide),
        margin={"l": 28 + 7.4 * wide, "r": 16, "t": 40, "b": 8},
        narrow={
            "layout": {
                "xaxis": {
                    "tickangle": -90,
                    "ticktext": [short(results.label(metric), LONGEST_NARROW + 4) for metric in results.scored],
                },
                "annotations": _labels(results, rows, narrow),
                "margin": {
                    "l": 24 + 7 * narrow,
                    "r": 8,
                    "t": 24 + 7 * min(LONGEST_NARROW + 4, _longest_label(results)),
                },
            }
        },
    )


def _rows_of_labels(people: list[float]) -> list[float]:
    """Where each system's name stands: at its rank by people, below each other where they share one."""
    rows = list(people)
    for rank in set(people):
        tied = [place for place, each in enumerate(people) if each == rank]
        for number, place in enumerate(tied):
            rows[place] = rank + number - (len(tied) - 1) / 2
    return rows


def _labels(results: Results, rows: list[float], most: int) -> list[dict[str, Any]]:
    place: dict[str, Any] = {"x": 0, "xanchor": "right", "xshift": -18, "font": {"color": "@text", "size": 13}}
    return [note(short(name, most), y=row, **place) for name, row in zip(results.original_names, rows, strict=True)]


def _longest_label(results: Results) -> int:
    return max(len(results.label(metric)) for metric in results.scored)


def _line(results: Results, number: int, row: list[float], people: float) -> dict[str, Any]:
    moved = [rank != people for rank in row]
    name = plain(results.original_names[number])
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "cliponaxis": False,
        "name": name,
        "x": list(range(len(row))),
        "y": row,
        "text": [brief(rank) for rank in row],
        "textfont": {"size": 12, "color": ["@on-accent" if each else "@text" for each in moved]},
        "line": {"color": "@line", "width": 1.5},
        "marker": {
            "size": 24,
            "color": ["@accent" if each else "@surface" for each in moved],
            "line": {"color": ["@accent" if each else "@line" for each in moved], "width": 1.5},
            "opacity": 1,
        },
        "hoverinfo": "text",
        "hovertext": [
            _rank_words(name, rank, people, None if metric == HUMAN else plain(results.label(metric)))
            for metric, rank in zip(results.scored, row, strict=True)
        ],
    }


def _rank_words(name: str, rank: float, people: float, metric: str | None) -> str:
    if metric is None:
        return gettext("%(system)s: rank %(rank)s by people", system=name, rank=brief(rank))
    return gettext(
        "%(system)s: rank %(rank)s by %(metric)s, %(people)s by people",
        system=name,
        rank=brief(rank),
        metric=metric,
        people=brief(people),
    )


def _rank_table(results: Results) -> Table:
    by_metric = {metric: ranks(results, metric) for metric in results.scored}
    columns = [Column(metric, results.label(metric), gettext("rank"), 0) for metric in results.scored]
    rows = tuple(
        (
            Cell(name),
            *(
                Cell(_rank(by_metric[m][row]), "moved" if by_metric[m][row] != by_metric[HUMAN][row] else "")
                for m in results.scored
            ),
        )
        for row, name in enumerate(results.original_names)
    )
    caption = gettext("1 is the best; equal scores share the mean of their ranks. ↕: another rank than people give.")
    return Table(
        "ranking",
        gettext("Ranks of the systems"),
        caption,
        (Column("system", gettext("System"), is_text=True), *columns),
        rows,
    )


def _rank(value: float) -> int | str:
    return int(value) if value.is_integer() else brief(value)


def _correlation_table(results: Results) -> Table:
    columns = (
        Column("metric", gettext("Metric"), is_text=True),
        Column("kendall", gettext("Kendall’s τ"), decimals=2, term="kendall"),
        Column("spearman", gettext("Spearman’s ρ"), decimals=2, term="spearman"),
        Column("pearson", gettext("Pearson’s r"), decimals=2, term="pearson"),
    )
    rows = tuple(
        (
            Cell(results.label(metric)),
            *(
                Cell(_coefficient(results.document["correlation"][metric]["original"][column.key]))
                for column in columns[1:]
            ),
        )
        for metric in results.metrics
    )
    number = len(results.originals)
    caption = gettext("Over the %(number)s original systems, with the 95 %% interval of the draws.", number=number)
    if number < FEW_SYSTEMS:
        caption += " " + gettext("With so few systems an interval is wide and a 1 says little.")
    caption += _without_value(results)
    return Table("correlation", gettext("Correlation with people over systems"), caption, columns, rows)


def _without_value(results: Results) -> str:
    """Why there are dashes."""
    reasons: dict[str, list[str]] = {}
    for metric in results.metrics:
        cell = results.document["correlation"][metric]["original"]["kendall"]
        if cell["value"] is None:
            reasons.setdefault(cell["reason"], []).append(results.label(metric))
    return "".join(
        " " + gettext("No value for %(metrics)s: %(reason)s.", metrics=join(labels), reason=reason_in_words(reason))
        for reason, labels in reasons.items()
    )


def _coefficient(cell: dict[str, Any]) -> Value:
    return Measured(cell["value"], cell["low"], cell["high"])


def consensus_ranking(results: Results) -> Exhibit:
    """What another way of forming the consensus would change."""
    rankings = results.document["consensus"]["rankings"]
    usable = [each for each in rankings if each["ranks"]]
    columns = [
        Column(each["method"], sentences.method_in_words(each["method"]), gettext("mean grade"), 2) for each in usable
    ]
    rows = tuple(
        (
            Cell(name),
            *(
                Cell(Ranked(each["means"][name], each["ranks"][name]), "moved" if name in each["moved"] else "")
                for each in usable
            ),
        )
        for name in results.original_names
        if all(name in each["ranks"] for each in usable)
    )
    caption = gettext(
        "Mean consensus grade in the unit of the scale, and the rank that follows. "
        "The first method is the one that this analysis uses; ↕: another rank than by that."
    )
    table = Table(
        "consensus-ranking",
        gettext("Ranking by method of consensus"),
        caption + _ties(usable),
        (Column("system", gettext("System"), is_text=True), *columns),
        rows,
    )
    return Exhibit(
        "consensus-ranking", gettext("Other ways to form the consensus"), sentences.consensus(rankings), table
    )


def _ties(rankings: list[dict[str, Any]]) -> str:
    """How a tie between grades is resolved, and how often that was needed."""
    counted = [
        f"{sentences.method_in_words(each['method'])} {human_number(each['tied'])}"
        for each in rankings
        if each.get("tied")  # analyses of earlier versions don't say
    ]
    if not counted:
        return ""
    words = gettext(
        "Where several grades are equally supported the lowest is taken; items so tied: %(methods)s.",
        methods=", ".join(counted),
    )
    return f" {words}"
