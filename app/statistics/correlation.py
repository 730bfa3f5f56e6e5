"""How far a metric ranks systems as people do: Pearson, Spearman and Kendall over systems."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    return SystemCorrelations(correlate(pearson), correlate(spearman), correlate(kendall))


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
    value = round(float(function(scores[:, np.newaxis], human_scores[:, np.newaxis])[0]), DECIMALS)
    draws, human_draws = resampled
    if draws is None or human_draws is None:
        return Correlation(value)
    defined = (np.ptp(draws, axis=0) > 0) & (np.ptp(human_draws, axis=0) > 0)
    if not defined.any():
        return Correlation(value, reason="all systems have the same score in every draw")
    low, high = percentile_interval(function(draws[:, defined], human_draws[:, defined]))
    return Correlation(value, round(float(low), DECIMALS), round(float(high), DECIMALS))


def pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's r over systems, for each draw: (systems, draws) to (draws,); no constant draw."""
    x = x - x.mean(axis=0)
    y = y - y.mean(axis=0)
    return np.asarray((x * y).sum(axis=0) / np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0)))


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho over systems, for each draw: Pearson's r of mid-ranks."""
    from scipy.stats import rankdata  # noqa: PLC0415 - takes a second, which a start must not wait for

    return pearson(rankdata(x, axis=0), rankdata(y, axis=0))


def kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b over systems, for each draw: concordant less discordant pairs, corrected for ties."""
    concordance, x_untied, y_untied = (np.zeros(x.shape[1], dtype=np.int64) for _ in range(3))
    # One system against all later ones at a time: no array larger than systems x draws.
    for system in range(len(x) - 1):
        x_order, y_order = _order(x, system), _order(y, system)
        concordance += (x_order * y_order).sum(axis=0, dtype=np.int64)
        x_untied += np.count_nonzero(x_order, axis=0)
        y_untied += np.count_nonzero(y_order, axis=0)
    return np.asarray(concordance / np.sqrt(x_untied.astype(np.float64) * y_untied))


def _order(scores: Floats, system: int) -> NDArray[np.int8]:
    """+1 where the system scores higher than a later one, -1 where lower, 0 where equal: (later, draws)."""
    own, later = scores[system], scores[system + 1 :]
    return np.asarray((own > later).astype(np.int8) - (own < later).astype(np.int8))
