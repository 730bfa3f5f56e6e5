"""What asking whether the grades are enough answers: of each system, and of two systems."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SystemPrecision:
    """A system's mean in points (0-100) with the half-width of its 95 % interval: now, and as it would be.

    by_grades: with so many grades on every item, by problems: with so many problems, at the numbers of the
    Precision that holds them. Empty, and half_width None, with the reason named, where they are undefined.
    """

    name: str
    mean: float | None
    problems: int
    half_width: float | None
    by_grades: tuple[float, ...]
    by_problems: tuple[float, ...]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """What it takes to separate a pair at 95 %, all systems being graded alike.

    chance: how likely the interval then excludes 0, if the true difference is the present one: at 0.5 it is the
    projected interval itself that just does. problems: in all, with grades per item as now; more_items: items that
    these add. grades: per item, on the present problems; more_grades: grades that the pair's items then lack.
    None, with the reason, where it is not within reach.
    """

    chance: float
    problems: int | None
    more_items: int | None
    grades: int | None
    more_grades: int | None
    problems_reason: str | None = None
    grades_reason: str | None = None


@dataclass(frozen=True, slots=True)
class PairPrecision:
    """Two systems: mean of the first less that of the second, in points, and the rest as in SystemPrecision."""

    first: str
    second: str
    difference: float | None
    half_width: float | None
    separated: bool
    by_grades: tuple[float, ...]
    by_problems: tuple[float, ...]
    needs: tuple[Need, ...]
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)
