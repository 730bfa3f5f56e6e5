"""How long an answer took, derived from what the browser measured. The measurements are stored raw and never changed.

shown_at        when the item came into view, by the browser's clock (ISO 8601, UTC)
first_key_ms    from there to the first press that answered something; None when an answer was sent without one
submit_ms       from there to sending
hidden_ms       of it, the tab was hidden
idle_ms         of it, nothing was pressed, moved or scrolled in a visible tab, beyond the first 30 seconds each time
changes         how often an answer was replaced by another one before sending
"""

from collections.abc import Mapping
from typing import Any


def active_ms(details: Mapping[str, Any] | None) -> int | None:
    """Milliseconds in which the item was looked at; None where nobody measured, as in a form without script."""
    details = details or {}
    if details.get("submit_ms") is None:
        # Pages of before measured only this; and grades that were imported, nothing.
        earlier = details.get("active_ms")
        return None if earlier is None else int(earlier)
    return int(details["submit_ms"] - (details.get("hidden_ms") or 0) - (details.get("idle_ms") or 0))
