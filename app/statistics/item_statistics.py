"""What agreement coefficients need of each item, in a form that adds up over items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from app.statistics.fixed_point import fraction_bits, to_fixed_point
from app.statistics.grade_table import GradeTable

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ItemTotals:
    """Sums over the items of each row (a draw); every item has at least two grades.

    labels: shape (labels,). label_counts: shape (rows, labels), grades per label. item_agreement: shape
    (rows,), sum of the items' shares of agreeing pairs. coincidences: shape (rows, label pairs),
    Krippendorff's o_ck of unequal labels c < k (both orders together); lower, upper: c and k of each. items:
    items in each row.
    """

    labels: Floats
    label_counts: Floats
    item_agreement: Floats
    coincidences: Floats
    lower: Indices
    upper: Indices
    items: int

    @property
    def same_label_pairs(self) -> Floats:
        """Coincidences of equal labels; all coincidences of a row sum to its grades."""
        return np.asarray(self.label_counts.sum(axis=1) - self.coincidences.sum(axis=1))

    def observed_disagreement(self, positions: Floats) -> Floats:
        """Sum of coincidences times squared distance of the labels' positions, shape (rows, labels)."""
        distance = positions[:, self.upper] - positions[:, self.lower]
        return np.asarray((self.coincidences * distance**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class ItemStatistics:
    """The same per item, in one sparse matrix: label counts, then item agreement, then coincidences."""

    labels: Floats
    matrix: csr_array
    lower: Indices
    upper: Indices

    def totals(self, counts: Floats) -> ItemTotals:
        """Sums weighted by how often each row holds each item: counts of shape (rows, items)."""
        # Items have few labels of many: the sparse product is as fast as the dense one for five labels and
        # hundreds of times faster for a scale of 0-100.
        sums = np.asarray((self.matrix @ counts.T).T)
        width = len(self.labels)
        return ItemTotals(
            self.labels,
            label_counts=sums[:, :width],
            item_agreement=sums[:, width],
            coincidences=sums[:, width + 1 :],
            lower=self.lower,
            upper=self.upper,
            items=counts.shape[1],
        )


def item_statistics(table: GradeTable) -> ItemStatistics:
    """Sufficient statistics of items with at least two grades each."""
    counts = table.counts
    size = counts.sum(axis=1)
    agreement = (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
    items, pairs, weights, lower, upper = _unequal_pairs(counts, size)
    dense = np.column_stack([counts, agreement])
    rows, columns = np.nonzero(dense)
    values = np.concatenate([dense[rows, columns], weights])
    rows = np.concatenate([rows, items])
    columns = np.concatenate([columns, dense.shape[1] + pairs])
    shape = (dense.shape[1] + len(lower), len(counts))
    exact = to_fixed_point(values, fraction_bits(values, len(counts)))
    return ItemStatistics(table.labels, csr_array(coo_array((exact, (columns, rows)), shape)), lower, upper)


def _unequal_pairs(counts: Floats, size: Floats) -> tuple[Indices, Indices, Floats, Indices, Indices]:
    """Per item and pair of unequal labels in it: item, pair number, 2·n_c·n_k/(size - 1); then c and k."""
    labels = counts.shape[1]
    item, label = np.nonzero(counts)
    # Every held label beside every later one of the same item: entries of an item lie next to each other.
    steps = range(1, int(np.bincount(item).max()))
    left = [np.flatnonzero(item[step:] == item[:-step]) for step in steps]
    first = np.concatenate([*left, np.zeros(0, dtype=np.intp)])
    second = np.concatenate([*(at + step for at, step in zip(left, steps, strict=True)), first[:0]])
    owner, low, high = item[first], label[first], label[second]
    weights = 2 * counts[owner, low] * counts[owner, high] / (size[owner] - 1)
    codes, pairs = np.unique(low * labels + high, return_inverse=True)
    return owner, pairs, weights, codes // labels, codes % labels
