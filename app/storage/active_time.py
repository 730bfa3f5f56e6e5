"""The active time of a step of grading, as an expression that both databases reckon when a row is added.

What the browser measured stands in the step's details and is kept raw (app.services.timing says what each part means).
Payment sums it over every step that a study ever had, and reading JSON half a million times would take seconds.
"""

from typing import Any

from sqlalchemy import Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.expression import ColumnElement

NUMBER = {
    "sqlite": "CASE WHEN json_type(details, '$.{0}') IN ('integer', 'real') THEN json_extract(details, '$.{0}') END",
    "postgresql": "CASE WHEN jsonb_typeof(details -> '{0}') = 'number' THEN (details ->> '{0}')::float8 END",
}


class ActiveTime(ColumnElement[float]):
    """Milliseconds at the item: the tab in view and somebody at it; NULL where nobody measured."""

    type = Float()
    inherit_cache = True


@compiles(ActiveTime)
def _in_sql(_element: ActiveTime, compiler: Any, **_: Any) -> str:
    submit, hidden, idle, active = (
        f"({NUMBER[compiler.dialect.name].format(name)})"
        for name in ("submit_ms", "hidden_ms", "idle_ms", "active_ms")  # the last by pages of before
    )
    return f"coalesce({submit} - coalesce({hidden}, 0) - coalesce({idle}, 0), {active})"
