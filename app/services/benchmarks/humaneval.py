"""HumanEval: one object a line with task_id, prompt, entry_point, canonical_solution and test."""

from app.execution.helpers import helpers_of
from app.services.benchmarks.rows import BenchmarkRow
from app.services.imports.cells import Cells

COLUMNS = {
    "key": ["task_id"],
    "prompt": ["prompt"],
    "entry_point": ["entry_point"],
    "tests": ["test"],
    "canonical_solution": ["canonical_solution"],
}


def read_humaneval(cells: Cells) -> BenchmarkRow:
    """The problem of a row; what is wrong with it is noted in ``cells``."""
    prompt, entry_point = cells.text("prompt"), cells.name("entry_point")
    return BenchmarkRow(
        key=cells.name("key"),
        row=cells.row.number,
        prompt=prompt,
        tests=cells.text("tests"),
        entry_point=entry_point,
        canonical_solution=cells.optional_text("canonical_solution"),
        helpers=helpers_of(prompt, entry_point),
    )
