"""Means over the problems of which a model has a value, and the same in every draw of the problems."""

import numpy as np
from numpy.typing import NDArray

from app.statistics.estimates import summable
from app.statistics.resampling import mean_draws

Floats = NDArray[np.float64]


def known_means(values: Floats, is_known: NDArray[np.bool_], *, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Means over the known problems of each row and model, of all and of each draw: (rows, models, 3, 1 or draws).

    In a draw, too, the problems without a value count neither above nor below the line.
    """
    rows, models, _, problems = values.shape
    flat = summable(np.where(is_known[:, :, np.newaxis], values, 0.0).reshape(-1, problems).T)
    counts = is_known.reshape(-1, problems).T.astype(np.float64)
    columns = np.hstack([flat, counts])
    drawn = np.split(mean_draws(columns, draws, seed=seed), [flat.shape[1]])
    whole = np.split((columns.sum(axis=0) / problems)[:, np.newaxis], [flat.shape[1]])
    point, resampled = (
        _ratio(sums.reshape(rows, models, 3, -1), shares.reshape(rows, models, 1, -1))
        for sums, shares in (whole, drawn)
    )
    return point, resampled


def _ratio(sums: Floats, shares: Floats) -> Floats:
    """NaN where a draw holds no known problem."""
    shares = np.broadcast_to(shares, sums.shape)
    return np.asarray(np.divide(sums, shares, out=np.full(sums.shape, np.nan), where=shares > 0))
