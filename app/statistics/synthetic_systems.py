"""Synthetic systems: originals with some outputs replaced by better (or worse) outputs of other systems.

A synthetic system is an array that names, for each problem, the original system whose output it takes. All
its statistics follow by indexing; no text is copied and nothing is scored twice. Source: the paper, section
5.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PERCENTS = (1.0, 3.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0)


@dataclass(frozen=True, eq=False)
class SystemSet:
    """Original systems first, in their order, then synthetic ones.

    names: ``baseline``, ``baseline_5_1`` (5 % of its outputs improved), ``baseline_5_0`` (worsened).
    sources: shape (systems, n); sources[s, p] is the original system whose output s takes for problem p.
    originals: how many of the systems are original.
    """

    names: tuple[str, ...]
    sources: Indices
    originals: int

    def is_synthetic(self, system: int) -> bool:
        """Whether the system at this position was made from others."""
        return system >= self.originals


def original_systems(names: Sequence[str], problems: int) -> SystemSet:
    """The originals alone, each taking its own outputs."""
    sources = np.repeat(np.arange(len(names))[:, np.newaxis], problems, axis=1)
    return SystemSet(tuple(names), sources, len(names))


def with_synthetic_systems(
    names: Sequence[str],
    grades: Floats,
    output_ids: NDArray[np.integer],
    percents: Sequence[float] = PERCENTS,
) -> SystemSet:
    """The originals and, of each, one system per percentage and direction, without those that equal another.

    grades: shape (systems, n), one consensus per output, finite, any scale. output_ids: shape (systems, n),
    equal numbers for equal texts. For each problem the other system with the largest gain (loss) of grade is
    taken, the first one winning ties; problems without a gain are dropped; the k = round(percent·n/100)
    largest gains are replaced, ties in problem order; where fewer exist, those. A synthetic system whose
    outputs all equal an original's is dropped, and of several equal synthetic systems only the last stays (as
    in the published data).
    """
    systems, problems = grades.shape
    if output_ids.shape != grades.shape or len(names) != systems:
        raise StatisticsError(
            f"Names, grades and output ids disagree: {len(names)}, {grades.shape}, {output_ids.shape}."
        )
    _check_percents(percents)
    all_names, sources = list(names), [*original_systems(names, problems).sources]
    for system, improve in product(range(systems if systems > 1 else 0), (True, False)):
        order, replacement = _replacements(grades, system, improve=improve)
        for percent in percents:
            replaced = order[: round(percent * problems / 100)]
            source = np.full(problems, system)
            source[replaced] = replacement[replaced]
            all_names.append(f"{names[system]}_{percent:g}_{int(improve)}")
            sources.append(source)
    return _distinct(all_names, np.array(sources), systems, output_ids)


def _check_percents(percents: Sequence[float]) -> None:
    if any(not 0 < percent <= 100 for percent in percents):
        raise StatisticsError(f"Percentages must lie above 0 and at most at 100, not {list(percents)}.")


def _replacements(grades: Floats, system: int, *, improve: bool) -> tuple[Indices, Indices]:
    """Problems that another system does better (worse), largest gain first; and that system per problem."""
    gains = grades - grades[system] if improve else grades[system] - grades
    gains[system] = -np.inf
    best = gains.argmax(axis=0)
    size = gains[best, np.arange(grades.shape[1])]
    candidates = np.flatnonzero(size > 0)
    return candidates[np.argsort(-size[candidates], kind="stable")], best


def _distinct(names: list[str], sources: Indices, originals: int, output_ids: NDArray[np.integer]) -> SystemSet:
    outputs = output_ids[sources, np.arange(sources.shape[1])]
    keys = [row.tobytes() for row in outputs]
    of_originals, last = set(keys[:originals]), {key: system for system, key in enumerate(keys)}
    kept = list(range(originals))
    kept += [s for s in range(originals, len(keys)) if keys[s] not in of_originals and last[keys[s]] == s]
    return SystemSet(tuple(names[s] for s in kept), sources[kept], originals)
