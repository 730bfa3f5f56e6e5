"""Grades as a table: task, worker, label (crowd-kit's columns), and optionally question and time.

An item is named by the columns ``problem`` and ``system``, or by ``task`` as ``problem|system``. The system
``reference`` is the problem's first reference, ``reference 2`` its second, unless a system has that name.
"""

from collections.abc import Iterable

from app.services.imports.cells import Cells
from app.services.imports.material import Batch, GradeRow


def read_grades(rows: Iterable[Cells], batch: Batch) -> None:
    """Add the rows of a table of grades to the batch; items and scales are looked up when they are stored."""
    for cells in rows:
        batch.rows += 1
        by_columns = "problem" in cells.columns and "system" in cells.columns
        label = cells.row.values.get(cells.column("label"))
        if label is None or label == "":
            cells.fail("There is no grade.", cells.column("label"), "Leave out rows of items that were not graded.")
        grade = GradeRow(
            annotator=cells.name("annotator"),
            label=label,
            row=cells.row.number,
            problem=cells.name("problem") if by_columns else None,
            system=cells.name("system") if by_columns else None,
            task=None if by_columns else cells.text("task"),
            question=cells.optional_name("question"),
            at=cells.time("time"),
        )
        if not cells.bad:
            batch.grades.append(grade)
