"""The paper's two views without their time: what sounds, and how loud, on average over a window.

It knows resonances, tones and noise, and neither when anything happens nor how often.
"""

import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.model.spectra import aligned_magnitudes


def mean_spectra(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to mean log-magnitudes, those of the short frames before those of the long ones.

    (batch, short_bins + long_bins), over the very tokens that the paper's network sees.
    """
    return torch.cat([torch.log1p(view).mean(-2) for view in aligned_magnitudes(windows, config)], dim=-1)
