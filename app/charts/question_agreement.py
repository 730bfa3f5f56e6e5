"""How far annotators agree on one question, over all items and by stratum."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts import agreement_sentences
from app.charts.agreement_bands import band_names, bands
from app.charts.exhibit import Exhibit, Figure
from app.charts.few_items import believable_agreement, no_interval
from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Measured, Share, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, legend, plain, short
from app.charts.words import short as brief
from app.words import N_, gettext, human_number

Document = Mapping[str, Any]  # of a QuestionAgreement
ALL_ITEMS = N_("All items")
LEVELS = {"nominal": N_("α, nominal"), "ordinal": N_("α, ordinal"), "interval": N_("α, interval")}
ROW_PX, GROUP_GAP = 20, 0.8  # rows of a stratum lie closer together than strata
LOOKS = (("@series-7", "diamond"), ("@series-1", "circle"))


def question_agreement(
    question: str,
    whole: Document,
    strata: Sequence[Mapping[str, Any]] = (),
    *,
    level: str = "ordinal",
    items_without_grade: int | None = None,
) -> Exhibit:
    """Coefficients with their intervals; strata: of StratumAgreement; level: which alpha the figure shows.

    items_without_grade: of the whole, where that is known.
    """
    whole = believable_agreement(whole)
    strata = [{**each, "agreement": believable_agreement(each["agreement"])} for each in strata]
    without = [items_without_grade, *(each["items_without_grade"] for each in strata)]
    rows = [(gettext(ALL_ITEMS), whole), *((each["name"], each["agreement"]) for each in strata)]
    return Exhibit(
        "question-agreement",
        gettext("Agreement on %(question)s", question=question),
        agreement_sentences.question(whole, strata, level),
        _coefficient_table(question, rows, without),
        _figure(rows, level),
        extra=(_majority_table(question, rows), *([_top_table(question, whole)] if whole["top_counts"] else [])),
    )


def _cells(document: Document, level: str) -> list[tuple[str, Mapping[str, Any]]]:
    found = document["coefficients"]
    return [
        (gettext("Fleiss’ κ"), found["fleiss_kappa"]),
        (gettext(LEVELS[level]), found["krippendorff_alpha"][level]),
    ]


def _figure(rows: Sequence[tuple[str, Document]], level: str) -> Figure | None:
    usable = [(name, _cells(each, level)) for name, each in rows]
    usable = [(name, cells) for name, cells in usable if any(cell["value"] is not None for _, cell in cells)]
    if not usable:
        return None
    height = len(usable) * (1 + GROUP_GAP)
    centres = [-place * (1 + GROUP_GAP) for place in range(len(usable))]
    data = [_trace(usable, centres, which) for which in range(len(LOOKS))]
    lows = [cell["low"] for _, cells in usable for _, cell in cells if cell["low"] is not None]
    return figure(
        data,
        height=round(height * ROW_PX * 1.4) + 130,
        margin={"l": 8, "r": 16, "t": 62, "b": 8},
        showlegend=True,
        legend=legend(y=1, yanchor="bottom", yref="paper") | {"y": 1 + 24 / (height * ROW_PX * 1.4 + 60)},
        xaxis=axis(
            gettext("Agreement beyond chance (1 is perfect), with 95 %% interval"),
            range=[min([-0.02, *lows]), 1.0],
            zeroline=True,
        ),
        yaxis=axis(
            tickvals=centres,
            ticktext=[short(name) for name, _ in usable],
            range=[centres[-1] - 1, 1],
            showgrid=False,
        ),
        shapes=bands(),
        annotations=band_names(),
        narrow={
            "layout": {
                "annotations": [],
                "xaxis": {"title": {"text": gettext("Agreement beyond chance")}},
                "yaxis": {"ticktext": [short(name, LONGEST_NARROW) for name, _ in usable]},
            }
        },
    )


def _trace(
    usable: Sequence[tuple[str, list[tuple[str, Mapping[str, Any]]]]], centres: Sequence[float], which: int
) -> dict[str, Any]:
    known = [
        (name, cells[which][1], centre + 0.22 - 0.44 * which)
        for (name, cells), centre in zip(usable, centres, strict=True)
        if cells[which][1]["value"] is not None
    ]
    label = usable[0][1][which][0]
    colour, symbol = LOOKS[which]
    ends = [(cell["low"], cell["high"]) if cell["low"] is not None else (cell["value"],) * 2 for _, cell, _ in known]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": label,
        "x": [cell["value"] for _, cell, _ in known],
        "y": [place for _, _, place in known],
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [high - cell["value"] for (_, cell, _), (_, high) in zip(known, ends, strict=True)],
            "arrayminus": [cell["value"] - low for (_, cell, _), (low, _) in zip(known, ends, strict=True)],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        "hoverinfo": "text",
        "hovertext": [_in_words(name, label, cell) for name, cell, _ in known],
    }


def _in_words(name: str, coefficient: str, cell: Mapping[str, Any]) -> str:
    """A point's hover text; a single item has no interval."""
    values = {
        "name": plain(name),
        "coefficient": coefficient,
        "value": number(cell["value"], 3),
        "word": gettext(cell["word"]),
    }
    if cell["low"] is None:
        return gettext("%(name)s: %(coefficient)s %(value)s, %(word)s", **values)
    return gettext(
        "%(name)s: %(coefficient)s %(value)s, %(word)s, 95 %% interval %(low)s to %(high)s",
        low=number(cell["low"], 3),
        high=number(cell["high"], 3),
        **values,
    )


def _coefficient_table(question: str, rows: Sequence[tuple[str, Document]], without: Sequence[int | None]) -> Table:
    columns = (
        Column("items", gettext("Items"), is_text=True),
        Column("fleiss", gettext("Fleiss’ κ"), decimals=3, term="fleiss"),
        *(Column(f"alpha_{level}", gettext(LEVELS[level]), decimals=3, term="krippendorff") for level in LEVELS),
        Column("items_used", gettext("Items used"), decimals=0),
        Column("items_single", gettext("With one grade"), gettext("left out"), 0),
        Column("items_without", gettext("Without grade"), gettext("left out"), 0),
        Column("grades", gettext("Grades"), decimals=0),
    )
    body = []
    for (name, each), none in zip(rows, without, strict=True):
        used = each["coefficients"]["fleiss_kappa"]
        alpha = each["coefficients"]["krippendorff_alpha"]
        coefficients = [used, *(alpha[level] for level in LEVELS)]
        measured = [Cell(Measured(cell["value"], cell["low"], cell["high"])) for cell in coefficients]
        counts = (used["items_used"], used["items_left_out"], none, used["grades_used"])
        body.append((Cell(name), *measured, *map(Cell, counts)))
    used = rows[0][1]["coefficients"]["fleiss_kappa"]
    parts = [
        gettext("+up −down: 95 %% interval of %(draws)s resamples of the items.", draws=human_number(used["draws"]))
    ]
    if len(rows) > 1:
        parts.append(gettext("Each stratum is resampled by itself."))
    parts += no_interval([each["coefficients"]["fleiss_kappa"] for _, each in rows])
    for name, each in rows:
        kappa = each["coefficients"]["fleiss_kappa"]
        if kappa["value"] is None:
            why = reason_in_words(kappa["reason"])
            parts.append(gettext("No value for %(metrics)s: %(reason)s.", metrics=name, reason=why))
    title = gettext("Agreement on %(question)s", question=question)
    return Table("question-agreement", title, " ".join(parts), columns, tuple(body))


def _majority_table(question: str, rows: Sequence[tuple[str, Document]]) -> Table:
    top = rows[0][1]["top"]
    columns = (
        Column("items", gettext("Items"), is_text=True),
        Column("same", gettext("Same grade"), gettext("%% of pairs"), 1, term="same-grades"),
        Column("majority", gettext("Strict majority"), gettext("%% of items"), 1, term="strict-majority"),
        Column("majority_items", gettext("Items with it"), "%", 1),
        Column("top", gettext("Top grade in the majority"), gettext("%% of items"), 1),
        Column("top_items", gettext("Items with it"), "%", 1),
    )
    body = tuple(
        (
            Cell(name),
            Cell(_percent(each["same"], "value")),
            Cell(_percent(each["majority"], "share")),
            Cell(Share(each["majority"]["count"], each["majority"]["of"])),
            Cell(_percent(each["top_majority"], "share")),
            Cell(Share(each["top_majority"]["count"], each["top_majority"]["of"])),
        )
        for name, each in rows
    )
    named = gettext("the top grade")
    if top is not None:
        named = gettext("the top grade, %(grade)s", grade=brief(top))
    caption = gettext(
        "Over the items with at least two grades. Same grade: of each item’s pairs of grades the share that are "
        "equal, averaged over the items. Strict majority: more than half of an item’s grades are the same; last, "
        "items of which more than half are %(top)s. +up −down: 95 %% interval of the resampled items.",
        top=named,
    )
    return Table("majorities", gettext("Majorities on %(question)s", question=question), caption, columns, body)


def _percent(cell: Mapping[str, Any], key: str) -> Measured:
    return Measured(*(None if cell[each] is None else 100 * cell[each] for each in (key, "low", "high")))


def _top_table(question: str, whole: Document) -> Table:
    """For each number of grades: how many items have the top one at least so often."""
    counts = whole["top_counts"]
    rows = []
    for grades in sorted({each["grades"] for each in counts}):
        those = [each for each in counts if each["grades"] == grades]
        of = sum(each["items"] for each in those)
        for least in range(1, grades + 1):
            items = sum(each["items"] for each in those if each["top"] >= least)
            mark: Any = "significant" if 2 * least > grades else ""
            rows.append(
                (
                    Cell(gettext("at least %(least)s of %(grades)s", least=least, grades=grades), mark),
                    Cell(grades),
                    Cell(least),
                    Cell(Share(items, of)),
                )
            )
    columns = (
        Column("rule", gettext("Say the top grade"), is_text=True),
        Column("grades", gettext("Grades"), gettext("of the item"), 0),
        Column("at_least", gettext("At least"), gettext("times"), 0),
        Column("items", gettext("Items"), gettext("%% of those with so many grades"), 1),
    )
    top = whole["top"]
    caption = gettext("The top grade is %(grade)s. *: a strict majority of the item’s grades.", grade=brief(top))
    title = gettext("How often the top grade is given on %(question)s", question=question)
    return Table("top-grade", title, caption, columns, tuple(rows))
