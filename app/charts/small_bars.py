"""A small bar figure that the server draws: no script, no wait, and it can be replaced every few seconds."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, GAP = 720.0, 120.0, 0.2


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar in the figure's own units; ``index`` tells whose value it is."""

    index: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class SmallBars:
    """``top``: the value that the figure's height stands for, a round number; bars of 0 are left out."""

    width: float
    height: float
    top: int
    bars: tuple[Bar, ...]


def small_bars(values: Sequence[int]) -> SmallBars:
    """A bar for each value from left to right; values are counts, 0 or more."""
    top = round_up(max(values, default=0))
    step = WIDTH / max(1, len(values))
    bars = tuple(
        Bar(
            index,
            x=round((index + GAP / 2) * step, 2),
            y=round(HEIGHT * (1 - value / top), 2),
            width=round((1 - GAP) * step, 2),
            height=round(HEIGHT * value / top, 2),
        )
        for index, value in enumerate(values)
        if value
    )
    return SmallBars(WIDTH, HEIGHT, top, bars)


def round_up(value: int) -> int:
    """The next 1, 2 or 5 times a power of ten: 0 to 1, 7 to 10, 13 to 20."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= value:
                return factor * power
        power *= 10
