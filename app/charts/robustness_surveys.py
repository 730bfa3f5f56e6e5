"""Surveys side by side, of several benchmarks or of one, in the form of ReCode's Tables 6 and 8."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.charts import agreement_sentences
from app.charts.exhibit import Exhibit
from app.charts.few_items import believable, without_interval
from app.charts.measured import Document, measured
from app.charts.robustness_answers import QUESTIONS
from app.charts.robustness_models import CATEGORIES, category_label, transformation_of_category
from app.charts.robustness_people import without_kappa
from app.charts.survey import NAMES
from app.charts.tables import Cell, Column, Table
from app.words import gettext

Row = Mapping[str, Any]
Surveys = Sequence[tuple[str, Document]]  # of each column a name and RobustnessSurvey.to_json()
Key = tuple[str, str, str | None]  # question, prompts, category or transformation


def surveys_side_by_side(surveys: Surveys, *, name: str, title: str, note: str = "") -> Exhibit:
    """Pooled, then by category and by transformation. note: ends the caption, and says what the columns are of."""
    surveys = [(each, _believable(document)) for each, document in surveys]
    parts = [
        gettext(
            "%(benchmark)s: %(reading)s",
            benchmark=each,
            reading=agreement_sentences.survey(document["categories"]["table"]),
        )
        for each, document in surveys
    ]
    by_category = _by_stratum(f"{name}-categories", gettext("The same by category"), "categories", surveys)
    by_name = _by_stratum(
        f"{name}-transformations", gettext("The same by transformation"), "transformations", surveys
    )
    extra = tuple(table for table in (by_category, by_name) if table.rows)
    return Exhibit(name, title, " ".join(parts), _pooled(name, title, surveys, note), extra=extra)


def _believable(document: Document) -> Document:
    return {part: {**each, "table": believable(each["table"])} for part, each in document.items()}


def _pooled(name: str, title: str, surveys: Surveys, note: str) -> Table:
    columns = (Column("question", gettext("Question"), is_text=True), *_columns(surveys))
    known = [_rows(document, "categories") for _, document in surveys]
    asked = [key for key in NAMES if any((*key, None) in rows for rows in known)]
    rows = tuple((Cell(gettext(NAMES[key])), *_cells(known, (*key, None))) for key in asked)
    return Table(name, title, " ".join([*_caption(surveys, "categories"), *([note] if note else [])]), columns, rows)


def _by_stratum(name: str, title: str, part: str, surveys: Surveys) -> Table:
    label = LABELS[part]
    columns = (
        Column("question", gettext("Question"), is_text=True),
        Column("prompts", gettext("Prompts"), is_text=True),
        *_columns(surveys),
    )
    known = [_rows(document, part) for _, document in surveys]
    keys = sorted({key for rows in known for key in rows if key[2] is not None}, key=_place)
    rows = tuple((Cell(gettext(QUESTIONS[key[0]])), Cell(label(key[2] or "")), *_cells(known, key)) for key in keys)
    return Table(name, title, " ".join(_caption(surveys, part)), columns, rows)


LABELS: dict[str, Callable[[str], str]] = {
    "categories": category_label,
    "transformations": transformation_of_category,
}


def _columns(surveys: Surveys) -> list[Column]:
    return [
        column
        for name, _ in surveys
        for column in (
            Column(f"{name}_mean", name, gettext("mean"), 2),
            Column(f"{name}_kappa", name, gettext("Fleiss’ κ"), 2, term="fleiss"),
        )
    ]


def _rows(document: Document, part: str) -> dict[Key, Row]:
    rows: Sequence[Row] = document[part]["table"]["rows"]
    return {(row["question"], row["prompts"], row["transformation"]): row for row in rows}


def _cells(known: Sequence[Mapping[Key, Row]], key: Key) -> list[Cell]:
    """Nothing where a survey has no such prompts."""
    rows = [each.get(key) for each in known]
    return [Cell(measured(row[column] if row else None)) for row in rows for column in ("mean", "kappa")]


def _place(key: Key) -> tuple[int, int, str]:
    """By question, then in the paper's order of categories, then by name."""
    categories, stratum = list(CATEGORIES), key[2] or ""
    category = stratum.partition("/")[0]
    place = categories.index(category) if category in categories else len(categories)
    return list(QUESTIONS).index(key[0]), place, stratum


def _caption(surveys: Surveys, part: str) -> list[str]:
    interval = gettext("+up −down: 95 %% interval of the resampled items.")
    rows = [row for _, document in surveys for row in document[part]["table"]["rows"]]
    return [interval, *without_interval(rows), *without_kappa(rows)]
