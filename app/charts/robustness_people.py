"""What people say of perturbed prompts by category, in the form of ReCode's Tables 6 and 8."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from app.charts import agreement_sentences
from app.charts.exhibit import Exhibit
from app.charts.few_items import believable, has_few, without_interval
from app.charts.measured import Document, measured, percent
from app.charts.reasons import reason_in_words
from app.charts.robustness_answers import QUESTIONS, answer_bars, share_of, stratum_label
from app.charts.robustness_models import category_in_sentence, category_label, transformation_of_category
from app.charts.survey import WORDS
from app.charts.tables import Cell, Column, Share, Table, number
from app.charts.words import sentence
from app.charts.words import short as brief
from app.words import gettext, human_number, ngettext

Row = Mapping[str, Any]


def of_questions(document: Document, asked: Collection[str]) -> Document:
    """RobustnessSurvey.to_json() with the rows of these questions alone; a survey need not ask both."""
    return {name: _of_questions(document[name], asked) for name in ("categories", "transformations")}


def survey_by_category(document: Document) -> Exhibit:
    """document: RobustnessSurvey.to_json(). By category, and by transformation in a table below."""
    title = gettext("What people say of perturbed prompts")
    categories, transformations = (_believable(document[part]) for part in ("categories", "transformations"))
    return Exhibit(
        "robustness-survey",
        title,
        _reading(categories),
        _table("robustness-survey", title, categories, category_label),
        answer_bars(categories),
        extra=(
            _table(
                "robustness-survey-transformations",
                gettext("What people say of each transformation"),
                transformations,
                transformation_of_category,
            ),
        ),
    )


def _believable(part: Document) -> Document:
    return {**part, "table": believable(part["table"])}


def _of_questions(part: Document, asked: Collection[str]) -> Document:
    def kept(rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if row["question"] in asked]

    table = {**part["table"], "rows": kept(part["table"]["rows"])}
    return {**part, "table": table, "majorities": kept(part["majorities"])}


def _table(name: str, title: str, part: Document, label: Callable[[str], str]) -> Table:
    rows = part["table"]["rows"]
    labels = sorted({each["label"] for row in rows for each in row["shares"]})
    columns = (
        Column("question", gettext("Question"), is_text=True),
        Column("prompts", gettext("Prompts"), is_text=True),
        Column("mean", gettext("Mean"), decimals=2),
        *(Column(f"label_{each:g}", brief(each), "%", 1) for each in labels),
        Column(
            "majority",
            gettext("Majority says %(label)s", label=brief(labels[-1]) if labels else ""),
            gettext("%% of items"),
            1,
            term="strict-majority",
        ),
        Column("no_majority", gettext("No majority"), gettext("%% of items"), 1, term="strict-majority"),
        Column("kappa", gettext("Fleiss’ κ"), decimals=2, term="fleiss"),
        Column("items", gettext("Items"), gettext("graded"), 0),
        Column("grades", gettext("Grades"), decimals=0),
    )
    body = tuple(_row(row, majority, labels, label) for row, majority in zip(rows, part["majorities"], strict=True))
    return Table(name, title, _caption(part["table"], labels), columns, body)


def _row(row: Row, majority: Row, labels: Sequence[float], label: Callable[[str], str]) -> tuple[Cell, ...]:
    top, none = majority["labels"][-1]["share"], majority["none"]
    return (
        Cell(gettext(QUESTIONS[row["question"]])),
        Cell(stratum_label(row, label)),
        Cell(measured(row["mean"])),
        *(Cell(percent(share_of(row, each))) for each in labels),
        Cell(Share(top["count"], top["of"])),
        Cell(Share(none["count"], none["of"])),
        Cell(measured(row["kappa"])),
        Cell(row["items"]),
        Cell(row["grades"]),
    )


def _caption(table: Document, labels: Sequence[float]) -> str:
    natural, similar = (
        ", ".join(f"{brief(each)} {gettext(known[each])}" for each in labels if each in known)
        for known in WORDS.values()
    )
    caption = gettext(
        "Naturalness: %(natural)s; semantic similarity: %(similar)s. Means and shares of the grades: each "
        "item weighs the same. "
        "Majority: more than half of an item’s grades, over items with at least two. +up −down: 95 %% interval of "
        "%(draws)s resamples of the items.",
        natural=natural,
        similar=similar,
        draws=human_number(table["draws"]),
    )
    return " ".join([caption, *without_interval(table["rows"]), *without_kappa(table["rows"])])


def without_kappa(rows: Sequence[Row]) -> list[str]:
    """Why rows have no κ."""
    reasons = dict.fromkeys(row["kappa"]["reason"] for row in rows if row["kappa"]["reason"])
    return [
        gettext("No value for %(metrics)s: %(reason)s.", metrics=gettext("Fleiss’ κ"), reason=reason_in_words(each))
        for each in reasons
    ]


def _reading(part: Document) -> str:
    """The pooled answers, how majorities decide, and which category people like least."""
    parts = [agreement_sentences.survey(part["table"]), *map(sentence, _majorities(part)), *_least_natural(part)]
    return " ".join(parts)


def _majorities(part: Document) -> list[str]:
    found = []
    for row in part["majorities"]:
        top = row["labels"][-1]["share"]
        if row["prompts"] == "perturbed" and row["stratum"] is None and top["of"]:
            found.append(_majority(row["question"], top["count"], top["of"]))
    return found


def _majority(question: str, count: int, items: int) -> str:
    counts = {"count": human_number(count), "items": human_number(items)}
    if question == "naturalness":
        return ngettext(
            "Most annotators of an item call %(count)s of %(items)s perturbed prompt natural",
            "Most annotators of an item call %(count)s of %(items)s perturbed prompts natural",
            items,
            **counts,
        )
    return ngettext(
        "Most annotators of an item find the meaning exactly preserved in %(count)s of %(items)s pair",
        "Most annotators of an item find the meaning exactly preserved in %(count)s of %(items)s pairs",
        items,
        **counts,
    )


def _least_natural(part: Document) -> list[str]:
    """Of the categories with items enough to be compared."""
    known = {
        row["transformation"]: row["mean"]
        for row in part["table"]["rows"]
        if row["question"] == "naturalness" and row["transformation"] and not has_few(row)
    }
    if len({each["value"] for each in known.values()}) < 2:
        return []
    low, high = (pick(known, key=lambda each: known[each]["value"]) for pick in (min, max))
    text = gettext(
        "Least natural are %(low)s changes (mean %(low_mean)s), most natural %(high)s changes (mean %(high_mean)s)",
        low=category_in_sentence(low),
        low_mean=_mean(known[low]),
        high=category_in_sentence(high),
        high_mean=_mean(known[high]),
    )
    return [sentence(text)]


def _mean(cell: Document) -> str:
    value = number(cell["value"], 2)
    if cell["low"] is None:
        return value
    return gettext(
        "%(value)s, 95 %% interval %(low)s to %(high)s",
        value=value,
        low=number(cell["low"], 2),
        high=number(cell["high"], 2),
    )
