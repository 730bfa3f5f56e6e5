"""Which grades are low and which are high, on any scale.

Low is what lies in the lowest 40 % of the scale's range, high what lies in the highest 40 %: 0 and 1 against 3 and 4
of the grades from 0 to 4. The middle is neither. A scale of numbers without labels is read in five equal steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass

SHARE = 0.4
STEPS = 5
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class EndsOfScale:
    """levels: the labels, rising. low: the highest low one; high: the lowest high one."""

    levels: tuple[float, ...]
    low: float
    high: float


def ends_of_scale(values: Sequence[float], bounds: tuple[float, float]) -> EndsOfScale:
    """Of a choice's values; of any number between the bounds where there are none."""
    lowest, highest = bounds
    span = highest - lowest
    levels = tuple(sorted(set(values))) or tuple(lowest + span * step / (STEPS - 1) for step in range(STEPS))
    low = max(level for level in levels if level <= levels[0] + SHARE * (levels[-1] - levels[0]) + ROUNDING)
    high = min(level for level in levels if level >= levels[-1] - SHARE * (levels[-1] - levels[0]) - ROUNDING)
    return EndsOfScale(levels, low, high)
