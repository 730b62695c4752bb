"""The paper's two views of a window, token by token, without PyTorch: the fast twin of `model/spectra.py`."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.fft import rfft

from dualres.config import ModelConfig

Floats = npt.NDArray[np.float32]

SMALLEST_RMS = 1e-10


def log_spectra(window: Floats, config: ModelConfig, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """A raw window (window,) to log(1 + |STFT|) of its tokens, (tokens, short_bins + long_bins), short frames first.

    They are computed as `dtype`.
    """
    centred = window.astype(np.float64) - window.mean(dtype=np.float64)
    rms = max(np.sqrt(np.mean(centred**2)), SMALLEST_RMS)
    signal = (centred / rms).astype(dtype)
    skipped = config.crop * config.hop
    logs = np.empty((config.tokens, config.short_bins + config.long_bins), dtype)
    np.log1p(
        _magnitudes(signal[skipped : len(signal) - skipped], config.short, config.hop), out=logs[:, : config.short_bins]
    )
    np.log1p(_magnitudes(signal, config.long, config.hop), out=logs[:, config.short_bins :])
    return logs


def _magnitudes(signal: npt.NDArray[Any], length: int, hop: int) -> npt.NDArray[Any]:
    frames = np.lib.stride_tricks.sliding_window_view(signal, length)[::hop]
    return np.asarray(np.abs(rfft(frames * _hann(length).astype(signal.dtype))))


@lru_cache(maxsize=8)
def _hann(length: int) -> npt.NDArray[np.float64]:
    """Periodic."""
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length))
