"""Resamples as a matrix of draw counts, so that every sum over a draw is one row of a matrix product.

W[b, p] says how often draw b holds problem p; each row sums to n. The corpus statistics of draw b are then
W[b] @ S, where S holds the sufficient statistics of the n problems.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]

BLOCK_BYTES = 16 * 2**20
# Streams of one seed. RANDOMISATION_STREAM of randomisation is 2.
BOOTSTRAP_STREAM = 1
SECOND_SAMPLE_STREAM = 3


def generator(seed: int, stream: int = BOOTSTRAP_STREAM) -> np.random.Generator:
    """A generator for ``seed`` (0 is a seed); different streams of one seed are independent of each other."""
    if seed < 0:
        raise StatisticsError(f"The seed is {seed}; a seed is a whole number, 0 or greater.")
    return np.random.default_rng([seed, stream])


def rows_per_block(row_length: int, block_bytes: int = BLOCK_BYTES) -> int:
    """How many rows of float64 fit a block; at least one."""
    return max(1, block_bytes // (8 * max(1, row_length)))


def draw_count_blocks(
    problems: int, draws: int, *, seed: int, block_bytes: int = BLOCK_BYTES, stream: int = BOOTSTRAP_STREAM
) -> Iterator[tuple[slice, Floats]]:
    """The draw-count matrix in blocks of rows of at most about ``block_bytes``.

    Yields (rows, W[rows]) with W[rows] of shape (rows, problems), float64, whole numbers, each row summing to
    ``problems``. The draws do not depend on the size of the blocks. Samples that are drawn independently of each
    other, to be compared, take different streams. Raises StatisticsError when there is
    nothing to draw from or nothing to draw. Source: Efron & Tibshirani 1993, chapter 6; the paper, section
    5.2.
    """
    if problems < 1 or draws < 1:
        raise StatisticsError(f"{draws} draws of {problems} problems: both numbers must be at least 1.")
    rng = generator(seed, stream)
    height = rows_per_block(problems, block_bytes)
    for start in range(0, draws, height):
        rows = min(height, draws - start)
        picks = rng.integers(0, problems, size=(rows, problems))
        picks += problems * np.arange(rows)[:, np.newaxis]
        counts = np.bincount(picks.ravel(), minlength=rows * problems).reshape(rows, problems)
        yield slice(start, start + rows), counts.astype(np.float64)


def draw_counts(problems: int, draws: int, *, seed: int) -> Floats:
    """The whole draw-count matrix, shape (draws, problems), for inputs small enough to hold at once."""
    return np.concatenate([counts for _, counts in draw_count_blocks(problems, draws, seed=seed)])


def mean_draws(values: Floats, draws: int, *, seed: int, stream: int = BOOTSTRAP_STREAM) -> Floats:
    """Means of the columns of per-item values, shape (items, k), in every draw of the items; shape (k, draws).

    Sums are exact, and so the same on every machine, where ``values`` come from ``estimates.summable``.
    """
    means = np.empty((values.shape[1], draws))
    for rows, counts in draw_count_blocks(len(values), draws, seed=seed, stream=stream):
        means[:, rows] = (counts @ values).T / len(values)
    return means
