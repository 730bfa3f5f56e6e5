"""One grade from several that one annotator gave to what became one item."""

import hashlib
import math
from collections.abc import Sequence

from app.statistics.errors import StatisticsError


def merge_grades(grades: Sequence[float], *, key: Sequence[str], seed: int, step: float = 1.0) -> float:
    """The mean of the grades, rounded to the scale's ``step``; a half goes up or down by a seeded coin.

    key names what is merged, for example (annotator, problem, system): the coin depends on seed and key
    alone, so neither the order of the files nor what else is imported changes a result. Rows of the CoNaLa
    study that repeat an intent are merged so; always rounding up or always down would shift every system's
    mean.
    """
    if not grades:
        raise StatisticsError(f"No grade to merge for {' / '.join(key)}.")
    mean = math.fsum(grades) / len(grades) / step
    lower = math.floor(mean)
    if mean - lower == 0.5:
        return (lower + _coin(key, seed)) * step
    return round(mean) * step


def _coin(key: Sequence[str], seed: int) -> int:
    digest = hashlib.blake2b("\x1f".join([str(seed), *key]).encode("utf-8", "surrogatepass"))
    return digest.digest()[0] & 1
