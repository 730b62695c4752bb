"""Any rate to the model's rate, by an exact ratio."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.signal import resample_poly

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.recording import Samples

POLYPHASE, SOXR = RESAMPLERS = ("scipy.signal.resample_poly", "soxr")
LARGEST_FACTOR = 200_000  # the polyphase filter has 20 taps per step of the ratio's larger side


def resample(signal: Samples, rate: Fraction, target: int, resampler: str = POLYPHASE) -> Samples:
    """`signal` at `rate` Hz brought to `target` Hz, float32.

    The mean stands in for what lies beyond both ends: zeros there would put a step, and with it a
    burst over the whole spectrum, into the first and last window of a signal with an offset.
    """
    ratio = Fraction(target) / rate
    check_resampler(resampler)
    if ratio == 1:
        return signal
    if max(ratio.numerator, ratio.denominator) > LARGEST_FACTOR:
        raise RecordingError(f"a rate of {float(rate):.6f} Hz makes no simple ratio to {target} Hz; round it")
    if resampler == SOXR:
        return _by_soxr(signal, ratio)
    resampled = resample_poly(signal, ratio.numerator, ratio.denominator, padtype="mean")
    return np.asarray(resampled, dtype=np.float32)


def check_resampler(name: str) -> None:
    """An error unless there is such a resampler."""
    if name not in RESAMPLERS:
        raise ConfigError(f"there is no resampler {name!r}; there are {', '.join(RESAMPLERS)}")


def _by_soxr(signal: Samples, ratio: Fraction) -> Samples:
    try:
        import soxr
    except ImportError:
        raise ConfigError("resampling by soxr needs an extra: pip install 'dualres[soxr]'") from None
    mean = signal.mean(dtype=np.float64).astype(np.float32)
    resampled = soxr.resample(signal - mean, ratio.denominator, ratio.numerator, quality="VHQ")
    return np.asarray(resampled + mean, dtype=np.float32)
