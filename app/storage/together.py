"""Writes that belong together, in one trip to a database that is asked over a connection."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Insert, Update
from sqlalchemy.orm import Session

from app.storage.engine import locks_rows
from app.storage.prepared import run_plain


class Together:
    """Statements of which none reads what another writes. PostgreSQL takes all of them as parts of the last one.

    Their values are bound by name, and the names are shared: no two parts may use one for different things.
    """

    def __init__(self, *parts: Insert | Update) -> None:
        *before, last = parts
        self._parts = parts
        self._as_one = last.add_cte(*(part.cte(f"part_{number}") for number, part in enumerate(before, start=1)))

    def run(self, session: Session, values: Mapping[str, Any]) -> None:
        """Execute all of them, or fail as a whole when the transaction is undone."""
        for statement in (self._as_one,) if locks_rows(session) else self._parts:
            run_plain(session, statement, values)
