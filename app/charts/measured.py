"""Estimates of stored results, as tables and figures show them."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.charts.tables import Measured, number
from app.words import gettext

Document = Mapping[str, Any]  # of an Estimate, or of anything else with a value, low and high


def measured(estimate: Document | None, scale: float = 1.0) -> Measured:
    """The number with its interval, times ``scale``."""
    if estimate is None:
        return Measured(None, None, None)
    return Measured(*(None if estimate[key] is None else scale * estimate[key] for key in ("value", "low", "high")))


def percent(estimate: Document | None) -> Measured:
    """A share (0-1) in percent."""
    return measured(estimate, 100)


def without_width(estimates: Iterable[Document | None]) -> list[str]:
    """That an interval whose ends are the value is no certainty; nothing where there is none."""
    if not any(each is not None and each["low"] == each["high"] is not None for each in estimates):
        return []
    return [
        gettext(
            "An interval without width: all problems came out alike, so that drawing them again shows nothing; "
            "other problems might."
        )
    ]


def ends(estimate: Document) -> tuple[float, float]:
    """Both ends of its interval; twice the value itself where there is none."""
    low, high = estimate["low"], estimate["high"]
    return (estimate["value"], estimate["value"]) if low is None or high is None else (low, high)


def whiskers(estimates: list[Document], scale: float = 1.0) -> dict[str, Any]:
    """The intervals as a figure's error bars."""
    intervals = [(each["value"], *ends(each)) for each in estimates]
    return {
        "type": "data",
        "symmetric": False,
        "array": [round(scale * (high - value), 4) for value, _, high in intervals],
        "arrayminus": [round(scale * (value - low), 4) for value, low, _ in intervals],
    }


def share_in_words(what: str, estimate: Document) -> str:
    """A point's hover text: what it is, its share in percent and the interval, where it has one."""
    value = number(100 * estimate["value"], 1)
    if estimate["low"] is None:
        return gettext("%(what)s: %(value)s %%", what=what, value=value)
    low, high = (number(100 * estimate[end], 1) for end in ("low", "high"))
    return gettext(
        "%(what)s: %(value)s %%, 95 %% interval %(low)s to %(high)s", what=what, value=value, low=low, high=high
    )
