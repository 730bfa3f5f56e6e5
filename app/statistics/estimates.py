"""Means over items with their percentile intervals, or a named reason why there is none."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.intervals import percentile_interval

Floats = NDArray[np.float64]

DECIMALS = 10
# Of fewer items the bootstrap's interval is too narrow, and only a point where all are alike or in order.
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; value is None, with the reason named, where it is undefined.

    low and high are None, too, where a single item leaves nothing to resample.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ItemShare:
    """So many of so many items, with the 95 % interval of the share (0-1); share None of no item."""

    count: int
    of: int
    share: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def estimate(value: float, draws: Floats, items: int) -> Estimate:
    """The value over so many items with the interval of its draws, shape (B,)."""
    if items < 2:
        return Estimate(round(value, DECIMALS))
    low, high = percentile_interval(draws)
    return Estimate(round(value, DECIMALS), round(float(low), DECIMALS), round(float(high), DECIMALS))


def item_share(holds: NDArray[np.bool_] | Floats, draws: Floats) -> ItemShare:
    """How many items hold (shape (items,)), with the interval of the share's draws, shape (B,)."""
    count = int(np.count_nonzero(holds))
    found = estimate(count / len(holds), draws, len(holds))
    return ItemShare(count, len(holds), found.value, found.low, found.high)


def summable(values: Floats) -> Floats:
    """Per-item values, shape (items, k), rounded so that sums of as many items are exact in any order."""
    return to_fixed_point(values, fraction_bits(values, len(values)))
