"""Outputs on which tests and people differ, and what the tests said of each system, as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.exhibit import Exhibit
from app.charts.tables import Cell, Column, Share, Table
from app.charts.verdicts import VERDICTS, counts_in_words, verdict_in_words
from app.charts.words import sentence, short
from app.words import gettext, human_number

Document = Mapping[str, Any]
COUNTED = ("passed", "failed", "error", "timeout", "memory", "blocked")


def verdicts_by_system(document: Document) -> Exhibit:
    """What the tests said of each system's outputs."""
    systems: Sequence[Document] = document["systems"]
    seen = {name for each in systems for name in each["verdicts"]}
    columns = (
        Column("system", gettext("System"), is_text=True),
        Column("passing", gettext("Passes"), gettext("%% of the judged"), 1),
        *(Column(name, verdict_in_words(name), decimals=0) for name in VERDICTS if name in seen and name != "passed"),
    )
    rows = tuple(
        (
            Cell(each["name"]),
            Cell(Share(each["verdicts"].get("passed", 0), sum(each["verdicts"].get(name, 0) for name in COUNTED))),
            *(Cell(each["verdicts"].get(column.key, 0)) for column in columns[2:]),
        )
        for each in systems
    )
    told = gettext(
        "Of %(total)s outputs whose problems have tests: %(counts)s",
        total=human_number(document["outputs"]),
        counts=counts_in_words(document["verdicts"]),
    )
    title = gettext("What the tests said")
    caption = gettext("Outputs that were not executed, or for which the sandbox failed, are not judged.")
    return Exhibit("verdicts", title, sentence(told), Table("verdicts", title, caption, columns, rows))


def passes_but_low(document: Document) -> Table:
    """Outputs that pass although people graded them low."""
    title = gettext("Passes, but people gave at most %(low)s", low=short(document["scale"]["low"]))
    return _listed("passes-but-low", title, document["passes_but_low"])


def fails_but_high(document: Document) -> Table:
    """Outputs that fail although people graded them high."""
    title = gettext("Fails, but people gave at least %(high)s", high=short(document["scale"]["high"]))
    return _listed("fails-but-high", title, document["fails_but_high"])


def _listed(name: str, title: str, outputs: Sequence[Document]) -> Table:
    columns = (
        Column("problem", gettext("Problem"), is_text=True),
        Column("system", gettext("System"), is_text=True),
        Column("verdict", gettext("Verdict"), is_text=True),
        Column("reason", gettext("Reason"), is_text=True),
        Column("consensus", gettext("Consensus"), decimals=2, term="consensus"),
        Column("grades", gettext("Grades"), is_text=True),
    )
    rows = tuple(
        (
            Cell(each["problem"]),
            Cell(each["system"]),
            Cell(verdict_in_words(each["verdict"])),
            Cell(each["reason"]),
            Cell(each["consensus"]),
            Cell(grades_in_words(each["grades"])),
        )
        for each in outputs
    )
    return Table(name, title, "", columns, rows)


def grades_in_words(grades: Sequence[float]) -> str:
    """ "0, 1, 1"."""
    return ", ".join(short(grade) for grade in grades)
