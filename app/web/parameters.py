"""Kinds of path and query parameters."""

from typing import Annotated

from fastapi import Path, Query

# The largest number that a row can have. Larger ones would overflow in the database instead of finding nothing.
LAST_ROW = 2**31 - 1

RowId = Annotated[int, Path(ge=1, le=LAST_ROW)]
# A row's number in a query, where a list goes on or what a page is about.
QueriedRow = Annotated[int | None, Query(ge=1, le=LAST_ROW)]
