"""Grades as a table: task, worker, label (crowd-kit's columns), and optionally question, time and what exports add.

An item is named by the columns ``problem`` and ``system``, or by ``task`` as ``problem|system``. The system
``reference`` is the problem's first reference, ``reference 2`` its second, unless a system has that name. A prompt or
pair is named as exports name it: ``problem|original``, ``problem|transformation seed``. An export names every item by
``item`` and ``instrument``, too. ``text`` holds a comment, or labels.
"""

from collections.abc import Iterable

from app.services.imports.cells import Cells
from app.services.imports.material import Batch, GradeRow
from app.words import gettext, human_number


def read_grades(rows: Iterable[Cells], batch: Batch) -> None:
    """Add the rows of a table of grades to the batch; items and scales are looked up when they are stored."""
    skipped = 0
    for cells in rows:
        batch.rows += 1
        if cells.flag("skipped"):
            skipped += 1
            continue
        grade = _grade(cells)
        if cells.bad:
            continue
        batch.grades.append(grade)
        if cells.flag("excluded"):
            batch.excluded.add(grade.annotator)
    if skipped:
        batch.notes.append(
            gettext(
                "%(number)s rows tell of skipped items; they hold no grade and were left out.",
                number=human_number(skipped),
            )
        )


def _grade(cells: Cells) -> GradeRow:
    identity = cells.optional_text("identity")
    by_columns = "problem" in cells.columns and ("system" in cells.columns or identity is not None)
    return GradeRow(
        annotator=cells.name("annotator"),
        label=_label(cells),
        row=cells.row.number,
        problem=cells.name("problem") if by_columns else None,
        system=_system(cells, identity) if by_columns else None,
        task=None if by_columns else cells.text("task"),
        text=_text(cells),
        identity=identity,
        instrument=cells.optional_name("instrument"),
        question=cells.optional_name("question"),
        at=cells.time("time"),
        updated_at=cells.time("updated"),
        surplus=bool(cells.flag("surplus")),
        swapped=bool(cells.flag("swapped")),
    )


def _label(cells: Cells) -> object:
    label = cells.row.values.get(cells.column("label"))
    if label in (None, "") and "text" not in cells.columns:
        cells.fail(
            gettext("There is no grade."),
            cells.column("label"),
            gettext("Leave out rows of items that were not graded."),
        )
    return label


def _text(cells: Cells) -> str | None:
    if "text" not in cells.columns or cells.row.values.get(cells.column("text")) is None:
        return None
    return cells.text("text")


def _system(cells: Cells, identity: str | None) -> str | None:
    if identity is not None and cells.optional_text("role") not in (None, "main"):
        return None  # a repeat or a check of that system's output is an item of its own
    return cells.name("system") if identity is None else cells.optional_name("system")
