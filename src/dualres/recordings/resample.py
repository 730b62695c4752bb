"""Any rate to the model's rate, by an exact polyphase ratio."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.signal import resample_poly

from dualres.errors import RecordingError
from dualres.recordings.recording import Samples

RESAMPLER = "scipy.signal.resample_poly"
LARGEST_FACTOR = 200_000  # the filter has 20 taps per step of the ratio's larger side


def resample(signal: Samples, rate: Fraction, target: int) -> Samples:
    """`signal` at `rate` Hz brought to `target` Hz, float32.

    The mean stands in for what lies beyond both ends: zeros there would put a step, and with it a
    burst over the whole spectrum, into the first and last window of a signal with an offset.
    """
    ratio = Fraction(target) / rate
    if ratio == 1:
        return signal
    if max(ratio.numerator, ratio.denominator) > LARGEST_FACTOR:
        raise RecordingError(f"a rate of {float(rate):.6f} Hz makes no simple ratio to {target} Hz; round it")
    resampled = resample_poly(signal, ratio.numerator, ratio.denominator, padtype="mean")
    return np.asarray(resampled, dtype=np.float32)
