"""Tests against people: how what passes and what fails is graded, and how far the two agree."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts import execution_sentences
from app.charts.exhibit import Exhibit, Figure
from app.charts.reasons import reason_in_words
from app.charts.tables import Cell, Column, Measured, Share, Table, number
from app.charts.theme import axis, figure, legend
from app.charts.words import short
from app.words import N_, gettext, human_number

Document = Mapping[str, Any]  # of an ExecutionAgreement
OUTCOMES = (("passing", N_("Passes"), "@series-1", ""), ("failing", N_("Fails"), "@series-2", "/"))
COEFFICIENTS = (
    ("superiority", N_("P(passing one graded higher)"), N_("0.5 is chance, 1 is perfect")),
    ("point_biserial", N_("Point-biserial correlation"), N_("0 is none, 1 is perfect")),
    ("kappa", N_("Cohen’s κ of passing and a high grade"), N_("0 is chance, 1 is perfect")),
    ("same", N_("Share that pass with a high grade or fail without one"), N_("0 to 1")),
    ("mean_passing", N_("Mean grade of what passes"), N_("on the scale of the grades")),
    ("mean_failing", N_("Mean grade of what fails"), N_("on the scale of the grades")),
)


def execution_agreement(document: Document) -> Exhibit:
    """The grades of what passes and of what fails, and the coefficients."""
    return Exhibit(
        "execution-agreement",
        gettext("Tests and people"),
        execution_sentences.agreement(document),
        _grade_table(document),
        _figure(document) if document["outputs"] else None,
        extra=(_coefficient_table(document),),
    )


def _totals(rows: Sequence[Document]) -> dict[str, int]:
    return {key: sum(row[key] for row in rows) for key, *_ in OUTCOMES}


def _figure(document: Document) -> Figure:
    rows = document["table"]
    totals = _totals(rows)
    data = [_bars(rows, totals[outcome[0]], outcome) for outcome in OUTCOMES if totals[outcome[0]]]
    return figure(
        data,
        height=360,
        barmode="group",
        bargap=0.25,
        margin={"l": 8, "r": 16, "t": 40, "b": 8},
        showlegend=True,
        legend=legend(),
        xaxis=axis(gettext("Grade by people"), type="category"),
        yaxis=axis(gettext("%% of the outputs that pass, or that fail"), rangemode="tozero"),
        narrow={"layout": {"yaxis": {"title": {"text": gettext("%% of outputs")}}}},
    )


def _bars(rows: Sequence[Document], total: int, outcome: tuple[str, str, str, str]) -> dict[str, Any]:
    key, name, colour, pattern = outcome
    label = f"{gettext(name)} ({human_number(total)})"
    shape = {"shape": pattern, "fillmode": "overlay", "fgcolor": "@surface", "fgopacity": 0.75, "size": 6}
    return {
        "type": "bar",
        "name": label,
        "x": [short(row["level"]) for row in rows],
        "y": [round(100 * row[key] / total, 4) for row in rows],
        "marker": {"color": colour, "pattern": shape, "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [
            gettext(
                "%(outcome)s: %(count)s of %(total)s outputs have grade %(grade)s (%(share)s %%)",
                outcome=gettext(name),
                count=human_number(row[key]),
                total=human_number(total),
                grade=short(row["level"]),
                share=number(100 * row[key] / total, 1),
            )
            for row in rows
        ],
    }


def _grade_table(document: Document) -> Table:
    totals = _totals(document["table"])
    columns = (
        Column("grade", gettext("Grade by people"), decimals=_decimals(document["table"])),
        Column("passing", gettext("Passes"), gettext("%% of what passes"), 1),
        Column("failing", gettext("Fails"), gettext("%% of what fails"), 1),
        Column("pass_share", gettext("Passing of this grade"), gettext("%% of the grade"), 1),
    )
    rows = tuple(
        (
            Cell(row["level"]),
            Cell(Share(row["passing"], totals["passing"])),
            Cell(Share(row["failing"], totals["failing"])),
            Cell(Share(row["passing"], row["passing"] + row["failing"])),
        )
        for row in document["table"]
    )
    caption = gettext(
        "%(outputs)s outputs of %(problems)s problems have both a verdict and a grade; left out are %(ungraded)s "
        "without a grade and %(unexecuted)s without a verdict. A grade between two counts as the nearer one, "
        "half way as the one nearer to the middle of the scale.",
        outputs=human_number(document["outputs"]),
        problems=human_number(document["problems"]),
        ungraded=human_number(document["without_grade"]),
        unexecuted=human_number(document["without_verdict"]),
    )
    return Table("execution-agreement", gettext("Grades of what passes and of what fails"), caption, columns, rows)


def _decimals(rows: Sequence[Document]) -> int:
    """As many as tell the labels of the scale."""
    return max((len(f"{row['level']:g}".partition(".")[2]) for row in rows), default=0)


def _coefficient_table(document: Document) -> Table:
    columns = (
        Column("measure", gettext("Measure"), is_text=True),
        Column("value", gettext("Value"), decimals=3),
        Column("range", gettext("How to read it"), is_text=True),
    )
    rows = tuple(
        (Cell(gettext(name)), Cell(_measured(document[key])), Cell(gettext(reading)))
        for key, name, reading in COEFFICIENTS
    )
    parts = [
        gettext(
            "+up −down: 95 %% interval of %(draws)s resamples of the problems, since outputs of one problem succeed "
            "or fail together. A high grade is one of at least %(high)s.",
            draws=human_number(document["draws"]),
            high=short(document["high"]),
        )
    ]
    for key, name, _ in COEFFICIENTS:
        if document[key]["value"] is None:
            why = reason_in_words(document[key]["reason"])
            parts.append(gettext("No value for %(metrics)s: %(reason)s.", metrics=gettext(name), reason=why))
    title = gettext("How far tests and people agree")
    return Table("execution-coefficients", title, " ".join(parts), columns, rows)


def _measured(cell: Document) -> Measured:
    return Measured(cell["value"], cell["low"], cell["high"])
