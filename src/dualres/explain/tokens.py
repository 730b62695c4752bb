"""Both views of a window, token by token."""

from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.explain.regions import SPECTRA
from dualres.model.reference.spectra import aligned_spectra
from dualres.model.weights import NetworkWeights
from dualres.utils.arrays import Exact, Floats


def log_spectra(window: Floats, config: ModelConfig, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """A raw window (window,) to log(1 + |STFT|) of its tokens, (tokens, short_bins + long_bins), short frames first.

    They are computed as `dtype`.
    """
    short, long = aligned_spectra(window.astype(dtype)[None], config)
    return np.concatenate([short[0], long[0]], axis=-1)


def mean_spectra(network: NetworkWeights, windows: Floats) -> dict[str, Exact]:
    """Mean log-magnitudes of raw windows (n, window), (n, short_bins + long_bins), with frames of a network's sizes."""
    return {SPECTRA: np.stack([log_spectra(one, network.config).mean(0, dtype=np.float64) for one in windows])}
