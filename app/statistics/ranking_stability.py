"""Whether the ranking has settled: the systems' means recomputed as the grades came in."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from app.statistics.correlation import kendall
from app.statistics.significance import pair_indices
from app.statistics.system_grades import SystemGrades

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Signs = NDArray[np.int8]

DECIMALS = 10
MOST_CHECKPOINTS = 100
TOO_FEW_SYSTEMS = "fewer than two systems have a grade"
ALL_EQUAL = "all systems have the same mean"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """After so many grades: means in points (0-100) of the ranked systems, and Kendall's tau-b to the last ranking.

    tau is None where all systems are equal. changed: pairs in another order than at the end; changed_sure: those of
    them that the end separates at 95 %.
    """

    grades: int
    means: tuple[float, ...]
    tau: float | None
    changed: int
    changed_sure: int


@dataclass(frozen=True, slots=True)
class RankingStability:
    """The ranking over the grades in the order in which they came.

    Checkpoints begin where each ranked system has a grade, and end at the last grade; a change between two of
    them goes unseen. since: the first checkpoint from which on no pair has changed its order; sure_since: the
    same for the pairs that are separated in the end. systems_left_out: systems without any grade.
    """

    systems: tuple[str, ...]
    systems_left_out: tuple[str, ...]
    checkpoints: tuple[Checkpoint, ...]
    grades: int
    pairs: int
    sure_pairs: int
    since: int | None
    sure_since: int | None
    reason: str | None = None

    def is_stable_over(self, grades: int) -> bool:
        """Whether no pair has changed its order over the last so many grades."""
        return self.since is not None and self.since <= self.grades - grades

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, numbers, strings and None."""
        return asdict(self)


def measure_stability(
    grades: SystemGrades, sure: NDArray[np.bool_] | None = None, *, checkpoints: int = MOST_CHECKPOINTS
) -> RankingStability:
    """Recompute the ranking at up to so many checkpoints, evenly spread over the grades.

    sure: per pair of systems, in the order of pair_indices, whether the difference is separated at 95 % in the
    end (Precision.pairs has it); nothing is sure by default. With fewer grades than checkpoints every one is one.
    """
    ranked = np.flatnonzero(np.asarray(grades.outputs.sum(axis=1)) > 0)
    names = tuple(grades.systems[row] for row in ranked)
    left_out = tuple(name for name in grades.systems if name not in set(names))
    total = len(grades.item)
    if len(ranked) < 2:
        return RankingStability(names, left_out, (), total, 0, 0, None, None, TOO_FEW_SYSTEMS)
    at = _checkpoints(grades, checkpoints)
    means = _means_at(grades, csr_array(grades.outputs[ranked]), at)
    certain = _of_ranked(sure, ranked, len(grades.systems))
    changed = _changed(means)
    found = tuple(
        Checkpoint(int(t), tuple(map(float, row)), tau, int(moved.sum()), int((moved & certain).sum()))
        for t, row, tau, moved in zip(at, means, _taus(means), changed, strict=True)
    )
    return RankingStability(
        systems=names,
        systems_left_out=left_out,
        checkpoints=found,
        grades=total,
        pairs=changed.shape[1],
        sure_pairs=int(certain.sum()),
        since=_since(at, changed),
        sure_since=_since(at, changed & certain) if certain.any() else None,
        reason=ALL_EQUAL if np.ptp(means[-1]) == 0 else None,
    )


def _checkpoints(grades: SystemGrades, most: int) -> Indices:
    """Numbers of grades: from the first at which every system with a grade has one, to all of them."""
    total = len(grades.item)
    items, first = np.unique(grades.item, return_index=True)
    came = np.empty(grades.items, dtype=np.intp)
    came[items] = first + 1
    owned = grades.outputs.tocoo()
    begins = np.full(len(grades.systems), total, dtype=np.intp)
    np.minimum.at(begins, owned.row, came[owned.col])
    has_grade = np.bincount(owned.row, minlength=len(grades.systems)) > 0
    start = int(begins[has_grade].max())
    return np.unique(np.linspace(start, total, min(most, total - start + 1)).round().astype(np.intp))


def _means_at(grades: SystemGrades, outputs: csr_array, at: Indices) -> Floats:
    """Means of the systems from the first grades alone: shape (checkpoints, systems), points."""
    sums, counts = np.zeros(grades.items), np.zeros(grades.items)
    means, done = np.empty((len(at), outputs.shape[0])), 0
    for row, until in enumerate(at):
        new = slice(done, until)
        sums += np.bincount(grades.item[new], weights=grades.points[new], minlength=grades.items)
        counts += np.bincount(grades.item[new], minlength=grades.items)
        done = until
        graded = (counts > 0).astype(np.float64)
        means[row] = (outputs @ (sums / np.maximum(counts, 1))) / (outputs @ graded)
    return np.round(means, DECIMALS)


def _of_ranked(sure: NDArray[np.bool_] | None, ranked: Indices, systems: int) -> NDArray[np.bool_]:
    """What is known of all pairs, of the ranked systems' pairs."""
    first, second = pair_indices(len(ranked))
    if sure is None:
        return np.zeros(len(first), dtype=np.bool_)
    square = np.zeros((systems, systems), dtype=np.bool_)
    square[pair_indices(systems)] = sure
    return square[ranked[first], ranked[second]]


def _changed(means: Floats) -> NDArray[np.bool_]:
    """At each checkpoint, which pairs are in another order than at the end: shape (checkpoints, pairs)."""
    first, second = pair_indices(means.shape[1])
    last = np.sign(means[-1, first] - means[-1, second])
    return np.stack([np.sign(row[first] - row[second]) != last for row in means])


def _taus(means: Floats) -> list[float | None]:
    defined = (np.ptp(means, axis=1) > 0) & (np.ptp(means[-1]) > 0)
    taus: list[float | None] = [None] * len(means)
    if defined.any():
        last = np.repeat(means[-1][:, np.newaxis], int(defined.sum()), axis=1)
        values = np.round(kendall(means[defined].T, last), DECIMALS)
        for place, tau in zip(np.flatnonzero(defined), values, strict=True):
            taus[place] = float(tau)
    return taus


def _since(at: Indices, moved: NDArray[np.bool_]) -> int:
    """The first checkpoint after the last with a change; moved: shape (checkpoints, pairs)."""
    changes = np.flatnonzero(np.any(moved, axis=1))
    return int(at[changes[-1] + 1]) if len(changes) else int(at[0])
