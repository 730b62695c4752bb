"""From a window to two aligned views of it: log-magnitude STFTs whose frames share their centres.

Computed in the precision of what is given.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dualres.config import SMALLEST_RMS, ModelConfig
from dualres.utils.arrays import Reals


def normalise(windows: Reals) -> Reals:
    """Each window without its mean and divided by its RMS, both taken in float64; (n, samples) to the same."""
    exact = windows.astype(np.float64)
    centred = exact - exact.mean(-1, keepdims=True)
    rms = np.sqrt(np.maximum(np.square(centred).mean(-1, keepdims=True), SMALLEST_RMS**2))
    return np.asarray(centred / rms, windows.dtype)


@lru_cache(maxsize=8)
def hann(length: int) -> npt.NDArray[np.float64]:
    """The periodic Hann window, (length,)."""
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length))


def magnitudes(signals: Reals, length: int, hop: int) -> Reals:
    """|STFT| without padding or scaling: (n, samples) to (n, frames, length // 2 + 1)."""
    frames = np.lib.stride_tricks.sliding_window_view(signals, length, axis=-1)[..., ::hop, :]
    return np.abs(np.fft.rfft(frames * hann(length).astype(signals.dtype)))


def aligned_magnitudes(windows: Reals, config: ModelConfig) -> tuple[Reals, Reals]:
    """The short and the long view of raw windows at `config.rate`, before the logarithm.

    (n, window) to (n, tokens, short_bins) and (n, tokens, long_bins). Token j of both views is centred on sample
    j * hop + long / 2: the short view skips `crop` frames at either end.
    """
    signals = normalise(windows)
    skipped = config.crop * config.hop
    middle = signals[..., skipped : signals.shape[-1] - skipped]
    return magnitudes(middle, config.short, config.hop), magnitudes(signals, config.long, config.hop)


def aligned_spectra(windows: Reals, config: ModelConfig) -> tuple[Reals, Reals]:
    """The two views as the networks take them, log(1 + |STFT|), in the shapes of `aligned_magnitudes`."""
    short, long = aligned_magnitudes(windows, config)
    return np.log1p(short), np.log1p(long)
