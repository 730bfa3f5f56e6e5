"""How far grading is, and how far the annotators agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.charts import progress_sentences
from app.charts.agreement_bands import band_names, bands
from app.charts.exhibit import Exhibit, Figure
from app.charts.reasons import word_or_reason
from app.charts.results import Results
from app.charts.tables import Cell, Column, Measured, Share, Table, number
from app.charts.theme import axis, figure, note, plain
from app.words import N_, gettext, human_number, ngettext

COEFFICIENTS = (
    ("fleiss_kappa", N_("Fleiss’ κ"), "fleiss"),
    ("nominal", N_("Krippendorff’s α, nominal"), "alpha-nominal"),
    ("ordinal", N_("Krippendorff’s α, ordinal"), "alpha-ordinal"),
    ("interval", N_("Krippendorff’s α, interval"), "alpha-interval"),
)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where grading stands. items_by_grades: how many items have so many grades.

    question: whose grades these are, of a study that asks about items of several instruments; else nothing.
    """

    items_by_grades: Mapping[int, int]
    grades_by_annotator: Sequence[tuple[str, int]]
    wanted: int  # grades per item that the study asks for
    reference_items: int = 0  # items that are only a reference: graded, but no system's output
    question: str = ""

    @property
    def items(self) -> int:
        """All items that can be graded."""
        return sum(self.items_by_grades.values())

    @property
    def grades(self) -> int:
        """All current grades that count."""
        return sum(number * items for number, items in self.items_by_grades.items())

    @property
    def complete_items(self) -> int:
        """Items with as many grades as the study asks for."""
        return sum(items for number, items in self.items_by_grades.items() if number >= self.wanted)


def grades_per_item(progress: Progress) -> Exhibit:
    """A histogram: how many items have no grade, one, two …"""
    top = max([progress.wanted, *progress.items_by_grades], default=progress.wanted)
    numbers = list(range(top + 1))
    items = [progress.items_by_grades.get(number, 0) for number in numbers]
    rows = tuple(
        (Cell(number), Cell(Share(count, progress.items))) for number, count in zip(numbers, items, strict=True)
    )
    columns = (Column("grades", gettext("Grades"), gettext("per item"), 0), Column("items", gettext("Items"), "%", 1))
    table = Table(
        "grades-per-item",
        gettext("Items by their number of grades"),
        ngettext(
            "The study asks for %(num)s grade per item. Surplus grades are left out.",
            "The study asks for %(num)s grades per item. Surplus grades are left out.",
            progress.wanted,
        )
        + _population(progress)
        + _of_question(progress),
        columns,
        rows,
    )
    return Exhibit(
        "grades-per-item",
        gettext("Grades per item"),
        progress_sentences.grades_per_item(progress.items_by_grades, progress.wanted) + _of_question(progress),
        table,
        _histogram(numbers, items, progress.wanted),
    )


def _population(progress: Progress) -> str:
    """Whose items are counted here: others than in the agreement below, where references are graded, too."""
    if not progress.reference_items:
        return ""
    outputs = progress.items - progress.reference_items
    text = ngettext(
        "Of the %(items)s items %(outputs)s are outputs of systems and %(references)s reference; "
        "the agreement among annotators and the analysis count only the outputs.",
        "Of the %(items)s items %(outputs)s are outputs of systems and %(references)s references; "
        "the agreement among annotators and the analysis count only the outputs.",
        progress.reference_items,
        items=human_number(progress.items),
        outputs=human_number(outputs),
        references=human_number(progress.reference_items),
    )
    return f" {text}"


def _of_question(progress: Progress) -> str:
    """That there are more items than these, so that nobody takes them for all."""
    if not progress.question:
        return ""
    text = gettext(
        "Counted here is the question “%(question)s” alone; other instruments of the study have items of their own.",
        question=progress.question,
    )
    return f" {text}"


def _histogram(numbers: list[int], items: list[int], wanted: int) -> Figure:
    trace = {
        "type": "bar",
        "x": numbers,
        "y": items,
        "marker": {"color": ["@series-1" if number >= wanted else "@kind-agree" for number in numbers]},
        "text": [human_number(count) if count else "" for count in items],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [_bar_words(count, grades) for grades, count in zip(numbers, items, strict=True)],
    }
    asked = note(gettext("asked for"), x=wanted - 0.5, y=1, yref="paper", xanchor="left", yanchor="bottom")
    line = {"type": "line", "x0": wanted - 0.5, "x1": wanted - 0.5, "yref": "paper", "y0": 0, "y1": 1}
    return figure(
        [trace],
        height=280,
        bargap=0.15,
        margin={"l": 8, "r": 16, "t": 28, "b": 8},
        xaxis=axis(gettext("Grades per item"), dtick=1, showgrid=False),
        yaxis=axis(gettext("Items"), rangemode="tozero", tickformat=",d"),
        annotations=[asked],
        shapes=[line | {"line": {"color": "@line", "width": 1, "dash": "dot"}}],
    )


def _bar_words(items: int, grades: int) -> str:
    what = ngettext("%(num)s grade", "%(num)s grades", grades)
    number = human_number(items)
    return ngettext(
        "%(items)s item has %(grades)s", "%(items)s items have %(grades)s", items, items=number, grades=what
    )


def grades_per_annotator(progress: Progress) -> Exhibit:
    """A bar a person, by pseudonym, the busiest first."""
    people = sorted(progress.grades_by_annotator, key=lambda each: (-each[1], each[0]))
    rows = tuple((Cell(name), Cell(Share(count, progress.grades))) for name, count in people)
    columns = (
        Column("annotator", gettext("Annotator"), is_text=True),
        Column("grades", gettext("Grades"), gettext("%% of all"), 1),
    )
    caption = gettext("Annotators appear by pseudonym only.") + _of_question(progress)
    table = Table("grades-per-annotator", gettext("Grades by annotator"), caption, columns, rows)
    trace = {
        "type": "bar",
        "orientation": "h",
        "y": [plain(name) for name, _ in people],
        "x": [count for _, count in people],
        "marker": {"color": "@series-1"},
        "text": [human_number(count) for _, count in people],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [
            gettext("%(name)s gave %(number)s grades", name=plain(name), number=human_number(count))
            for name, count in people
        ],
    }
    chart = figure(
        [trace],
        height=22 * len(people) + 70,
        bargap=0.3,
        margin={"l": 8, "r": 48, "t": 8, "b": 8},
        xaxis=axis(gettext("Grades"), rangemode="tozero", tickformat=",d"),
        yaxis=axis(autorange="reversed", type="category", showgrid=False, dtick=1),
    )
    reading = progress_sentences.grades_per_annotator(people) + _of_question(progress)
    return Exhibit("grades-per-annotator", gettext("Grades per annotator"), reading, table, chart if people else None)


def annotator_agreement(results: Results) -> Exhibit:
    """Fleiss' kappa and Krippendorff's alpha with their intervals."""
    found = results.document["annotators"]
    cells = {"fleiss_kappa": found["fleiss_kappa"], **found["krippendorff_alpha"]}
    columns = (
        Column("coefficient", gettext("Coefficient"), is_text=True),
        Column("value", gettext("Value"), decimals=3),
        Column("word", "Landis–Koch", is_text=True, term="landis-koch"),
    )
    rows = tuple(
        (
            Cell(gettext(label)),
            Cell(Measured(cells[key]["value"], cells[key]["low"], cells[key]["high"])),
            Cell(word_or_reason(cells[key])),
        )
        for key, label, _ in COEFFICIENTS
    )
    used = found["fleiss_kappa"]
    caption = ngettext(
        "From %(grades)s grades of %(items)s items, outputs of systems only; %(left_out)s item with a single grade "
        "is left out. +up −down: 95 %% interval of %(draws)s resamples of the items.",
        "From %(grades)s grades of %(items)s items, outputs of systems only; %(left_out)s items with a single grade "
        "are left out. +up −down: 95 %% interval of %(draws)s resamples of the items.",
        used["items_left_out"],
        grades=human_number(used["grades_used"]),
        items=human_number(used["items_used"]),
        left_out=human_number(used["items_left_out"]),
        draws=human_number(used["draws"]),
    )
    title = gettext("Agreement among annotators")
    table = Table("agreement-of-annotators", title, caption, columns, rows)
    return Exhibit(
        "agreement-of-annotators",
        title,
        progress_sentences.annotators(found),
        table,
        _agreement_figure(cells),
    )


def _agreement_figure(cells: Mapping[str, dict[str, Any]]) -> Figure | None:
    known = [(gettext(label), cells[key]) for key, label, _ in COEFFICIENTS if cells[key]["value"] is not None]
    if not known:
        return None
    lowest = min(0.0, *(cell["low"] if cell["low"] is not None else cell["value"] for _, cell in known))
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [cell["value"] for _, cell in known],
        "y": [label for label, _ in known],
        "marker": {"color": "@series-7", "symbol": "diamond", "size": 10},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [
                (cell["high"] if cell["high"] is not None else cell["value"]) - cell["value"] for _, cell in known
            ],
            "arrayminus": [
                cell["value"] - (cell["low"] if cell["low"] is not None else cell["value"]) for _, cell in known
            ],
            "color": "@series-7",
            "thickness": 1.5,
            "width": 4,
        },
        "hoverinfo": "text",
        "hovertext": [f"{label}: {number(cell['value'], 3)}, {gettext(cell['word'])}" for label, cell in known],
    }
    return figure(
        [trace],
        height=250,
        margin={"l": 8, "r": 16, "t": 34, "b": 8},
        xaxis=axis(
            gettext("Agreement beyond chance (1 is perfect), with 95 %% interval"),
            range=[min(lowest, -0.02), 1.0],
            zeroline=True,
        ),
        yaxis=axis(autorange="reversed", showgrid=False),
        shapes=bands(),
        annotations=band_names(),
        narrow={"layout": {"annotations": [], "xaxis": {"title": {"text": gettext("Agreement beyond chance")}}}},
    )
