"""Both views of a window, token by token."""

from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.model.reference.spectra import aligned_spectra
from dualres.utils.arrays import Floats


def log_spectra(window: Floats, config: ModelConfig, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """A raw window (window,) to log(1 + |STFT|) of its tokens, (tokens, short_bins + long_bins), short frames first.

    They are computed as `dtype`.
    """
    short, long = aligned_spectra(window.astype(dtype)[None], config)
    return np.concatenate([short[0], long[0]], axis=-1)
