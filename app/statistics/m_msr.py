"""Which annotators are better than chance: the sign step of M-MSR, made deterministic.

M-MSR finds the size of each annotator's skill, then its sign from the signs of their agreements: annotators
who agree more than chance get the same sign, others opposite ones, and most are taken to be better than
chance (Ma & Olshevsky 2020, section 3). crowd-kit 1.4 takes the signs from an eigenvector that ARPACK starts
at random, so that where the grades leave the signs open each call gives another consensus. Here the same
eigenvector comes from the equivalent symmetric matrix, and signs that the grades leave open are reported
instead of guessed.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

Floats = NDArray[np.float64]

LARGEST_DENSE = 600  # about 35 annotators; LAPACK takes well under a second
SMALLEST_GAP = 1e-7


class SignsOpenError(ArithmeticError):
    """The grades do not show which annotators are better than chance."""


def signed_skills(covariation: Floats, sizes: Floats) -> Floats:
    """The skills' sizes with their signs, shape (workers, 1).

    covariation: shape (workers, workers), agreement of each pair beyond chance; sizes: shape (workers, 1).
    Raises SignsOpenError where another assignment of signs fits as well.
    """
    # crowd-kit leaves out rows that sum to 0, and with them two annotators who always agree on two labels.
    values, vectors = _two_smallest(_walk_matrix(np.sign(covariation)))
    vector = vectors[: len(covariation), :1]
    side = np.sign(vector)
    too_close = len(values) > 1 and values[1] - values[0] < SMALLEST_GAP
    if too_close or np.abs(vector).min() < SMALLEST_GAP or side.sum() == 0:
        raise SignsOpenError("the grades do not show which annotators are better than chance")
    return np.asarray(np.sign(side.sum()) * side * sizes)


def _walk_matrix(signs: Floats) -> csr_array:
    """Symmetrised random walk on the graph of opposite signs.

    A pair of opposite sign is an edge; a pair of equal sign is joined through a node of its own, two edges
    apart. Nodes on the two sides of the cut are then told apart by the smallest eigenvalue's vector.
    """
    workers = len(signs)
    first, second = np.nonzero(np.triu(signs) == 1)
    middle = workers + np.arange(len(first))
    opposite, other = np.nonzero(signs == -1)
    rows = np.concatenate([opposite, first, second, middle, middle])
    columns = np.concatenate([other, middle, middle, first, second])
    size = workers + len(first)
    edges = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    scale = 1 / np.sqrt(edges.sum(axis=1))
    return csr_array(edges * scale[:, np.newaxis] * scale[np.newaxis, :])


def _two_smallest(matrix: csr_array) -> tuple[Floats, Floats]:
    """The two smallest eigenvalues, ascending, with their vectors in columns; one if there is just one."""
    size = matrix.shape[0]
    if size <= LARGEST_DENSE:
        values, vectors = eigh(matrix.toarray(), subset_by_index=[0, min(1, size - 1)])
        return values, vectors
    start = np.random.default_rng(0).random(size)
    values, vectors = eigsh(matrix, k=2, which="SA", v0=start)
    order = np.argsort(values)
    return values[order], vectors[:, order]
