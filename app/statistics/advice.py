"""The advice line: how large a difference of the metric must be before it can be trusted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.significance import Directions

Floats = NDArray[np.float64]

ERROR_LIMIT = 0.05
# Below 20 pairs a single error already exceeds 5 %, and none proves little.
FEWEST_PAIRS = 20


@dataclass(frozen=True, slots=True)
class Advice:
    """From ``delta`` points on, the metric errs in ``mismatches`` of ``pairs`` pairs, under the limit.

    delta is None, with the reason named, where no such difference exists.
    """

    delta: float | None
    pairs: int
    mismatches: int
    reason: str | None = None


def smallest_trustworthy_delta(
    differences: Floats, verdicts: Directions, human_verdicts: Directions, limit: float = ERROR_LIMIT
) -> Advice:
    """The smallest Δ such that of all pairs at least Δ apart under ``limit`` are mismatches.

    differences: shape (pairs,), in points; verdicts: the metric's and people's +1, 0, -1. Pairs that the
    metric puts Δ apart without significance count, too: who sees only two scores cannot leave them out.
    """
    size = np.abs(differences)
    if len(size) < FEWEST_PAIRS:
        return Advice(None, len(size), 0, f"fewer than {FEWEST_PAIRS} pairs of systems")
    order = np.argsort(-size, kind="stable")
    size, wrong = size[order], np.cumsum(verdicts[order] != human_verdicts[order])
    count = np.arange(1, len(size) + 1)
    # Equal differences stand or fall together: only the last of a run closes a candidate set.
    closes = np.append(size[1:] != size[:-1], True)
    good = np.flatnonzero(closes & (count >= FEWEST_PAIRS) & (wrong < limit * count))
    if len(good) == 0:
        return Advice(None, len(size), int(wrong[-1]), f"no difference brings the errors under {100 * limit:g} %")
    last = good[-1]
    return Advice(float(size[last]), int(count[last]), int(wrong[last]))
