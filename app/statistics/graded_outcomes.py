"""Outputs that were both executed and graded, counted by problem: the sufficient statistics of their agreement."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Booleans = NDArray[np.bool_]

DECIMALS = 10  # of a grade: consensus values that differ by less are one
SCALE = (0.0, 1.0, 2.0, 3.0, 4.0)


@dataclass(frozen=True, eq=False)
class GradedOutcomes:
    """Outputs with a verdict and a grade.

    index: shape (n,), each one's place in what was given. passed, grades: shape (n,). level: shape (n,), the label of
    the scale that lies nearest to the grade. counts: shape (problems, 2 * values), how many of a problem's outputs
    failed with each of the distinct ``values``, then how many passed with it.
    """

    index: Indices
    passed: Booleans
    grades: Floats
    level: Floats
    values: Floats
    counts: Floats

    @property
    def problems(self) -> int:
        """How many problems have such an output."""
        return len(self.counts)


def join(
    problems: Sequence[str],
    passed: Sequence[bool | None],
    grades: Sequence[float | None],
    scale: Sequence[float] = SCALE,
) -> GradedOutcomes:
    """Keep the outputs that have both a verdict and a grade; one entry per output in each argument.

    Raises StatisticsError, naming the output by its place, for a grade that is no number of the scale's range.
    """
    if not len(problems) == len(passed) == len(grades):
        raise StatisticsError("Each output needs a problem, a verdict or None, and a grade or None.")
    for place, grade in enumerate(grades):
        if grade is not None and not min(scale) <= grade <= max(scale):
            raise StatisticsError(f"Output {place}: the grade {grade} is not from {min(scale):g} to {max(scale):g}.")
    both = [
        (place, problem, is_pass, grade)
        for place, (problem, is_pass, grade) in enumerate(zip(problems, passed, grades, strict=True))
        if is_pass is not None and grade is not None
    ]
    values: Floats = np.asarray([round(each[3], DECIMALS) for each in both], dtype=np.float64)
    outcomes = np.array([each[2] for each in both], dtype=np.bool_)
    distinct, counts = _count([each[1] for each in both], outcomes, values)
    index = np.array([each[0] for each in both], dtype=np.intp)
    return GradedOutcomes(index, outcomes, values, nearest_level(values, scale), distinct, counts)


def _count(problems: Sequence[str], passed: Booleans, grades: Floats) -> tuple[Floats, Floats]:
    """The distinct grades, and how often each problem has each with each outcome."""
    names = {name: row for row, name in enumerate(dict.fromkeys(problems))}
    distinct, code = np.unique(grades, return_inverse=True)
    counts = np.zeros((len(names), 2 * len(distinct)))
    rows = np.array([names[problem] for problem in problems], dtype=np.intp)
    np.add.at(counts, (rows, code + len(distinct) * passed), 1)
    return distinct, counts


def nearest_level(grades: Floats, scale: Sequence[float] = SCALE) -> Floats:
    """The label nearest to each grade, (n,) to (n,); a grade half way between two goes to the middle of the scale.

    A mean of grades that is half way says neither "low" nor "high", so that it makes no disagreement.
    """
    labels = np.sort(np.asarray(scale, dtype=np.float64))
    middle = (labels[0] + labels[-1]) / 2
    nearest_first = labels[np.argsort(np.abs(labels - middle), kind="stable")]
    distance = np.round(np.abs(grades[:, np.newaxis] - nearest_first), DECIMALS)
    return np.asarray(nearest_first[distance.argmin(axis=1)])
