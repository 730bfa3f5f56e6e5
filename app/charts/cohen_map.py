"""Cohen's kappa of every two annotators as a heat map, with the table of all pairs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from app.charts import agreement_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.progress_sentences import with_interval
from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Measured, Share, Table
from app.charts.theme import LONGEST_NARROW, axis, figure, plain, short
from app.charts.words import join
from app.words import N_, gettext, human_number

WEIGHTS = {
    "unweighted": N_("κ, unweighted"),
    "linear": N_("κ, linear weights"),
    "quadratic": N_("κ, quadratic weights"),
}
MOST_NAMED, MOST_WRITTEN = 40, 20  # annotators whose names, and whose values in the cells, can be read
LARGEST_PX, SMALLEST_PX, WANTED_PX = 44, 4, 620


def pairwise_kappa(
    question: str, document: Mapping[str, Any], *, weight: str = "linear", most_rows: int | None = None
) -> Exhibit:
    """document: of a QuestionAgreement; weight: which of the kappas the map shows, the table has all three.

    most_rows: of more pairs the table holds those with the most common items.
    """
    order = _by_agreement(document, weight)
    return Exhibit(
        f"cohen-{weight}",
        gettext("Agreement of each two annotators on %(question)s", question=question),
        agreement_sentences.pairs(document, weight),
        _table(question, document, most_rows or len(document["pairs"])),
        _figure(document, order, weight),
    )


def _by_agreement(document: Mapping[str, Any], weight: str) -> list[str]:
    """Annotators with a pair, best agreement with the others first; those without any value last."""
    values: dict[str, list[float]] = {}
    for pair in document["pairs"]:
        for name in (pair["first"], pair["second"]):
            known = values.setdefault(name, [])
            if pair[weight]["value"] is not None:
                known.append(pair[weight]["value"])
    return sorted(values, key=lambda name: (-sum(values[name]) / len(values[name]) if values[name] else 2.0, name))


def _figure(document: Mapping[str, Any], order: list[str], weight: str) -> Figure | None:
    pairs = {frozenset((pair["first"], pair["second"])): pair for pair in document["pairs"]}
    cells = [[pairs.get(frozenset((a, b))) if a != b else None for b in order] for a in order]
    values = [[None if cell is None else cell[weight]["value"] for cell in row] for row in cells]
    known = [value for row in values for value in row if value is not None]
    if not known:
        return None
    size = len(order)
    pixels = max(SMALLEST_PX, min(LARGEST_PX, WANTED_PX // size))
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": [[None if value is None else round(value, 4) for value in row] for row in values],
        "x": list(range(size)),
        "y": list(range(size)),
        "zmin": min(0.0, *known),
        "zmax": 1,
        "colorscale": [[0, "@sunken"], [1, "@heat"]],
        "xgap": 1 if size <= MOST_NAMED else 0,
        "ygap": 1 if size <= MOST_NAMED else 0,
        "colorbar": {"title": {"text": "κ"}, "thickness": 12, "outlinewidth": 0, "len": 1},
        "hoverinfo": "text",
        "textfont": {"size": 11, "color": "@text"},
    }
    if size <= MOST_WRITTEN:
        trace |= {"texttemplate": "%{z:.2f}", "narrow": {"texttemplate": "", "showscale": False}}
    if size <= MOST_NAMED:
        trace["hovertext"] = [[_words(a, b, pairs, weight) for b in order] for a in order]
    else:
        trace |= {"hoverinfo": "z"}
    return figure(
        [trace],
        height=size * pixels + 110,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis=_names(order, 90),
        yaxis=_names(order, 0) | {"autorange": "reversed"},
        narrow={"layout": _narrow(order)},
    )


def _narrow(order: list[str]) -> dict[str, Any]:
    layout: dict[str, Any] = {"height": len(order) * min(20, WANTED_PX // len(order)) + 130}
    if len(order) <= MOST_NAMED:
        ticks = {"ticktext": [short(name, LONGEST_NARROW) for name in order]}
        layout |= {"xaxis": ticks, "yaxis": ticks}
    return layout


def _names(order: list[str], angle: int) -> dict[str, Any]:
    options: dict[str, Any] = {"showgrid": False, "linecolor": "rgba(0,0,0,0)"}
    if len(order) > MOST_NAMED:
        return axis(
            gettext("Annotators, the one who agrees best with the others first"), showticklabels=False, **options
        )
    ticks: dict[str, Any] = {
        "tickvals": list(range(len(order))),
        "ticktext": [short(name) for name in order],
        "tickangle": angle,
    }
    return axis(**ticks | options)


def _words(a: str, b: str, pairs: Mapping[frozenset[str], Mapping[str, Any]], weight: str) -> str:
    if a == b:
        return plain(a)
    pair, names = pairs.get(frozenset((a, b))), join([plain(a), plain(b)])
    if pair is None:
        return gettext("%(names)s: no common item", names=names)
    cell = pair[weight]
    if cell["value"] is None:
        return f"{names}: {reason_in_words(cell['reason'])}"
    return gettext(
        "%(names)s: κ %(value)s, %(word)s; %(items)s common items",
        names=names,
        value=with_interval(cell),
        word=gettext(cell["word"]),
        items=human_number(pair["items"]),
    )


def _table(question: str, document: Mapping[str, Any], most_rows: int) -> Table:
    pairs = document["pairs"]
    chosen = pairs if len(pairs) <= most_rows else sorted(pairs, key=lambda pair: -int(pair["items"]))[:most_rows]
    columns = (
        Column("first", gettext("Annotator"), is_text=True),
        Column("second", gettext("and"), is_text=True),
        Column("items", gettext("Common items"), decimals=0),
        Column("equal", gettext("Same grade"), gettext("%% of items"), 1),
        *(Column(weight, gettext(label), decimals=3, term="cohen") for weight, label in WEIGHTS.items()),
    )
    rows = tuple(
        (
            Cell(pair["first"]),
            Cell(pair["second"]),
            Cell(pair["items"]),
            Cell(Share(pair["equal"], pair["items"])),
            *(Cell(Measured(*(pair[weight][key] for key in ("value", "low", "high")))) for weight in WEIGHTS),
        )
        for pair in chosen
    )
    caption = gettext(
        "+up −down: 95 %% interval of %(draws)s resamples of the items. Weights go by the distance "
        "of the grades on their scale.",
        draws=human_number(document["pair_draws"]),
    )
    caption += _without_value(document)
    if len(chosen) < len(pairs):
        caption += " " + gettext(
            "The %(shown)s of %(all)s pairs with the most common items; the files hold all.",
            shown=human_number(most_rows),
            all=human_number(len(pairs)),
        )
    title = gettext("Cohen’s κ of each two annotators on %(question)s", question=question)
    return Table("pairs-of-annotators", title, caption, columns, rows)


def _without_value(document: Mapping[str, Any]) -> str:
    """Why there are dashes, and how many pairs are not in the table at all."""
    reasons = Counter(pair["linear"]["reason"] for pair in document["pairs"] if pair["linear"]["value"] is None)
    parts = [
        gettext(
            "No value for %(number)s of the pairs: %(reason)s.",
            number=human_number(count),
            reason=reason_in_words(reason),
        )
        for reason, count in sorted(reasons.items())
    ]
    people = len(document["annotators"])
    missing = people * (people - 1) // 2 - len(document["pairs"])
    if missing:
        parts.append(gettext("Pairs with no common item, %(number)s, are left out.", number=human_number(missing)))
    return "".join(f" {part}" for part in parts)
