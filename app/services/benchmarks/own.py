"""A file of one's own: prompt and tests, and where there are any entry_point, canonical_solution and partial.

The key is in task_id, problem or id; without any of them problems are numbered by their rows. ``partial`` is the
visible half of the canonical solution, which therefore begins with it. The code may be in any language that is run.
"""

from app.execution.helpers import helpers_of
from app.services.benchmarks.rows import BenchmarkRow
from app.services.imports.cells import Cells
from app.words import gettext

COLUMNS = {
    "key": ["task_id"],
    "prompt": ["prompt"],
    "entry_point": ["entry_point"],
    "tests": ["tests"],
    "canonical_solution": ["canonical_solution"],
    "partial": ["partial"],
    "helpers": ["helpers"],
}
# Other names of a column, in the order in which they are looked for.
ALIASES = {
    "key": ("task_id", "problem", "id"),
    "tests": ("tests", "test"),
    "canonical_solution": ("canonical_solution", "reference", "solution"),
}


def read_own(cells: Cells) -> BenchmarkRow:
    """The problem of a row; what is wrong with it is noted in ``cells``."""
    prompt, tests = cells.text("prompt"), cells.text("tests")
    if not cells.bad and not tests.strip():
        cells.fail(
            gettext("There are no tests."), cells.column("tests"), gettext("Write asserts, or leave the problem out.")
        )
    entry_point = cells.optional_name("entry_point")
    canonical, partial = cells.optional_text("canonical_solution"), cells.optional_text("partial")
    if partial is not None and not (canonical or "").startswith(partial):
        cells.fail(
            gettext("The canonical solution does not begin with this visible half."),
            cells.column("partial"),
            gettext("Give the first part of canonical_solution, letter by letter, or nothing."),
        )
    return BenchmarkRow(
        key=cells.optional_name("key") or str(cells.row.number),
        row=cells.row.number,
        prompt=prompt,
        tests=tests,
        entry_point=entry_point,
        canonical_solution=canonical,
        partial=partial,
        helpers=cells.optional_text("helpers") or helpers_of(prompt, entry_point),
    )
