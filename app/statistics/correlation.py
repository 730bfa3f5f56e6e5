"""How far a metric ranks systems as people do: Pearson, Spearman and Kendall over systems."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from app.statistics.intervals import percentile_interval

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

FEWEST_SYSTEMS = 3
DECIMALS = 10


@dataclass(frozen=True, slots=True)
class Correlation:
    """One coefficient, -1 to 1, with its 95 % percentile interval; None, with the reason, where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SystemCorrelations:
    """The three coefficients over one set of systems."""

    pearson: Correlation
    spearman: Correlation
    kendall: Correlation


def system_correlations(
    scores: Floats,
    human_scores: Floats,
    draws: Floats | None = None,
    human_draws: Floats | None = None,
) -> SystemCorrelations:
    """Correlate a metric's scores of systems with people's; with draws of both, add intervals.

    scores, human_scores: shape (systems,); draws, human_draws: shape (systems, B), of the same resamples.
    Draws in which a coefficient is undefined (all systems equal) are left out of its interval.
    """

    def correlate(function: Callable[[Floats, Floats], Floats]) -> Correlation:
        return _correlation(function, (scores, human_scores), (draws, human_draws))

    return SystemCorrelations(correlate(pearson_rows), correlate(spearman_rows), correlate(kendall_rows))


def _correlation(
    function: Callable[[Floats, Floats], Floats],
    point: tuple[Floats, Floats],
    resampled: tuple[Floats | None, Floats | None],
) -> Correlation:
    scores, human_scores = point
    if len(scores) < FEWEST_SYSTEMS:
        return Correlation(None, reason=f"fewer than {FEWEST_SYSTEMS} systems")
    if np.ptp(scores) == 0 or np.ptp(human_scores) == 0:
        return Correlation(None, reason="all systems have the same score")
    value = round(float(function(scores[np.newaxis], human_scores[np.newaxis])[0]), DECIMALS)
    draws, human_draws = resampled
    if draws is None or human_draws is None:
        return Correlation(value)
    defined = (np.ptp(draws, axis=0) > 0) & (np.ptp(human_draws, axis=0) > 0)
    if not defined.any():
        return Correlation(value, reason="all systems have the same score in every draw")
    low, high = percentile_interval(function(draws[:, defined].T, human_draws[:, defined].T))
    return Correlation(value, round(float(low), DECIMALS), round(float(high), DECIMALS))


def pearson_rows(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each row of x with that row of y: (rows, systems) to (rows,); no constant rows."""
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    return np.asarray((x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def spearman_rows(x: Floats, y: Floats) -> Floats:
    """Spearman's rho, row by row: Pearson's r of mid-ranks."""
    return pearson_rows(rankdata(x, axis=1), rankdata(y, axis=1))


def kendall_rows(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b, row by row: concordant less discordant pairs, corrected for ties on either side."""
    first, second = np.triu_indices(x.shape[1], k=1)
    x_order = np.sign(x[:, first] - x[:, second])
    y_order = np.sign(y[:, first] - y[:, second])
    untied = np.count_nonzero(x_order, axis=1) * np.count_nonzero(y_order, axis=1)
    return np.asarray((x_order * y_order).sum(axis=1) / np.sqrt(untied))
