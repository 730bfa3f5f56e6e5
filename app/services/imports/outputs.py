"""Outputs as tables. Long: a row for each output. Wide: a row for each problem, a column for each system."""

from collections.abc import Iterable

from app.services.imports.cells import Cells, name_of, text_of
from app.services.imports.code_language import read_language
from app.services.imports.formats import SYSTEM_COLUMN
from app.services.imports.material import Batch, OutputRow, ProblemRow
from app.services.imports.storable import BadValue
from app.words import gettext

PROBLEM_FIELDS = ("intent", "context", "tests", "references", "image", "image_alt")


def read_long(rows: Iterable[Cells], batch: Batch) -> None:
    """Add the rows of a long table to the batch."""
    for cells in rows:
        batch.rows += 1
        problem = _problem(cells, cells.name("problem"))
        system, output = cells.name("system"), cells.text("output")
        read_language(cells, batch)
        if not cells.bad and _agrees(cells, problem, batch) and _is_new(cells, problem.key, system, batch):
            _add_problem(problem, batch)
            batch.systems[system] = None
            batch.outputs[problem.key, system] = OutputRow(output, cells.row.number)


def read_wide(rows: Iterable[Cells], batch: Batch) -> None:
    """Add the rows of a wide table to the batch; without a column of problems, rows are numbered from 0."""
    for cells in rows:
        problem = _problem(cells, cells.name("problem") if "problem" in cells.columns else str(batch.rows))
        batch.rows += 1
        read_language(cells, batch)
        outputs = _outputs(cells)
        if not cells.bad and problem.key in batch.problems:
            first = batch.problems[problem.key].row
            cells.fail(
                gettext("Problem %(key)s stands in row %(first)s already.", key=repr(problem.key), first=first),
                cells.column("problem"),
            )
        if not cells.bad:
            batch.problems[problem.key] = problem
            for system, text in outputs.items():
                batch.systems[system] = None
                batch.outputs[problem.key, system] = OutputRow(text, cells.row.number)


def _problem(cells: Cells, key: str) -> ProblemRow:
    return ProblemRow(
        key,
        cells.row.number,
        cells.optional_text("intent"),
        cells.optional_text("context"),
        cells.optional_text("tests"),
        cells.texts("reference"),
        cells.optional_text("image"),
        cells.optional_text("image_alt"),
    )


def _outputs(cells: Cells) -> dict[str, str]:
    """A system whose value is missing or null has no output; empty text is an output."""
    outputs = {}
    for column in cells.columns[SYSTEM_COLUMN]:
        value = cells.row.values.get(column)
        if value is None:
            continue
        try:
            outputs[name_of(column)] = text_of(value)
        except BadValue as error:
            cells.fail(error.message, column, error.remedy)
    return outputs


def _agrees(cells: Cells, problem: ProblemRow, batch: Batch) -> bool:
    """Whether what the row says of its problem is what an earlier row said."""
    earlier = batch.problems.get(problem.key)
    if earlier is None:
        return True
    for field in PROBLEM_FIELDS:
        said, given = getattr(earlier, field), getattr(problem, field)
        if said and given and said != given:
            column = cells.column("reference" if field == "references" else field)
            cells.fail(
                gettext(
                    "It differs from what row %(row)s says of problem %(key)s.",
                    row=earlier.row,
                    key=repr(problem.key),
                ),
                column,
                gettext("Make the rows of one problem equal, or leave it empty in all but the first."),
            )
    return not cells.bad


def _is_new(cells: Cells, problem: str, system: str, batch: Batch) -> bool:
    earlier = batch.outputs.get((problem, system))
    if earlier is not None:
        cells.fail(
            gettext(
                "Row %(row)s has an output of %(system)s for problem %(problem)s already.",
                row=earlier.row,
                system=repr(system),
                problem=repr(problem),
            ),
            cells.column("output"),
            remedy=gettext("Keep one of the two."),
        )
    return earlier is None


def _add_problem(problem: ProblemRow, batch: Batch) -> None:
    earlier = batch.problems.setdefault(problem.key, problem)
    for field in PROBLEM_FIELDS:
        if not getattr(earlier, field):
            setattr(earlier, field, getattr(problem, field))
