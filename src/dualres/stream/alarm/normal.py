"""The normal distribution by Python's own library: an alarm on a gateway needs no SciPy."""

from collections.abc import Callable
from math import erfc, inf, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from dualres.utils.arrays import Exact


def share_below(values: npt.ArrayLike) -> Exact:
    """The share of a standard normal distribution below each value, of any shape; exact in both tails."""
    return _each(lambda value: erfc(-value / sqrt(2)) / 2, values)


def quantile(shares: npt.ArrayLike) -> Exact:
    """The value below which each share of it lies; infinite for 0 and 1."""
    inverse = NormalDist().inv_cdf
    return _each(lambda share: inverse(share) if 0 < share < 1 else (inf if share else -inf), shares)


def _each(function: Callable[[float], float], values: npt.ArrayLike) -> Exact:
    return np.asarray(np.vectorize(function, otypes=[np.float64])(values))
