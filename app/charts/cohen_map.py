"""Cohen's kappa of every two annotators as a heat map, with the table of all pairs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from app.charts import agreement_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.tables import Cell, Column, Measured, Share, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, plain, short

WEIGHTS = {"unweighted": "unweighted", "linear": "linear weights", "quadratic": "quadratic weights"}
MOST_NAMED, MOST_WRITTEN = 40, 20  # annotators whose names, and whose values in the cells, can be read
LARGEST_PX, SMALLEST_PX, WANTED_PX = 44, 4, 620
NO_COMMON = "no common item"


def pairwise_kappa(question: str, document: Mapping[str, Any], *, weight: str = "linear") -> Exhibit:
    """document: of a QuestionAgreement; weight: which of the kappas the map shows, the table has all three."""
    order = _by_agreement(document, weight)
    return Exhibit(
        f"cohen-{weight}",
        f"Agreement of each two annotators on {question}",
        agreement_sentences.pairs(document, weight),
        _table(question, document),
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
        return axis("Annotators, the one who agrees best with the others first", showticklabels=False, **options)
    ticks: dict[str, Any] = {
        "tickvals": list(range(len(order))),
        "ticktext": [short(name) for name in order],
        "tickangle": angle,
    }
    return axis(**ticks | options)


def _words(a: str, b: str, pairs: Mapping[frozenset[str], Mapping[str, Any]], weight: str) -> str:
    if a == b:
        return plain(a)
    pair, names = pairs.get(frozenset((a, b))), f"{plain(a)} and {plain(b)}"
    if pair is None:
        return f"{names}: {NO_COMMON}"
    cell = pair[weight]
    if cell["value"] is None:
        return f"{names}: {cell['reason']}"
    text = f"{names}: κ {number(cell['value'], 3)}, {cell['word']}"
    if cell["low"] is not None:
        text += f", 95 % interval {number(cell['low'], 3)} to {number(cell['high'], 3)}"
    return f"{text}; {pair['items']:,} common items"


def _table(question: str, document: Mapping[str, Any]) -> Table:
    columns = (
        Column("first", "Annotator", is_text=True),
        Column("second", "and", is_text=True),
        Column("items", "Common items", decimals=0),
        Column("equal", "Same grade", "% of items", 1),
        *(Column(weight, f"κ, {label}", decimals=3, term="cohen") for weight, label in WEIGHTS.items()),
    )
    rows = tuple(
        (
            Cell(pair["first"]),
            Cell(pair["second"]),
            Cell(pair["items"]),
            Cell(Share(pair["equal"], pair["items"])),
            *(Cell(Measured(*(pair[weight][key] for key in ("value", "low", "high")))) for weight in WEIGHTS),
        )
        for pair in document["pairs"]
    )
    caption = (
        f"+up −down: 95 % interval of {document['pair_draws']:,} resamples of the items. Weights go by the distance "
        f"of the grades on their scale.{_without_value(document)}"
    )
    return Table("pairs-of-annotators", f"Cohen’s κ of each two annotators on {question}", caption, columns, rows)


def _without_value(document: Mapping[str, Any]) -> str:
    """Why there are dashes, and how many pairs are not in the table at all."""
    reasons = Counter(pair["linear"]["reason"] for pair in document["pairs"] if pair["linear"]["value"] is None)
    text = "".join(f" No value for {count:,} of the pairs: {reason}." for reason, count in sorted(reasons.items()))
    people = len(document["annotators"])
    missing = people * (people - 1) // 2 - len(document["pairs"])
    return f"{text} Pairs with {NO_COMMON}, {missing:,}, are left out." if missing else text
