"""Paired bootstrap: in which share of the draws one system's score is greater than another's."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Directions = NDArray[np.int8]
Ties = Literal["strict", "half"]

LEVEL = 0.05


def pair_indices(systems: int) -> tuple[Indices, Indices]:
    """Both systems of every pair, the earlier first: (0, 1), (0, 2), … (S-2, S-1)."""
    first, second = np.triu_indices(systems, k=1)
    return first, second


def p_greater(draws: Floats, ties: Ties = "strict") -> Floats:
    """P(A > B) of every pair of systems, the earlier one being A.

    draws: shape (systems, B), scores of each system in each draw. Returns shape (pairs,), in the order of
    ``pair_indices``: the share of draws in which A's score is strictly greater ("strict", as the paper has
    it), or that share plus half the share of ties ("half", with which P(A > B) + P(B > A) = 1).
    """
    if ties not in ("strict", "half"):
        raise StatisticsError(f"Ties are counted 'strict' or 'half', not {ties!r}.")
    systems, count = draws.shape
    # One system against all later ones at a time: no array larger than systems x draws, ever.
    wins = [_share(draws[a] > draws[a + 1 :]) for a in range(systems - 1)]
    greater = np.concatenate(wins) if wins else np.zeros(0, dtype=np.int64)
    if ties == "strict":
        return np.asarray(greater / count)
    losses = np.concatenate([_share(draws[a] < draws[a + 1 :]) for a in range(systems - 1)] or [greater])
    return np.asarray((count + greater - losses) / (2 * count))


def _share(condition: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(np.count_nonzero(condition, axis=-1), dtype=np.int64)


def directions(p: Floats, reverse: Floats, level: float = LEVEL) -> Directions:
    """+1 where A is significantly greater (P >= 1 - level), -1 where B is (P <= level), else 0.

    p: P(A > B) of every pair; reverse: P(B > A), the same shape. Source: the paper, section 5.2: significant
    at 95 % when P(A > B) is at most 0.05 or at least 0.95. Where both shares are at most ``level`` nearly all
    draws are ties: the paper's rule would call the later system better, only because it comes later, so such
    a pair is no difference.
    """
    ties = (p <= level) & (reverse <= level)
    return (p >= 1 - level).astype(np.int8) - ((p <= level) & ~ties).astype(np.int8)
