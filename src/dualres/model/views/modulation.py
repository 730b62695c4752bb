"""How fast the sound of a window comes and goes, in a few bands: impacts that repeat, whatever they make ring.

The magnitude of short frames, one every millisecond, is followed in each band. The spectrum of how it fluctuates has
lines where impacts repeat. Its axis is logarithmic, so that another speed moves all lines by the same number of bins.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.spectra import magnitudes, normalise

MARGIN = 9  # bins that the axis goes on for at either end, where a window is to be seen at other speeds
LEAST = 0.05  # added to a band's mean magnitude: bands above what the sensor recorded stay silent
ZERO_PADDED = 2  # times the frames, so that narrow bins have samples of the spectrum to take


def modulation(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to log(1 + fluctuation) by band and repetition rate, (batch, bands, bins)."""
    return wide_modulation(windows, config)[..., MARGIN:-MARGIN]


def at_other_speed(wide: Tensor, shift: int) -> Tensor:
    """`modulation` as it would be if everything repeated faster by `shift` bins, from `wide_modulation`."""
    return wide[..., MARGIN - shift : MARGIN - shift + VIEW_SIZES.bins]


def wide_modulation(windows: Tensor, config: ModelConfig) -> Tensor:
    """`modulation` on an axis that is longer by MARGIN bins at either end."""
    spectrum = magnitudes(normalise(windows), config.short, config.hop // 2).square()
    bands = [spectrum[..., low:high].sum(-1).sqrt() for low, high in pairwise(VIEW_SIZES.band_edges)]
    strength = torch.stack(bands, dim=-2)  # (batch, bands, frames)
    mean = strength.mean(-1, keepdim=True)
    frames = strength.shape[-1]
    taper = torch.hann_window(frames, periodic=False, dtype=strength.dtype, device=strength.device)
    fluctuation = (strength - mean) / (mean + LEAST) * taper
    power = torch.fft.rfft(fluctuation, padded(frames)).abs().square()
    overlaps = bin_overlaps(frames, 2 * config.token_rate).to(power)
    return torch.log1p((power @ overlaps).sqrt())


def padded(frames: int) -> int:
    """Length of the transform: the next power of two, and ZERO_PADDED times that."""
    return ZERO_PADDED * 1 << (frames - 1).bit_length()


@lru_cache(maxsize=4)
def bin_overlaps(frames: int, frame_rate: float) -> Tensor:
    """How much of each sample of the spectrum falls into each bin of the wide axis, (samples, bins); columns sum to 1.

    A sample stands for the interval of frequencies that are nearer to it than to others.
    """
    length = padded(frames)
    edges = np.array(VIEW_SIZES.rate_edges(MARGIN)) / (frame_rate / length) + 0.5  # in samples
    samples = np.arange(length // 2 + 1)[:, None]
    shares = np.clip(np.minimum(samples + 1, edges[1:]) - np.maximum(samples, edges[:-1]), 0, None)
    return torch.from_numpy(shares / np.diff(edges))
