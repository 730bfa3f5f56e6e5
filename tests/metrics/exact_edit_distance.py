"""The edit distance of small graphs, proved optimal: what the search of the product is measured against."""

from collections import defaultdict

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from app.metrics.graph_edit_distance import LabelledGraph


def exact_edit_distance(one: LabelledGraph, other: LabelledGraph) -> int:
    """By integer programming: which node becomes which, and which edge (Lerouge et al. 2017)."""
    columns = len(other.labels)
    nodes = [(i, j) for i in range(len(one.labels)) for j in range(columns)]
    edges = [(e, f) for e, edge in enumerate(one.edges) for f, image in enumerate(other.edges) if edge[2] == image[2]]
    if not nodes:
        return one.size + other.size
    gains = [1 + (one.labels[i] == other.labels[j]) for i, j in nodes] + [2] * len(edges)
    rows: list[tuple[list[int], list[int], int]] = []  # variables that sum up, variables that bound them, bound
    for i in range(len(one.labels)):
        rows.append(([i * columns + j for j in range(columns)], [], 1))
    for j in range(columns):
        rows.append(([i * columns + j for i in range(len(one.labels))], [], 1))
    for end in (0, 1):
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for variable, (e, f) in enumerate(edges, start=len(nodes)):
            groups[e, int(other.edges[f][end])].append(variable)
        for (e, j), variables in groups.items():
            rows.append((variables, [int(one.edges[e][end]) * columns + j], 0))
    return one.size + other.size - _maximum(np.array(gains, dtype=float), rows)


def _maximum(gains: np.ndarray, rows: list[tuple[list[int], list[int], int]]) -> int:
    entries = [
        (row, variable, sign)
        for row, (adding, bounding, _) in enumerate(rows)
        for sign, variables in ((1.0, adding), (-1.0, bounding))
        for variable in variables
    ]
    at_row, at_variable, sign = zip(*entries, strict=True)
    matrix = coo_array((sign, (at_row, at_variable)), shape=(len(rows), len(gains))).tocsr()
    bounds = np.array([bound for _, _, bound in rows])
    solved = milp(
        -gains,
        integrality=np.ones(len(gains), dtype=int),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, -np.inf, bounds),
    )
    assert solved.status == 0, solved.message
    return round(-solved.fun)
