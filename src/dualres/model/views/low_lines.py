"""The lowest kilohertz as finely as a window resolves it: lines of shafts and gears, which no short frame can see."""

from itertools import pairwise

import torch
from torch import Tensor

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.spectra import hann, normalise


def low_lines(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to log(1 + magnitude) in narrow bands, (batch, bands)."""
    signal = normalise(windows)
    spectrum = torch.fft.rfft(signal * hann(config.window, signal.dtype, signal.device))
    power = spectrum[..., : VIEW_SIZES.lines[1]].abs().square()
    bands = [power[..., low:high].mean(-1) for low, high in pairwise(VIEW_SIZES.line_edges)]
    return torch.log1p(torch.stack(bands, dim=-1).sqrt())
