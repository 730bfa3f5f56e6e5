"""Tables that CodeJury exported itself, known by their heads: what was done to text for spreadsheets is undone."""

from collections.abc import Sequence

from app.services.exports.grade_table import GRADE_COLUMNS
from app.services.exports.tables import SCORE_COLUMNS
from app.services.spreadsheets import restore

FIRST_GRADE_COLUMNS = (
    *("task", "worker", "label"),
    *("question", "problem", "system", "systems", "is_reference", "surplus", "created_at", "updated_at"),
)
FIRST_SCORE_COLUMNS = ("problem", "system", "metric", "score", "signature", "imported")
OWN = {FIRST_GRADE_COLUMNS, FIRST_SCORE_COLUMNS, SCORE_COLUMNS}
GRADES = tuple(GRADE_COLUMNS)[:10]  # with these each later table of grades begins, whatever came to stand behind them


def is_own(head: Sequence[str]) -> bool:
    """Whether an export wrote a CSV file with this head."""
    return tuple(head) in OWN or tuple(head[: len(GRADES)]) == GRADES


def as_stored(cells: Sequence[str]) -> list[str]:
    """A row's cells as they were before they were made harmless."""
    return [restore(cell) for cell in cells]
