"""Pairs of systems sorted by how far apart the metric puts them: what is significant, what people say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError
from app.statistics.significance import Directions

Floats = NDArray[np.float64]

DEFAULT_BINS: tuple[tuple[float, float], ...] = ((0, 2), (2, 5), (5, 10), (10, 100))


@dataclass(frozen=True, slots=True)
class SignificanceCount:
    """Pairs in one Δ bin: those that the metric tells apart, and the others (the paper, Tables 3 and 6)."""

    significant: int
    not_significant: int


@dataclass(frozen=True, slots=True)
class AgreementCount:
    """Pairs in one Δ bin that the metric finds significant, and where people disagree with it.

    type_1: people see no difference; sign_error: people see the opposite one. mismatches is their sum.
    """

    pairs: int
    type_1: int
    sign_error: int

    @property
    def mismatches(self) -> int:
        return self.type_1 + self.sign_error


@dataclass(frozen=True, slots=True)
class AgreementByDelta:
    """Metric against people, over all pairs of systems (the paper, Tables 4 and 7).

    bins: the pairs that the metric tells apart, by Δ. ns_pairs: the pairs that it cannot tell apart, of which
    type_2 are told apart by people. Every pair is in exactly one bin or in NS.
    """

    bins: tuple[AgreementCount, ...]
    ns_pairs: int
    type_2: int

    @property
    def pairs(self) -> int:
        return self.ns_pairs + sum(count.pairs for count in self.bins)

    @property
    def mismatches(self) -> int:
        return self.type_2 + sum(count.mismatches for count in self.bins)

    @property
    def total_mismatch(self) -> float:
        """Percentage of all pairs on which metric and people differ, 0-100."""
        return 100 * self.mismatches / self.pairs if self.pairs else 0.0


def check_bins(bins: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The bins as floats, or StatisticsError unless they start at 0 and follow each other without a gap."""
    checked = tuple((float(low), float(high)) for low, high in bins)
    lows, highs = [low for low, _ in checked], [high for _, high in checked]
    if not checked or lows[0] != 0 or lows[1:] != highs[:-1] or any(low >= high for low, high in checked):
        raise StatisticsError(
            f"Δ bins must start at 0, each where the last one ends: not {[list(pair) for pair in checked]}, "
            "but for example: [0, 2], [2, 5], [5, 10], [10, 100]."
        )
    return checked


def bin_of(differences: Floats, bins: Sequence[tuple[float, float]]) -> NDArray[np.intp]:
    """Bin number of each absolute difference in points; a bin holds its lower edge, not its upper one.

    The last bin also takes whatever lies beyond its upper edge, so that every pair is in a bin.
    """
    inner_edges = [low for low, _ in bins[1:]]
    return np.searchsorted(inner_edges, np.abs(differences), side="right")


def significance_by_delta(
    differences: Floats, verdicts: Directions, bins: Sequence[tuple[float, float]] = DEFAULT_BINS
) -> tuple[SignificanceCount, ...]:
    """Count the significant pairs and the others in each bin.

    differences: shape (pairs,), full-set score differences in points; verdicts: shape (pairs,), the metric's
    +1, 0, -1.
    """
    position = bin_of(differences, bins)
    significant = np.bincount(position[verdicts != 0], minlength=len(bins))
    others = np.bincount(position[verdicts == 0], minlength=len(bins))
    return tuple(SignificanceCount(int(yes), int(no)) for yes, no in zip(significant, others, strict=True))


def agreement_by_delta(
    differences: Floats,
    verdicts: Directions,
    human_verdicts: Directions,
    bins: Sequence[tuple[float, float]] = DEFAULT_BINS,
) -> AgreementByDelta:
    """Count where metric and people agree: significant pairs by Δ bin, the rest in NS.

    All three arrays have shape (pairs,); verdicts are +1 (A better), 0, -1 (B better).
    """
    position = bin_of(differences, bins)

    def per_bin(selected: NDArray[np.bool_]) -> list[int]:
        return [int(count) for count in np.bincount(position[selected], minlength=len(bins))]

    significant = verdicts != 0
    pairs = per_bin(significant)
    type_1 = per_bin(significant & (human_verdicts == 0))
    sign_errors = per_bin(significant & (human_verdicts == -verdicts))
    counts = tuple(AgreementCount(*row) for row in zip(pairs, type_1, sign_errors, strict=True))
    type_2 = int(np.count_nonzero(~significant & (human_verdicts != 0)))
    return AgreementByDelta(counts, int(np.count_nonzero(~significant)), type_2)
