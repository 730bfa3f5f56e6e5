"""Automatic checks against people: which of them predicts what people call unnatural, or changed in meaning?"""

from collections.abc import Sequence
from typing import Any

from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document, measured, share_in_words, whiskers
from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Mark, Measured, PValue, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, note, plain, short
from app.charts.words import join, percent, sentence
from app.charts.words import short as brief
from app.statistics.significance import LEVEL
from app.words import N_, gettext, human_number

CHECKS = {
    "cosine": N_("Embedding cosine"),
    "cosine_docstring": N_("Cosine of docstrings"),
    "cosine_name": N_("Cosine of names’ words"),
    "cosine_code": N_("Cosine of code"),
    "codebleu_syntax": N_("CodeBLEU syntax"),
    "codebleu_dataflow": N_("CodeBLEU data flow"),
}
CHANCE = 0.5
ROW_PX = 40


def check_label(check: str) -> str:
    """In the reader's language, where it is one of the paper's."""
    return gettext(CHECKS[check]) if check in CHECKS else check


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
        _reading(order, document["differences"], question),
        _table(name, title, order, document),
        _figure([each for each in order if each["auc"]["value"] is not None]),
        extra=(_difference_table(name, document),) if _compared(document) else (),
    )


def _compared(document: Document) -> list[Document]:
    """Pairs of checks that score any item both."""
    return [each for each in document["differences"] if each["items"]]


def _reading(order: Sequence[Document], differences: Sequence[Document], question: str) -> str:
    known = [each for each in order if each["auc"]["value"] is not None]
    if not known:
        reason = reason_in_words(order[0]["auc"]["reason"]) if order else gettext("there is no check")
        return sentence(gettext("No check can be held against people: %(reason)s", reason=reason))
    parts = [sentence(_best(known, differences, question))]
    chance = [each for each in known if _is_chance(each["auc"])]
    if chance:
        names = join([check_label(each["check"]) for each in chance])
        parts.append(sentence(gettext("Not told from chance: %(checks)s", checks=names)))
    return " ".join(parts)


def _is_chance(auc: Document) -> bool:
    """Whether the interval holds 0.5, or there is none."""
    return auc["low"] is None or auc["low"] <= CHANCE <= auc["high"]


def _best(known: Sequence[Document], differences: Sequence[Document], question: str) -> str:
    best = known[0]
    values = {
        "check": check_label(best["check"]),
        "share": percent(best["auc"]["value"], 1),
        "interval": _interval(best["auc"]),
        "rest": _beside(known, differences),
    }
    if question == "similarity":
        return gettext(
            "%(check)s comes nearest to people: of an item whose meaning they find changed and another one it scores "
            "the first lower in %(share)s%(interval)s%(rest)s",
            **values,
        )
    return gettext(
        "%(check)s comes nearest to people: of an item that they call unnatural and another one it scores the first "
        "lower in %(share)s%(interval)s%(rest)s",
        **values,
    )


def _interval(cell: Document) -> str:
    if cell["low"] is None:
        return gettext(" (50 %% is chance)")
    low, high = (number(100 * cell[end], 1) for end in ("low", "high"))
    return gettext(" (95 %% interval %(low)s to %(high)s; 50 %% is chance)", low=low, high=high)


def _beside(known: Sequence[Document], differences: Sequence[Document]) -> str:
    """The second, and whether the two can be told apart."""
    if len(known) == 1:
        return ""
    second = known[1]
    found = _difference(differences, known[0]["check"], second["check"])
    values = {"other": check_label(second["check"]), "share": percent(second["auc"]["value"], 1)}
    if found is not None and not found["items"]:
        return gettext("; next comes %(other)s, of other prompts (%(share)s)", **values)
    if found is not None and _is_told_apart(found):
        return gettext(", significantly more often than %(other)s (%(share)s)", **values)
    return gettext(", which is not significantly more often than %(other)s (%(share)s)", **values)


def _difference(differences: Sequence[Document], a: str, b: str) -> Document | None:
    return next((each for each in differences if {each["first"], each["second"]} == {a, b}), None)


def _is_told_apart(found: Document) -> bool:
    cell = found["difference"]
    if cell["low"] is None or found["p"] is None:
        return False
    return bool((cell["low"] > 0 or cell["high"] < 0) and found["p"] <= LEVEL)


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
    best = next((each["check"] for each in order if each["auc"]["value"] is not None), None)
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
        gettext(rule, limit=brief(document["limit"])),
        gettext(
            "τ and ρ: of the score with the mean grade. +up −down: 95 %% interval of %(draws)s resamples of the "
            "items.",
            draws=human_number(document["draws"]),
        ),
    ]
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
        mark: Mark = "significant" if _is_told_apart(each) else ""
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
