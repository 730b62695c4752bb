"""The low-pass filter that every change of rate is made with: scipy.signal.resample_poly's, designed part by part."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import i0

Reals = npt.NDArray[np.float64]

CROSSINGS = 10  # half of the filter's length, in zero crossings
_KAISER = 5.0
_PART = 1 << 16  # taps that are designed at a time; scipy.signal.firwin needs six times the memory of its result


def taps_for(ratio: Fraction) -> Reals:
    """The filter's taps from its centre on; the other half mirrors it. A sample has `ratio.numerator` taps."""
    longer = max(ratio.numerator, ratio.denominator)
    half = CROSSINGS * longer
    taps = np.empty(half + 1)
    for start in range(0, half + 1, _PART):
        at = np.arange(start, min(start + _PART, half + 1))
        taps[at] = np.sinc(at / longer) * i0(_KAISER * np.sqrt(1 - (at / half) ** 2))
    taps /= taps[0] + 2 * taps[1:].sum()
    return ratio.numerator * taps
