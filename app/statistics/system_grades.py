"""Grades of items, and whose outputs the items are: the input of what asks whether the grades are enough."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from app.statistics.errors import StatisticsError
from app.statistics.fixed_point import fraction_bits, to_fixed_point

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class SystemGrades:
    """Grades in the order in which they came, in points (0-100); items and problems in the order of their names.

    item, points: shape (grades,). problem: shape (items,), each item's problem. outputs: shape (systems, items),
    1 where the item is the system's output; an item can be that of several.
    """

    systems: tuple[str, ...]
    problems: int
    item: Indices
    points: Floats
    problem: Indices
    outputs: csr_array

    @property
    def items(self) -> int:
        """How many items have a grade."""
        return len(self.problem)

    @property
    def grades_per_item(self) -> Indices:
        """Shape (items,)."""
        return np.bincount(self.item, minlength=self.items)

    def item_means(self) -> Floats:
        """Mean grade of each item, in points, shape (items,)."""
        return np.bincount(self.item, weights=self.points, minlength=self.items) / self.grades_per_item

    def item_variances(self) -> Floats | None:
        """Variance of single grades of each item, with Bessel's correction; shape (items,).

        Items with a single grade take the pooled variance of the others; None if no item has two grades.
        """
        counts = self.grades_per_item
        strays = self.points - self.item_means()[self.item]
        # In one order, so that the order of the grades leaves no trace.
        order = np.lexsort((strays, self.item))
        squares = np.bincount(self.item[order], weights=strays[order] ** 2, minlength=self.items)
        several = counts > 1
        if not several.any():
            return None
        pooled = squares.sum() / (counts[several] - 1).sum()
        return np.where(several, squares / np.maximum(counts - 1, 1), pooled)


def collect_grades(
    items: Sequence[str],
    labels: Sequence[float],
    *,
    systems: Sequence[str],
    systems_of: Mapping[str, Collection[str]],
    problem_of: Mapping[str, str],
    scale: tuple[float, float],
) -> SystemGrades:
    """One entry per grade, in the order in which they came: its item and its value.

    systems_of: the systems whose output an item is; grades of other items (references, controls) are left out.
    problem_of: the problem of each of these items. scale: lowest and highest label. An annotator has at most one
    grade per item. Raises StatisticsError for a grade beyond the scale.
    """
    lowest, highest = scale
    if not lowest < highest:
        raise StatisticsError(f"A scale from {lowest:g} to {highest:g} has no range.")
    if len(items) != len(labels):
        raise StatisticsError(f"{len(items)} items but {len(labels)} grades: one entry each per grade.")
    row_of = {name: row for row, name in enumerate(systems)}
    # Dictionaries and not np.unique: millions of names are slow and large as an array of text.
    names = sorted(name for name in set(items) if any(system in row_of for system in systems_of.get(name, ())))
    number = {name: at for at, name in enumerate(names)}
    item = np.fromiter((number.get(name, -1) for name in items), dtype=np.intp, count=len(items))
    kept = item >= 0
    values = np.asarray(labels, dtype=np.float64)[kept]
    if not ((values >= lowest) & (values <= highest)).all():
        raise StatisticsError(f"A grade is not a number from {lowest:g} to {highest:g}.")
    points = 100 * (values - lowest) / (highest - lowest)
    problem_names = sorted({problem_of[name] for name in names})
    place = {name: at for at, name in enumerate(problem_names)}
    owned = [[row_of[system] for system in systems_of[name] if system in row_of] for name in names]
    columns = np.repeat(np.arange(len(names)), [len(rows) for rows in owned])
    rows = np.fromiter((row for each in owned for row in each), dtype=np.intp, count=len(columns))
    return SystemGrades(
        systems=tuple(systems),
        problems=len(problem_names),
        item=item[kept],
        points=to_fixed_point(points, fraction_bits(points, len(points))),
        problem=np.fromiter((place[problem_of[name]] for name in names), dtype=np.intp, count=len(names)),
        outputs=csr_array(coo_array((np.ones(len(rows)), (rows, columns)), (len(systems), len(names)))),
    )
