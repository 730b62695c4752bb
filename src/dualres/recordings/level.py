"""How signals look, from windows of them: level, crest and bandwidth."""

import math
from functools import lru_cache

import numpy as np

from dualres.recordings.recording import Samples
from dualres.utils.arrays import Exact

POWER = 0.99  # of a signal's power lies within its bandwidth
_TINY = 1e-300


class LevelMeter:
    """The level of a signal whose windows pass by, some at a time."""

    def __init__(self) -> None:
        self._variances: list[float] = []

    def __call__(self, windows: Samples) -> None:
        """Take note of every fourth of half-overlapping windows (n, window): that is enough, and takes no time."""
        self._variances += map(_variance, windows[::4])

    @property
    def level(self) -> float | None:
        return _rms(self._variances) if self._variances else None


def level(windows: Samples) -> float:
    """The rms of windows (n, window), each around its own mean, since a model sees no offset either."""
    return _rms(list(map(_variance, windows)))


def crest(windows: Samples) -> float:
    """The largest distance from a window's mean, in rms of all windows (n, window)."""
    largest = max(float(np.abs(window - window.mean(dtype=np.float64)).max()) for window in windows)
    return largest / max(level(windows), _TINY)


def bandwidth(window: Samples, rate: float) -> float:
    """In Hz: below it lies `POWER` of the power of one window at `rate` Hz."""
    centred = window - window.mean(dtype=np.float64)
    power = np.abs(np.fft.rfft(centred * _hann(len(window)))) ** 2
    share = np.cumsum(power) / max(float(power.sum()), _TINY)
    return float(np.searchsorted(share, POWER) * rate / len(window))


@lru_cache(4)
def _hann(samples: int) -> Exact:
    return np.asarray(np.hanning(samples), np.float64)


def _variance(window: Samples) -> float:
    return float(window.astype(np.float64).var())


def _rms(variances: list[float]) -> float:
    return math.sqrt(sum(variances) / len(variances))
