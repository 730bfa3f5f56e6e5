"""Kinds of path parameters."""

from typing import Annotated

from fastapi import Path

# A row's number; larger ones would overflow in the database instead of finding nothing.
RowId = Annotated[int, Path(ge=1, le=2**63 - 1)]
