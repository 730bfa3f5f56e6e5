"""How long somebody was at an item, derived from what the browser measured: here, and nowhere else.

The measurements stand in the details of a step of grading, are stored raw and never changed:

shown_at        when the item came into view, by the browser's clock (ISO 8601, UTC)
first_key_ms    from there to the first press that answered something; None when an answer was sent without one
submit_ms       from there to sending
hidden_ms       of it, the tab was hidden
idle_ms         of it, nothing was pressed, moved or scrolled in a visible tab, beyond the first 30 seconds each time
changes         how often an answer was replaced by another one before sending
active_ms       the time at the item, from pages of before, which measured nothing else

Both databases reckon with them when a row is added: payment sums over every step that a study ever had, and reading
JSON half a million times would take seconds.
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
    """Milliseconds at the item: the tab in view and somebody at it; NULL where nobody measured.

    Of a flag, too: the answer that follows was measured from the same beginning.
    """

    type = Float()
    inherit_cache = True


@compiles(ActiveTime)
def _in_sql(_element: ActiveTime, compiler: Any, **_: Any) -> str:
    submit, hidden, idle, active = (
        f"({NUMBER[compiler.dialect.name].format(name)})"
        for name in ("submit_ms", "hidden_ms", "idle_ms", "active_ms")
    )
    measured = f"coalesce({submit} - coalesce({hidden}, 0) - coalesce({idle}, 0), {active})"
    return f"CASE WHEN kind <> 'flag' THEN {measured} END"
