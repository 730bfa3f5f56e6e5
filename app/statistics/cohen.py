"""Cohen's kappa of every two annotators over the items that both graded: unweighted, linear, quadratic.

For a pair all that counts is the table of its joint grades. Summed over a draw of the items, its cells and
margins give the three coefficients, so that a resample is a sparse matrix product here, too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack

from app.once import computed_once
from app.statistics.agreement import AgreementCoefficient, coefficient_of, ratio, undefined
from app.statistics.coded_grades import CodedGrades
from app.statistics.resampling import rows_per_block

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

FEWEST_COMMON_ITEMS = 10
WEIGHTS = ("unweighted", "linear", "quadratic")
ONE_LABEL = "both gave one and the same grade to all common items, so that chance alone gives full agreement"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators: items that both graded, on how many of these they agree exactly, and the three kappas.

    unweighted: any two different grades count alike; linear, quadratic: by the distance of the grades on their
    numeric scale, or its square.
    """

    first: str
    second: str
    items: int
    equal: int
    unweighted: AgreementCoefficient
    linear: AgreementCoefficient
    quadratic: AgreementCoefficient


@dataclass(frozen=True, eq=False)
class JointGrades:
    """The joint tables of all pairs of annotators that share an item, in one sparse form.

    first, second: annotators of each pair. pair, low, high: per occupied cell its pair and both labels' codes.
    cells: shape (cells, items), 1 where the item falls into the cell.
    """

    labels: Floats
    first: Indices
    second: Indices
    pair: Indices
    low: Indices
    high: Indices
    cells: csr_array

    @property
    def pairs(self) -> int:
        """How many pairs."""
        return len(self.first)

    @property
    def width(self) -> int:
        """Numbers that one draw takes: the margins of every pair."""
        return max(1, self.pairs * len(self.labels))

    def only(self, pairs: NDArray[np.bool_]) -> "JointGrades":
        """The chosen pairs."""
        keep = np.flatnonzero(pairs[self.pair])
        number = np.cumsum(pairs) - 1
        chosen = (number[self.pair[keep]], self.low[keep], self.high[keep])
        return JointGrades(self.labels, self.first[pairs], self.second[pairs], *chosen, self.cells[keep])

    def items_and_equal(self) -> tuple[Indices, Indices]:
        """Per pair: common items, and those with equal grades."""
        items = np.asarray(self.cells.sum(axis=1))
        count = np.bincount(self.pair, weights=items, minlength=self.pairs)
        equal = np.bincount(self.pair, weights=items * (self.low == self.high), minlength=self.pairs)
        return count.astype(np.intp), equal.astype(np.intp)

    def kappas(self, counts: Floats) -> Floats:
        """Draw counts of shape (rows, items) to kappas of shape (3, pairs, rows); NaN where undefined."""
        found = np.empty((len(WEIGHTS), self.pairs, len(counts)))
        height = rows_per_block(self.width)
        for start in range(0, len(counts), height):
            rows = slice(start, start + height)
            found[:, :, rows] = self._kappas_of_cells(np.asarray(self.cells @ counts[rows].T))
        return found

    @computed_once
    def _sums(self) -> csr_array:
        """Adds cells up: each pair's items, its three observed disagreements, then the margins of both annotators."""
        labels, at = len(self.labels), np.arange(len(self.pair))
        distance = np.abs(self.labels[self.low] - self.labels[self.high])
        weights = (np.ones(len(at)), (distance > 0).astype(np.float64), distance, distance**2)
        blocks = [csr_array(coo_array((weight, (self.pair, at)), (self.pairs, len(at)))) for weight in weights]
        for code in (self.low, self.high):
            target = self.pair * labels + code
            blocks.append(csr_array(coo_array((weights[0], (target, at)), (self.pairs * labels, len(at)))))
        return csr_array(vstack(blocks, format="csr"))

    def _kappas_of_cells(self, cells: Floats) -> Floats:
        """All is multiplied by the squared number of common items, so that whole numbers stay whole."""
        sums, pairs, rows = np.asarray(self._sums @ cells), self.pairs, cells.shape[1]
        items, observed = sums[:pairs], sums[pairs : 4 * pairs].reshape(3, pairs, rows)
        first, second = sums[4 * pairs :].reshape(2, pairs, len(self.labels), rows)
        expected = self._expected(items, first, second)
        return ratio(expected - items * observed, expected)

    def _expected(self, items: Floats, a: Floats, b: Floats) -> Floats:
        """Disagreement of independent annotators with these margins, each way of weighting."""
        unweighted = items**2 - (a * b).sum(axis=1)
        below_a, below_b = a.cumsum(axis=1)[:, :-1], b.cumsum(axis=1)[:, :-1]
        above_a, above_b = items[:, np.newaxis] - below_a, items[:, np.newaxis] - below_b
        gaps = np.diff(self.labels)[:, np.newaxis]
        linear = (gaps * (below_a * above_b + below_b * above_a)).sum(axis=1)
        value = self.labels[:, np.newaxis]
        squares = ((a + b) * value**2).sum(axis=1)
        quadratic = items * squares - 2 * (a * value).sum(axis=1) * (b * value).sum(axis=1)
        return np.stack([unweighted, linear, quadratic])


def joint_grades(grades: CodedGrades, position: Indices, items: int) -> JointGrades:
    """The joint tables of all pairs; position: each grade's column of the draw counts, out of so many items."""
    # Grades of an item lie next to each other, by annotator: each beside every later one of the same item.
    most = int(np.bincount(grades.task).max(initial=0))
    left = [np.flatnonzero(grades.task[step:] == grades.task[:-step]) for step in range(1, most)]
    first = np.concatenate([*left, np.zeros(0, dtype=np.intp)])
    second = np.concatenate([*(at + step for step, at in enumerate(left, start=1)), first[:0]])
    workers, labels = len(grades.workers), len(grades.labels)
    codes, pair = np.unique(grades.worker[first] * workers + grades.worker[second], return_inverse=True)
    joint = (pair * labels + grades.label[first]) * labels + grades.label[second]
    occupied, cell = np.unique(joint, return_inverse=True)
    matrix = coo_array((np.ones(len(cell)), (cell, position[first])), (len(occupied), items))
    return JointGrades(
        labels=grades.labels,
        first=codes // max(1, workers),
        second=codes % max(1, workers),
        pair=occupied // max(1, labels**2),
        low=occupied // max(1, labels) % max(1, labels),
        high=occupied % max(1, labels),
        cells=csr_array(matrix),
    )


def pair_agreements(
    joint: JointGrades, annotators: list[str], resampled: Floats, fewest: int
) -> tuple[PairAgreement, ...]:
    """Every pair with a common item; resampled: kappas (3, pairs with at least ``fewest`` of them, draws)."""
    items, equal = joint.items_and_equal()
    enough = items >= fewest
    point = joint.only(enough).kappas(np.ones((1, joint.cells.shape[1])))[:, :, 0]
    number = np.cumsum(enough) - 1
    found = []
    for pair in range(joint.pairs):
        names = annotators[joint.first[pair]], annotators[joint.second[pair]]
        if enough[pair]:
            at = number[pair]
            three = [
                _kappa(float(value), draws, int(items[pair]))
                for value, draws in zip(point[:, at], resampled[:, at], strict=True)
            ]
        else:
            three = [undefined(f"fewer than {fewest} common items")] * len(WEIGHTS)
        found.append(PairAgreement(*names, int(items[pair]), int(equal[pair]), *three))
    return tuple(found)


def _kappa(value: float, draws: Floats, items: int) -> AgreementCoefficient:
    return undefined(ONE_LABEL) if np.isnan(value) else coefficient_of(value, draws, items)
