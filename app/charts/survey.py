"""The survey of a robustness study as its table: naturalness and semantic similarity, with the kappa of each."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts import agreement_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.few_items import believable, without_interval
from app.charts.reasons import word_or_reason
from app.charts.tables import Cell, Column, Measured, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, legend, plain, short
from app.charts.words import short as brief
from app.words import N_, gettext, human_number

NAMES = {
    ("naturalness", "nominal"): N_("Naturalness, nominal"),
    ("naturalness", "perturbed"): N_("Naturalness, perturbed"),
    ("similarity", "perturbed"): N_("Semantic similarity, perturbed"),
}
WORDS = {
    "naturalness": {0.0: N_("not natural"), 0.5: N_("possible but rare"), 1.0: N_("natural")},
    "similarity": {0.0: N_("totally changed"), 0.5: N_("slightly changed"), 1.0: N_("exactly preserved")},
}
LOOKS = {
    ("naturalness", "nominal"): ("@series-7", "diamond"),
    ("naturalness", "perturbed"): ("@series-2", "square"),
    ("similarity", "perturbed"): ("@series-1", "circle"),
}
POOLED = N_("All transformations")
ROW_PX = 24


def survey(document: Mapping[str, Any]) -> Exhibit:
    """document: of a SurveyTable."""
    document = believable(document)
    rows = document["rows"]
    pooled = [row for row in rows if row["transformation"] is None]
    single = [row for row in rows if row["transformation"] is not None]
    return Exhibit(
        "survey",
        gettext("Naturalness and semantic similarity"),
        agreement_sentences.survey(document),
        _table("survey", gettext("The survey of prompts"), pooled, document),
        _figure(rows),
        extra=(_table("survey-transformations", gettext("The survey by transformation"), single, document),)
        if single
        else (),
    )


def _name(row: Mapping[str, Any]) -> str:
    return gettext(NAMES[row["question"], row["prompts"]])


def _table(name: str, title: str, rows: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> Table:
    labels = sorted({share["label"] for row in document["rows"] for share in row["shares"]})
    is_single = any(row["transformation"] for row in rows)
    columns = (
        Column("question", gettext("Question"), is_text=True),
        *([Column("transformation", gettext("Transformation"), is_text=True)] if is_single else []),
        Column("mean", gettext("Mean"), "0–1" if labels and (labels[0], labels[-1]) == (0, 1) else "", 2),
        *(Column(f"label_{label:g}", brief(label), gettext("%% of an item’s grades"), 1) for label in labels),
        Column("kappa", gettext("Fleiss’ κ"), decimals=2, term="fleiss"),
        Column("word", "Landis–Koch", is_text=True, term="landis-koch"),
        Column("items", gettext("Items"), gettext("graded"), 0),
        Column("items_with_two", gettext("With two grades or more"), gettext("used for κ"), 0),
        Column("items_with_one", gettext("With one grade"), gettext("left out of κ"), 0),
        Column("items_without_grade", gettext("Without grade"), gettext("left out"), 0),
        Column("grades", gettext("Grades"), decimals=0),
    )
    body = tuple(
        (
            Cell(_name(row)),
            *([Cell(row["transformation"])] if is_single else []),
            Cell(Measured(*(row["mean"][key] for key in ("value", "low", "high")))),
            *(Cell(_share(row, label)) for label in labels),
            Cell(Measured(*(row["kappa"][key] for key in ("value", "low", "high")))),
            Cell(word_or_reason(row["kappa"])),
            Cell(row["items"]),
            Cell(row["items_with_two"]),
            Cell(row["items"] - row["items_with_two"]),
            Cell(row["items_without_grade"]),
            Cell(row["grades"]),
        )
        for row in rows
    )
    return Table(name, title, " ".join([_caption(document, labels), *without_interval(rows)]), columns, body)


def _share(row: Mapping[str, Any], label: float) -> Measured:
    for each in row["shares"]:
        if each["label"] == label:
            return Measured(*(_times_100(each["share"][key]) for key in ("value", "low", "high")))
    return Measured(None, None, None)


def _times_100(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _caption(document: Mapping[str, Any], labels: Sequence[float]) -> str:
    natural, similar = (
        ", ".join(f"{brief(each)} {gettext(known[each])}" for each in labels if each in known)
        for known in WORDS.values()
    )
    return gettext(
        "Naturalness: %(natural)s; semantic similarity: %(similar)s. Means and shares: each item weighs the same, "
        "however many grades it has. +up −down: 95 %% interval of %(draws)s resamples of the items.",
        natural=natural,
        similar=similar,
        draws=human_number(document["draws"]),
    )


def _figure(rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    known = [row for row in rows if row["mean"]["value"] is not None]
    if not known:
        return None
    names = list(dict.fromkeys(row["transformation"] or gettext(POOLED) for row in known))
    data = [
        _trace(kind, [row for row in known if (row["question"], row["prompts"]) == kind], names) for kind in LOOKS
    ]
    return figure(
        [trace for trace in data if trace["x"]],
        height=ROW_PX * 2 * len(names) + 130,
        margin={"l": 8, "r": 16, "t": 56, "b": 8},
        showlegend=True,
        legend=legend(),
        xaxis=axis(gettext("Mean grade, with 95 %% interval"), range=[_lowest(known), _highest(known)]),
        yaxis=axis(
            tickvals=list(range(len(names))),
            ticktext=[short(name) for name in names],
            range=[len(names) - 0.4, -0.6],
            showgrid=False,
        ),
        narrow={
            "layout": {
                "margin": {"t": 84},
                "yaxis": {"ticktext": [short(name, LONGEST_NARROW) for name in names]},
            }
        },
    )


def _lowest(rows: Sequence[Mapping[str, Any]]) -> float:
    return min([0.0, *(float(share["label"]) for row in rows for share in row["shares"])]) - 0.02


def _highest(rows: Sequence[Mapping[str, Any]]) -> float:
    return max([1.0, *(float(share["label"]) for row in rows for share in row["shares"])]) + 0.02


def _trace(kind: tuple[str, str], rows: Sequence[Mapping[str, Any]], names: list[str]) -> dict[str, Any]:
    colour, symbol = LOOKS[kind]
    offset = 0.2 * (list(LOOKS).index(kind) - 1)
    ends = [
        (row["mean"]["value"],) * 2 if row["mean"]["low"] is None else (row["mean"]["low"], row["mean"]["high"])
        for row in rows
    ]
    label = gettext(NAMES[kind])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": label,
        "x": [row["mean"]["value"] for row in rows],
        "y": [names.index(row["transformation"] or gettext(POOLED)) + offset for row in rows],
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [high - row["mean"]["value"] for row, (_, high) in zip(rows, ends, strict=True)],
            "arrayminus": [row["mean"]["value"] - low for row, (low, _) in zip(rows, ends, strict=True)],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        "hoverinfo": "text",
        "hovertext": [_in_words(label, row) for row in rows],
    }


def _in_words(question: str, row: Mapping[str, Any]) -> str:
    """A point's hover text; a single item has no interval."""
    mean = row["mean"]
    values = {
        "question": question,
        "transformation": plain(row["transformation"] or gettext(POOLED)),
        "mean": number(mean["value"], 2),
        "items": human_number(row["items"]),
    }
    if mean["low"] is None:
        return gettext("%(question)s, %(transformation)s: %(mean)s; items: %(items)s", **values)
    return gettext(
        "%(question)s, %(transformation)s: %(mean)s, 95 %% interval %(low)s to %(high)s; %(items)s items",
        low=number(mean["low"], 2),
        high=number(mean["high"], 2),
        **values,
    )
