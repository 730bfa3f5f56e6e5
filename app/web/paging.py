"""Long lists a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Query

ROWS = 250  # what a browser sorts and a server renders in a moment
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Paged(Generic[Row]):
    """The rows of one page; ``pages``: of each its number, first and last row. A single page needs no links."""

    rows: Sequence[Row]
    number: int
    pages: Sequence[tuple[int, int, int]]


def paged(rows: Sequence[Row], number: int) -> Paged[Row]:
    """That page of the rows; beyond the last one it is the last."""
    starts = range(0, max(1, len(rows)), ROWS)
    number = min(number, len(starts))
    pages = [(page, start + 1, min(start + ROWS, len(rows))) for page, start in enumerate(starts, 1)]
    start = starts[number - 1]
    return Paged(rows[start : start + ROWS], number, pages if len(pages) > 1 else [])
