"""Percentile intervals of bootstrap draws."""

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def percentile_interval(draws: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """Low and high percentile over the last axis: 2.5 % and 97.5 % for a confidence of 0.95.

    draws: shape (..., B), finite, B at least 1; returns two arrays of shape (...), in the unit of the draws,
    with linear interpolation between neighbouring draws. Source: Efron & Tibshirani 1993, chapter 13.
    """
    if not 0 < confidence < 1:
        raise StatisticsError(f"A confidence of {confidence} is not between 0 and 1.")
    tail = 100 * (1 - confidence) / 2
    low, high = np.percentile(draws, [tail, 100 - tail], axis=-1)
    return np.asarray(low), np.asarray(high)
