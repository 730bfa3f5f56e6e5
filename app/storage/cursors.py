"""Cursors that describe their columns only to whoever reads the description.

SQLAlchemy asks each result for it and reads it once per statement: then it knows the columns. psycopg meanwhile makes
an object of each column anew, which counts where a grade is a handful of statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import psycopg

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult


class Columns(Sequence[psycopg.Column]):
    """The columns of a cursor's present result. ``ValueError`` where they are read when there is another one."""

    def __init__(self, cursor: LeanCursor, result: PGresult) -> None:
        self._cursor = cursor
        self._result = result

    def __len__(self) -> int:
        return self._result.nfields

    @overload
    def __getitem__(self, index: int) -> psycopg.Column: ...
    @overload
    def __getitem__(self, index: slice) -> list[psycopg.Column]: ...
    def __getitem__(self, index: int | slice) -> psycopg.Column | list[psycopg.Column]:
        if self._cursor.pgresult is not self._result:
            raise ValueError("The cursor has another result by now.")
        wanted = range(len(self))[index]
        if isinstance(wanted, int):
            return psycopg.Column(self._cursor, wanted)
        return [psycopg.Column(self._cursor, each) for each in wanted]


class LeanCursor(psycopg.Cursor[Any]):
    """psycopg's cursor, but for the way in which it tells its columns."""

    @property
    def description(self) -> Sequence[psycopg.Column] | None:  # type: ignore[override]
        """As in psycopg; None where the statement brought no rows."""
        result = self.pgresult
        return Columns(self, result) if result is not None and result.nfields else super().description
