"""Sums that are the same to the last bit on every machine, with every number of BLAS threads.

Floating-point sums depend on their order, and a matrix product chooses its order as it likes. Two systems
that differ only in problems a draw left out would then differ by noise, and "strictly greater" would count
the noise. Rounded to multiples of a power of two coarse enough for the largest possible sum, every partial
sum is exact, so order no longer matters and ties are ties. Integer statistics (BLEU's counts) pass unchanged.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SIGNIFICAND_BITS = 52
FINEST = 40  # multiples of 2**-40: a score in 0-100 moves by less than 1e-10


def fraction_bits(statistics: Floats, count: int) -> int:
    """Fraction bits with which any sum of ``count`` entries of ``statistics`` is exact in float64.

    statistics: finite, any shape. The result is negative where sums reach beyond 2**52.
    """
    if statistics.size == 0:
        return FINEST
    largest = max(float(statistics.max()), -float(statistics.min()))
    _, exponent = np.frexp(largest * count)
    return min(SIGNIFICAND_BITS - int(exponent), FINEST)


def to_fixed_point(statistics: Floats, bits: int) -> Floats:
    """The nearest multiples of 2**-bits, as float64, in a new array of the same shape."""
    scaled = np.ldexp(statistics, bits)
    np.rint(scaled, out=scaled)
    return np.ldexp(scaled, -bits, out=scaled)
