"""Significance by Δ and agreement by Δ: Tables 3 and 4 of 'Out of the BLEU', a panel a metric."""

from typing import Any

from app.charts import pair_sentences, sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.facets import axis_name, layout_key, panels
from app.charts.results import Results
from app.charts.tables import Cell, Column, Mark, Share, Table, number
from app.charts.theme import (
    AGREE,
    SIGN,
    TYPE_1,
    TYPE_2,
    Kind,
    axis,
    delta_label,
    figure,
    legend,
    patterned,
    plain,
    short,
    style_of,
)
from app.charts.words import percent
from app.statistics.advice import FEWEST_PAIRS
from app.words import N_, gettext, human_number

NS = "NS"
BEYOND = N_("A range holds its lower edge; the last one also takes what lies beyond it.")


def significance_by_delta(results: Results) -> Exhibit:
    """In which share of pairs a difference of that size is significant."""
    return Exhibit(
        "significance",
        gettext("Which differences are significant"),
        sentences.significance(results),
        _significance_table(results),
        _significance_figure(results),
    )


def _significance_figure(results: Results) -> Figure:
    labels = [delta_label(*edges) for edges in results.bins]
    data = []
    for panel, metric in enumerate(results.scored):
        shares = [_share(significant, significant + other) for significant, other in _counts(results, metric)]
        data.append(
            {
                "type": "bar",
                "xaxis": axis_name("x", panel),
                "yaxis": axis_name("y", panel),
                "x": labels,
                "y": shares,
                "marker": {"color": style_of(metric, results.scored).colour},
                "text": ["" if share is None else number(share, 1) for share in shares],
                "textposition": "outside",
                "textfont": {"size": 11},
                "cliponaxis": False,
                "hoverinfo": "text",
                "hovertext": [
                    gettext(
                        "%(metric)s finds %(number)s of %(total)s pairs that are %(range)s points apart "
                        "significantly different",
                        metric=plain(results.label(metric)),
                        number=human_number(significant),
                        total=human_number(significant + other),
                        range=label,
                    )
                    for label, (significant, other) in zip(labels, _counts(results, metric), strict=True)
                ],
            }
        )
    names = [results.label(metric) for metric in results.scored]
    return _faceted(data, names, names, gettext("Significant pairs, %%"), 118)


def _counts(results: Results, metric: str) -> list[tuple[int, int]]:
    return [(yes, no) for yes, no in results.document["significance"][metric]]


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


def _faceted(
    data: list[dict[str, Any]], titles: list[str], brief: list[str], y_title: str, top: float, **layout: Any
) -> Figure:
    """Panels in rows of four, on a narrow page of two. The last panel's axis carries the title."""
    wide = panels([short(title, 34) for title in titles], columns=4, panel_px=150, gap=0.03, margin=80)
    narrow = panels([short(title, 24) for title in brief], columns=2, panel_px=130, gap=0.06, margin=116)
    settings: dict[str, Any] = {}
    for panel in range(len(titles)):
        key_x, key_y = layout_key("x", panel), layout_key("y", panel)
        settings[key_x] = axis(type="category", showgrid=False) | wide.pop(key_x)
        settings[key_y] = axis(range=[0, top], tickvals=[0, 25, 50, 75, 100] if top > 60 else None) | wide.pop(key_y)
        settings[key_y] = {name: value for name, value in settings[key_y].items() if value is not None}
        # Bars that are percentages of a panel: ticks of the other columns line up with the first one's.
        narrow[key_x] |= {"tickfont": {"size": 10}, "tickangle": -45}
    settings["yaxis"]["title"] = {"text": y_title, "standoff": 8, "font": {"size": 13, "color": "@muted"}}
    bottom = {
        "text": gettext("Δ of the metric, points"),
        "xref": "paper",
        "yref": "paper",
        "x": 0.5,
        "y": 0,
        "yshift": -42,
        "showarrow": False,
        "font": {"size": 13, "color": "@muted"},
    }
    wide["annotations"].append(bottom)
    for title in narrow["annotations"]:
        title["font"] = title["font"] | {"size": 11}
    narrow["annotations"].append(bottom | {"yshift": -54})
    margin = {"l": 8, "r": 8, "t": 30, "b": 50}
    narrow["margin"] = {"l": 8, "r": 8, "t": 56, "b": 60}
    return figure(data, bargap=0.18, margin=margin, narrow={"layout": narrow}, **settings, **wide, **layout)


def _significance_table(results: Results) -> Table:
    columns = [
        Column(f"delta_{low:g}_{high:g}", f"Δ {delta_label(low, high)}", gettext("%% significant"), 1)
        for low, high in results.bins
    ]
    rows = tuple(
        (
            Cell(results.label(metric)),
            *(Cell(Share(yes, yes + no)) for yes, no in _counts(results, metric)),
        )
        for metric in results.scored
    )
    caption = gettext(
        "Of the pairs of systems whose scores lie so many points apart, the share that is told apart at 95 %% by "
        "%(draws)s paired draws.",
        draws=human_number(results.draws),
    )
    head = Column("metric", gettext("Metric"), is_text=True)
    title = gettext("Significant pairs by difference of scores")
    return Table("significance", title, f"{caption} {gettext(BEYOND)}", (head, *columns), rows)


def all_pairs_by_delta(results: Results) -> Exhibit:
    """On which share of all pairs in a Δ range the metric errs, whether it tells them apart or not."""
    columns = [
        Column(f"delta_{low:g}_{high:g}", f"Δ {delta_label(low, high)}", gettext("%% wrong"), 1)
        for low, high in results.bins
    ]
    rows = []
    for metric in results.metrics:
        counts = [pair_sentences.wrong_in_range(results, metric, place) for place in range(len(results.bins))]
        total = Share(sum(wrong for wrong, _ in counts), sum(pairs for _, pairs in counts))
        mark: Mark = "best" if metric in pair_sentences.least_mistaken(results) else ""
        shares = (Cell(Share(*each)) for each in counts)
        advice = Cell(results.document["advice"][metric]["delta"])
        rows.append((Cell(results.label(metric)), *shares, Cell(total, mark), advice))
    caption = gettext(
        "On how many of all pairs that the metric puts so far apart it errs, whether it tells them apart or not. "
        "To be called right in a range it must err in at most 5 %% of at least %(number)s pairs. "
        "Bold: the metric that errs least.",
        number=FEWEST_PAIRS,
    )
    head = (
        Column("metric", gettext("Metric"), is_text=True),
        *columns,
        Column("total", gettext("All pairs"), gettext("%% wrong"), 1),
        Column("advice", gettext("Under 5 %% from Δ"), gettext("points"), 1, term="advice"),
    )
    return Exhibit(
        "all-pairs",
        gettext("How far apart a metric must put two systems"),
        pair_sentences.all_pairs(results),
        Table(
            "all-pairs",
            gettext("Of all pairs that far apart, the metric is wrong in"),
            f"{caption} {gettext(BEYOND)}",
            head,
            tuple(rows),
        ),
    )


def agreement_by_delta(results: Results) -> Exhibit:
    """Where metric and people disagree, by the metric's difference and by kind of error."""
    return Exhibit(
        "agreement",
        gettext("Where metric and people disagree"),
        pair_sentences.agreement(results),
        _agreement_table(results),
        _agreement_figure(results) if results.metrics else None,
        extra=(_error_table(results),),
    )


def _agreement_figure(results: Results) -> Figure:
    data = [
        _error_trace(results, metric, panel, kind)
        for panel, metric in enumerate(results.metrics)
        for kind in (TYPE_1, SIGN, TYPE_2)
    ]
    data += [_totals_trace(results, metric, panel) for panel, metric in enumerate(results.metrics)]
    totals = [
        {
            "metric": _cut(results.label(metric)),
            "share": number(results.document["agreement"][metric]["total_mismatch"], 1),
        }
        for metric in results.metrics
    ]
    titles = [gettext("%(metric)s: %(share)s %% in all", **each) for each in totals]
    brief = [gettext("%(metric)s, %(share)s %%", **each) for each in totals]
    chart = _faceted(data, titles, brief, gettext("Mismatches, %% of pairs"), 112, barmode="stack", showlegend=True)
    chart["layout"]["legend"] = legend(y=1.0, yref="container", yanchor="top")
    for panel in range(len(results.metrics)):
        chart["layout"][layout_key("x", panel)]["categoryarray"] = _labels(results)
    return chart


def _cut(label: str) -> str:
    """Short enough to leave room for the percentage behind it."""
    return label if len(label) <= 16 else f"{label[:8]}…{label[-7:]}"


def _labels(results: Results) -> list[str]:
    return [*(delta_label(*edges) for edges in results.bins), NS]


def _error_trace(results: Results, metric: str, panel: int, kind: Kind) -> dict[str, Any]:
    cells = _error_cells(results, metric)
    labels = _labels(results)
    return {
        "type": "bar",
        "name": kind.label,
        "legendgroup": kind.key,
        "showlegend": panel == 0,
        "xaxis": axis_name("x", panel),
        "yaxis": axis_name("y", panel),
        "x": labels,
        "y": [_share(cell.get(kind.key, 0), cell["pairs"]) for cell in cells],
        "marker": patterned(kind),
        "hoverinfo": "text",
        "hovertext": [
            _error_words(results.label(metric), label, cell, kind) for label, cell in zip(labels, cells, strict=True)
        ],
    }


def _error_words(metric: str, label: str, cell: dict[str, int], kind: Kind) -> str:
    where = gettext("that it finds %(range)s points apart", range=label)
    if label == NS:
        where = gettext("that it can’t tell apart")
    if not cell["pairs"]:
        return gettext("%(metric)s: no pair %(where)s", metric=plain(metric), where=where)
    errors = cell.get(kind.key, 0)
    return gettext(
        "%(metric)s: %(number)s of %(total)s pairs %(where)s (%(share)s), %(kind)s",
        metric=plain(metric),
        number=human_number(errors),
        total=human_number(cell["pairs"]),
        where=where,
        share=percent(errors, cell["pairs"]),
        kind=kind.label,
    )


def _totals_trace(results: Results, metric: str, panel: int) -> dict[str, Any]:
    """The sum above each stack, as text alone."""
    shares = [_share(cell["mismatches"], cell["pairs"]) for cell in _error_cells(results, metric)]
    return {
        "type": "scatter",
        "mode": "text",
        "xaxis": axis_name("x", panel),
        "yaxis": axis_name("y", panel),
        "x": _labels(results),
        "y": shares,
        "text": ["" if share is None else number(share, 1) for share in shares],
        "textposition": "top center",
        "textfont": {"size": 11},
        "cliponaxis": False,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _error_cells(results: Results, metric: str) -> list[dict[str, int]]:
    found = results.document["agreement"][metric]
    unseen = {
        "pairs": found["ns"]["pairs"],
        "mismatches": found["ns"]["mismatches"],
        "type_2": found["ns"]["mismatches"],
    }
    return [*found["bins"], unseen]


def _agreement_table(results: Results) -> Table:
    columns = [
        Column(f"delta_{low:g}_{high:g}", f"Δ {delta_label(low, high)}", gettext("%% mismatch"), 1)
        for low, high in results.bins
    ]
    rows = tuple(
        (
            Cell(results.label(metric)),
            *(Cell(Share(cell["mismatches"], cell["pairs"])) for cell in _error_cells(results, metric)),
            Cell(_total(results, metric), "best" if metric in pair_sentences.least_mistaken(results) else ""),
        )
        for metric in results.metrics
    )
    head = (
        Column("metric", gettext("Metric"), is_text=True),
        *columns,
        Column("ns", NS, gettext("%% mismatch"), 1, term="ns"),
        Column("total", gettext("All pairs"), gettext("%% mismatch"), 1),
    )
    caption = gettext(
        "Pairs that the metric tells apart, by how far apart; NS: pairs that it can’t tell apart. "
        "Bold: the metric that errs least."
    )
    title = gettext("Mismatches of metric and people")
    return Table("agreement", title, f"{caption} {gettext(BEYOND)}", head, rows)


def _total(results: Results, metric: str) -> Share:
    cells = _error_cells(results, metric)
    return Share(sum(cell["mismatches"] for cell in cells), sum(cell["pairs"] for cell in cells))


def _error_table(results: Results) -> Table:
    rows = []
    for metric in results.metrics:
        for label, cell in zip(_labels(results), _error_cells(results, metric), strict=True):
            counts = [cell.get(kind.key) for kind in (TYPE_1, TYPE_2, SIGN)]
            agree = cell["pairs"] - cell["mismatches"]
            rows.append(
                (Cell(results.label(metric)), Cell(label), Cell(cell["pairs"]), Cell(agree), *map(Cell, counts))
            )
    columns = (
        Column("metric", gettext("Metric"), is_text=True),
        Column("delta", "Δ", gettext("points"), is_text=True),
        Column("pairs", gettext("Pairs"), decimals=0),
        Column("agree", AGREE.label, gettext("pairs"), 0),
        Column("type_1", gettext("Type-I"), gettext("pairs"), 0, term="type-1"),
        Column("type_2", gettext("Type-II"), gettext("pairs"), 0, term="type-2"),
        Column("sign_error", SIGN.label, gettext("pairs"), 0, term="sign-error"),
    )
    caption = gettext("Counts of pairs of systems. A dash: this kind of error can’t occur in that row.")
    return Table("errors", gettext("Kinds of error, in pairs"), caption, columns, tuple(rows))
