"""Edit distance of labelled directed graphs, by an assignment-based search that is the same on any machine.

Inserting and deleting a node or an edge costs one, and so does giving a node another label; an edge never
becomes one of another kind. Against deleting one graph and inserting the other, a mapping of the smaller
graph's nodes into the larger one's then saves two for every node with an equal label, one for every other
node, and two for every edge of equal kind and mapped ends. The distance is the sum of both sizes less the
largest such gain: a quadratic assignment problem (Bougleux et al. 2017). It is solved by Frank-Wolfe steps
over linear assignments (Leordeanu et al. 2009; Vogelstein et al. 2015) from several starts, each end improved
by exchanges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
MAX_STEPS = 12
# Every number of the search is a whole multiple of 2**-14 or of its square, and small enough (below 2**24)
# for sums to be exact in float64, in whatever order a machine adds: the result is the same everywhere.
GRID = 2.0**14


@dataclass(frozen=True, slots=True, order=True)
class LabelledGraph:
    """Nodes by label; edges (source, target, kind), each at most once, none from a node to itself."""

    labels: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]

    @property
    def size(self) -> int:
        """Nodes and edges."""
        return len(self.labels) + len(self.edges)


def edit_distance(one: LabelledGraph, other: LabelledGraph) -> int:
    """An upper bound of the distance, exact on most small graphs; symmetric, and 0 for equal graphs."""
    if one == other:
        return 0
    small, large = sorted((one, other), key=lambda graph: (len(graph.labels), graph))
    if not small.labels:
        return large.size
    return small.size + large.size - _Assignment(small, large).best_gain()


class _Assignment:
    """Gains of mapping the nodes of a small graph, padded to the number of a large one's, to those."""

    def __init__(self, small: LabelledGraph, large: LabelledGraph) -> None:
        self.nodes = len(large.labels)
        self.label_gain = _label_gain(small.labels, large.labels)
        kinds = sorted({kind for _, _, kind in small.edges} & {kind for _, _, kind in large.edges})
        self.small = _adjacencies(small, kinds, self.nodes)
        self.large = _adjacencies(large, kinds, self.nodes)
        self.small_rows = csr_array(self.small.reshape(-1, self.nodes))
        self.large_rows = csr_array(self.large.transpose(1, 0, 2).reshape(self.nodes, -1))

    def best_gain(self) -> int:
        """The largest gain found from all starts."""
        return max(int(self.gain(self._improve(self._climb(start)))) for start in self._starts())

    def gain(self, target: Indices) -> float:
        """What a mapping saves: its labels, and its edges, of which each shows at both of its ends."""
        rows = np.arange(self.nodes)
        slope = self._slope(self._matrix(target))
        return float((slope[rows, target] + self.label_gain[rows, target]).sum()) / 2

    def _starts(self) -> Iterator[Floats]:
        """Each node spread over the nodes with its label; then that, half and half with the order of the text
        moved on by equal steps."""
        spread = np.where(self.label_gain > 1, 1.0, 0.0)
        spread[spread.sum(axis=1) == 0] = 1.0
        spread = _on_grid(spread / spread.sum(axis=1, keepdims=True))
        yield spread
        shifts = min(self.nodes, _shifts(self.nodes))
        for shift in range(shifts):
            moved = (np.arange(self.nodes) + shift * self.nodes // shifts) % self.nodes
            yield _on_grid((self._matrix(moved) + spread) / 2)

    def _slope(self, mapping: Floats) -> Floats:
        """What each pair of nodes would add to the gain, given a (partial) mapping of the others."""
        images = np.asarray(self.small_rows @ mapping).reshape(-1, self.nodes, self.nodes)
        by_node = images.transpose(1, 0, 2).reshape(self.nodes, -1)
        return np.asarray(self.label_gain + 2 * (self.large_rows @ by_node.T).T)

    def _climb(self, mapping: Floats) -> Indices:
        """Frank-Wolfe: towards the best linear assignment, as far as the gain rises; the best one met."""
        met: dict[float, Indices] = {}
        for _ in range(MAX_STEPS):
            slope = self._slope(mapping)
            target = _assign(slope)
            met.setdefault(self.gain(target), target)
            direction = self._matrix(target) - mapping
            rise = float((slope * direction).sum())
            if rise <= 0:
                break
            bend = float(((self._slope(mapping + direction) - slope) * direction).sum())
            step = 1.0 if bend >= 0 else min(1.0, -rise / bend)
            mapping = _on_grid(mapping + step * direction)
        return met[max(met)]

    def _improve(self, target: Indices) -> Indices:
        """Exchange the two images that help most until no exchange helps."""
        while True:
            rise = self._exchange_rise(target)
            first, second = np.unravel_index(int(rise.argmax()), rise.shape)
            if rise[first, second] <= 0:
                return target
            target = target.copy()
            target[[first, second]] = target[[second, first]]

    def _exchange_rise(self, target: Indices) -> Floats:
        slope = self._slope(self._matrix(target))[:, target]
        moved = self.large[:, target][:, :, target]
        stay = np.diagonal(slope)
        common = (self.small * (moved + moved.transpose(0, 2, 1))).sum(axis=0)
        return np.asarray(slope + slope.T - stay[:, None] - stay[None, :] + 2 * common)

    def _matrix(self, target: Indices) -> Floats:
        matrix = np.zeros((self.nodes, self.nodes))
        matrix[np.arange(self.nodes), target] = 1
        return matrix


def _shifts(nodes: int) -> int:
    """Fewer starts for graphs on which each takes longer."""
    return 16 if nodes <= 64 else 8 if nodes <= 128 else 4


def _on_grid(mapping: Floats) -> Floats:
    return np.asarray(np.round(mapping * GRID) / GRID)


def _assign(profit: Floats) -> Indices:
    return np.asarray(linear_sum_assignment(profit, maximize=True)[1])


def _label_gain(small: Sequence[str], large: Sequence[str]) -> Floats:
    numbers = {label: number for number, label in enumerate({*small, *large})}
    rows, columns = (np.array([numbers[label] for label in labels]) for labels in (small, large))
    gain = np.zeros((len(large), len(large)))
    gain[: len(small)] = 1.0 + (rows[:, None] == columns[None, :])
    return gain


def _adjacencies(graph: LabelledGraph, kinds: Sequence[str], nodes: int) -> Floats:
    """One matrix per kind and direction, shape (2 * kinds, nodes, nodes)."""
    matrices = np.zeros((2 * len(kinds), nodes, nodes))
    for source, target, kind in graph.edges:
        if kind in kinds:
            matrices[2 * kinds.index(kind), source, target] = 1
            matrices[2 * kinds.index(kind) + 1, target, source] = 1
    return matrices
