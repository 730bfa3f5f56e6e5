"""What a metric is: segments in, sufficient statistics and segment scores out, corpus scores from sums."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class MetricError(ValueError):
    """A metric cannot be made or used as asked; the message says what to change."""


class Segment(NamedTuple):
    """One output beside the references of its problem (at least one, else the metric raises)."""

    output: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """Scores of n segments in [0, 1] and their sufficient statistics.

    scores: shape (n,); statistics: shape (n, k), float64. For a metric whose corpus score is the mean of its
    segment scores, k is 1 and the statistics are the scores.
    """

    scores: Floats
    statistics: Floats


@runtime_checkable
class Metric(Protocol):
    """One automatic metric. Instances never change: same input, same bytes, on any machine."""

    name: str  # the key in tables, files and the API: "bleu"
    label: str  # as papers print it: "BLEU"

    @property
    def signature(self) -> str:
        """All that decides the scores, as sorted ``key:value`` joined by ``|``, with the metric's version."""
        ...

    def score_segments(self, segments: Sequence[Segment]) -> SegmentScores:
        """Score segments independently of each other; never raises on the text of an output."""
        ...

    def corpus_score(self, totals: Floats, count: int) -> Floats:
        """Corpus scores in [0, 1] from summed statistics.

        totals: shape (..., k), sums of ``statistics`` over ``count`` segments; returns shape (...).
        """
        ...


class MeanOfSegments:
    """Corpus score of every metric that is, by definition, the mean of its segment scores (k = 1)."""

    def corpus_score(self, totals: Floats, count: int) -> Floats:
        """Mean score: totals of shape (..., 1) over ``count`` segments, to shape (...)."""
        if count < 1:
            raise MetricError("A corpus score needs at least one segment; select at least one problem.")
        return np.asarray(totals[..., 0] / count)


def scores_as_statistics(scores: Iterable[float]) -> SegmentScores:
    """Result of a metric whose corpus score is the mean: the statistics are the scores, k = 1."""
    values = np.fromiter(scores, dtype=np.float64)
    return SegmentScores(values, values[:, np.newaxis])


def require_references(segments: Sequence[Segment]) -> None:
    """Raise MetricError for the first segment (counted from 1) whose problem has no reference."""
    for number, segment in enumerate(segments, start=1):
        if not segment.references:
            raise MetricError(
                f"Segment {number} of {len(segments)} has no reference to be scored against; "
                "give its problem at least one reference or leave the problem out."
            )


def best_over_references(scores: Sequence[float]) -> float:
    """Several references count as the best of them; never below 0 (Evtikhiev et al. 2023, section 4)."""
    return max(0.0, *scores)


def format_signature(name: str, version: str, **options: object) -> str:
    """``metric:bleu|option:value|…|version:1`` with the options in alphabetical order."""
    middle = [f"{key}:{value}" for key, value in sorted(options.items())]
    return "|".join([f"metric:{name}", *middle, f"version:{version}"])
