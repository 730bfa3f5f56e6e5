"""Grades as a table of counts: how often each item got each label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.statistics.errors import StatisticsError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GradeTable:
    """labels: the values given, ascending; counts: shape (items, labels), items sorted by name."""

    labels: Floats
    counts: Floats

    def with_at_least(self, grades: int) -> "GradeTable":
        """Only the items with that many grades, and only the labels that they hold."""
        counts = self.counts[self.counts.sum(axis=1) >= grades]
        held = counts.sum(axis=0) > 0
        return GradeTable(self.labels[held], counts[:, held])


def count_grades(items: Sequence[str], grades: Sequence[float]) -> GradeTable:
    """Count the labels of each item from one entry per grade; StatisticsError if a grade is not a number."""
    if len(items) != len(grades):
        raise StatisticsError(f"{len(items)} items but {len(grades)} grades: one entry each per grade.")
    values = np.array(grades, dtype=np.float64)
    if not np.isfinite(values).all():
        raise StatisticsError("A grade is not a finite number; leave skipped items out.")
    _, item = np.unique(np.array(items, dtype=np.str_), return_inverse=True)
    labels, label = np.unique(values, return_inverse=True)
    shape = (int(item.max()) + 1 if len(item) else 0, len(labels))
    counts = np.bincount(item * shape[1] + label, minlength=shape[0] * shape[1]) if len(item) else np.zeros(0)
    return GradeTable(labels, counts.reshape(shape).astype(np.float64))
