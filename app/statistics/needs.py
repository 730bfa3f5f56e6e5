"""How many problems, or grades on each item, it takes until an interval of a difference excludes 0."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def problems_needed(difference: Floats, both: Floats, reach: float, problems: int) -> Floats:
    """Smallest numbers of problems whose interval excludes 0, at least the present one; infinite for equal means.

    difference, both: of each pair, and its variance now; reach: standard errors that the difference must exceed.
    """
    with np.errstate(divide="ignore"):
        limit = np.where(difference == 0, np.inf, problems * reach**2 * both / difference**2)
    return np.asarray(np.maximum(np.floor(limit) + 1, problems))


def grades_needed(difference: Floats, between: Floats, single: Floats, reach: float) -> Floats:
    """Smallest numbers of grades an item whose interval excludes 0, at least 1; infinite where none does.

    between: variance that no grade takes away; single: the variance that single grades add.
    """
    room = difference**2 - reach**2 * between
    limit = np.where(room > 0, reach**2 * single / np.where(room > 0, room, 1), np.inf)
    return np.asarray(np.floor(limit) + 1)
