"""Places of a few scores. scipy.stats has the same and takes a second to import: too long for a start."""

from collections.abc import Sequence


def mid_ranks(scores: Sequence[float]) -> list[float]:
    """Each score's place, 1 being the highest; equal ones share the mean of their places."""
    return [1 + sum(other > score for other in scores) + (scores.count(score) - 1) / 2 for score in scores]
