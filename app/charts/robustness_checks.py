"""Automatic checks against people: which of them predicts what people call unnatural, or changed in meaning?"""

from collections.abc import Sequence
from typing import Any

from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document, measured, share_in_words, whiskers
from app.charts.reasons import reason_in_words
from app.charts.robustness_check_readings import check_label, has_few, is_told_apart, reading, tells
from app.charts.tables import Cell, Column, Mark, Measured, PValue, Table
from app.charts.theme import LONGEST_NARROW, axis, figure, note, plain, short
from app.charts.words import join
from app.charts.words import short as brief
from app.statistics.estimates import FEWEST
from app.words import gettext, human_number

ROW_PX = 40


def checks_against_people(document: Document, question: str = "naturalness") -> Exhibit:
    """document: ChecksAgainstPeople.to_json() of the grades of a question, "naturalness" or "similarity"."""
    title = gettext("Automatic checks beside people: what is natural")
    if question == "similarity":
        title = gettext("Automatic checks beside people: what keeps its meaning")
    order = sorted(document["checks"], key=lambda each: -(each["auc"]["value"] or -1.0))
    name = f"robustness-checks-{question}"
    return Exhibit(
        name,
        title,
        reading(order, document["differences"], question),
        _table(name, title, order, document),
        _figure([each for each in order if each["auc"]["value"] is not None]),
        extra=(_difference_table(name, document),) if _compared(document) else (),
    )


def _compared(document: Document) -> list[Document]:
    """Pairs of checks that score any item both."""
    return [each for each in document["differences"] if each["items"]]


def _table(name: str, title: str, order: Sequence[Document], document: Document) -> Table:
    columns = (
        Column("check", gettext("Check"), is_text=True),
        Column("auc", "AUC", decimals=3, term="auc"),
        Column("kendall", gettext("Kendall’s τ"), decimals=3),
        Column("spearman", gettext("Spearman’s ρ"), decimals=3),
        Column("items", gettext("Items"), gettext("scored and graded"), 0),
        Column("unnatural", gettext("Found fault with"), gettext("items"), 0),
        Column("left_out", gettext("Without score"), gettext("left out"), 0),
    )
    best = next((each["check"] for each in order if tells(each)), None)
    rows = tuple(
        (
            Cell(check_label(each["check"])),
            Cell(measured(each["auc"]), "best" if each["check"] == best and len(order) > 1 else ""),
            Cell(measured(each["kendall"])),
            Cell(measured(each["spearman"])),
            Cell(each["items"]),
            Cell(each["unnatural"]),
            Cell(each["items_left_out"]),
        )
        for each in order
    )
    return Table(name, title, _caption(order, document), columns, rows)


def _caption(order: Sequence[Document], document: Document) -> str:
    limit = brief(document["limit"])
    rule = gettext(
        "People find fault with an item where more than half of its grades are at most %(limit)s.", limit=limit
    )
    if document["verdict"] == "mean":
        rule = gettext(
            "People find fault with an item where the mean of its grades is at most %(limit)s.", limit=limit
        )
    parts = [
        rule,
        gettext(
            "τ and ρ: of the score with the mean grade. +up −down: 95 %% interval of %(draws)s resamples of the "
            "items.",
            draws=human_number(document["draws"]),
        ),
    ]
    few = [check_label(each["check"]) for each in order if each["auc"]["value"] is not None and has_few(each)]
    if few:
        message = gettext(
            "No interval of the AUC of %(checks)s: fewer than %(fewest)s items of either kind.",
            checks=join(few),
            fewest=human_number(FEWEST),
        )
        parts.append(message)
    reasons: dict[str, list[str]] = {}
    for each in order:
        for key in ("auc", "kendall"):
            names = reasons.setdefault(each[key]["reason"], []) if each[key]["reason"] else []
            names += [] if check_label(each["check"]) in names else [check_label(each["check"])]
    parts += [
        gettext("No value for %(metrics)s: %(reason)s.", metrics=join(names), reason=reason_in_words(reason))
        for reason, names in reasons.items()
    ]
    return " ".join(parts)


def _difference_table(name: str, document: Document) -> Table:
    columns = (
        Column("first", "A", is_text=True),
        Column("second", "B", is_text=True),
        Column("difference", gettext("AUC of A − B"), decimals=3, term="auc"),
        Column("p", gettext("p, bootstrap"), decimals=4, term="p-bootstrap"),
        Column("items", gettext("Items"), gettext("scored by both"), 0),
    )
    rows = []
    for each in _compared(document):
        mark: Mark = "significant" if is_told_apart(each) else ""
        p = None if each["p"] is None else PValue(each["p"], document["draws"])
        value: Measured = measured(each["difference"])
        labels = [Cell(check_label(each[key])) for key in ("first", "second")]
        rows.append((*labels, Cell(value, mark), Cell(p), Cell(each["items"])))
    caption = gettext(
        "Both checks on the same resampled items. *: the 95 %% interval excludes 0, and p is at most 0.05."
    )
    return Table(f"{name}-differences", gettext("Two checks side by side"), caption, columns, tuple(rows))


def _figure(known: Sequence[Document]) -> Figure | None:
    if not known:
        return None
    places = list(range(len(known)))
    labels = [check_label(each["check"]) for each in known]
    aucs = [each["auc"] for each in known]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [round(100 * each["value"], 4) for each in aucs],
        "y": places,
        "marker": {"color": "@series-1", "symbol": "circle", "size": 11},
        "error_x": whiskers(aucs, 100) | {"color": "@series-1", "thickness": 2, "width": 5},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [share_in_words(plain(label), each) for label, each in zip(labels, aucs, strict=True)],
    }
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": 50, "x1": 50}
    lowest = min([0.4, *(each["low"] if each["low"] is not None else each["value"] for each in aucs)])
    return figure(
        [trace],
        height=ROW_PX * len(known) + 110,
        margin={"l": 8, "r": 16, "t": 26, "b": 8},
        xaxis=axis(
            gettext("Pairs of items that the check orders as people do, %% (AUC), with 95 %% interval"),
            range=[100 * lowest - 2, 100.5],
        ),
        yaxis=axis(
            tickvals=places,
            ticktext=[short(label) for label in labels],
            range=[len(known) - 0.4, -0.6],
            showgrid=False,
            ticks="",
        ),
        shapes=[line | {"layer": "below", "line": {"color": "@line", "width": 1.5, "dash": "dash"}}],
        annotations=[note(gettext("chance"), x=50, y=1, yref="paper", yanchor="bottom")],
        narrow={
            "layout": {
                "xaxis": {"title": {"text": gettext("Pairs ordered as by people, %%")}},
                "yaxis": {"ticktext": [short(label, LONGEST_NARROW) for label in labels]},
            }
        },
    )
