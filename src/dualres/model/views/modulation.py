"""How fast the sound of a window comes and goes, in a few bands: impacts that repeat, whatever they make ring.

The magnitude of short frames, one every millisecond, is followed in each band. It drives oscillators of the kind that
the paper's memory is made of (Eq. 3): q_t = alpha exp(i theta) q_{t-1} + z_t. Here nothing of them is learned, and what
is read out is how far each swings, not where it stands: that is the same whenever the impacts began. Their frequencies
are on a logarithmic axis, so that another speed moves everything by the same number of oscillators.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from dualres.config import LEAST_MAGNITUDE, VIEW_SIZES, ModelConfig
from dualres.model.spectra import magnitudes, normalise

MARGIN = 9  # oscillators beyond either end of the axis, where a window is to be seen at other speeds


def modulation(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to log(1 + swing) by band and repetition rate, (batch, bands, oscillators)."""
    return swing(fluctuation(windows, config), frame_rate(config), margin=0)


def wide_modulation(windows: Tensor, config: ModelConfig) -> Tensor:
    """`modulation` on an axis that is longer by MARGIN oscillators at either end."""
    return swing(fluctuation(windows, config), frame_rate(config), MARGIN)


def at_other_speed(wide: Tensor, shift: int) -> Tensor:
    """`modulation` as it would be if all repeated faster by `shift` steps of the axis, from `wide_modulation`."""
    return wide[..., MARGIN - shift : MARGIN - shift + VIEW_SIZES.oscillators]


def frame_rate(config: ModelConfig) -> float:
    """Frames per second; twice the tokens of the paper's network, so that rates up to 500 Hz can be told."""
    return 2 * config.token_rate


def fluctuation(windows: Tensor, config: ModelConfig) -> Tensor:
    """How far the magnitude of each band is from its mean, as a share of it: (batch, bands, frames)."""
    strength = strengths(windows, config)
    mean = strength.mean(-1, keepdim=True)
    return (strength - mean) / (mean + LEAST_MAGNITUDE)


def strengths(windows: Tensor, config: ModelConfig) -> Tensor:
    """The magnitude of each band, frame by frame, for windows of RMS one: (batch, bands, frames)."""
    power = magnitudes(normalise(windows), config.short, config.hop // 2).square()
    bands = [power[..., low:high].sum(-1).sqrt() for low, high in pairwise(VIEW_SIZES.band_edges)]
    return torch.stack(bands, dim=-2)


def swing_ref(driven: Tensor, rate: float, margin: int) -> Tensor:
    """The oscillators' log(1 + RMS) over the frames, which come at `rate` Hz: (batch, bands, oscillators)."""
    alpha, theta = (part.to(driven) for part in oscillators(rate, margin))
    step = torch.polar(alpha, theta)
    state = torch.zeros((*driven.shape[:-1], len(theta)), dtype=step.dtype, device=driven.device)
    energy = torch.zeros_like(state.real)
    for frame in driven.unbind(-1):
        state = step * state + frame[..., None]
        energy += state.real.square() + state.imag.square()
    audible = theta < torch.pi  # the others would turn faster than frames come
    return torch.log1p((energy / driven.shape[-1]).sqrt()) * audible


def swing(driven: Tensor, rate: float, margin: int) -> Tensor:
    """The same without a loop, from the spectrum of what drives them.

    Summed for ever, an oscillator's energy is what it makes of that spectrum. After the last frame it swings freely, so
    that what comes then is known from its last state.
    """
    frames = driven.shape[-1]
    passed, last, after = (part.to(driven.device) for part in _responses(frames, rate, margin))
    exact = driven.double()  # what is left is the difference of two sums
    power = torch.fft.rfft(exact, _length(frames)).abs().square()
    ends = (exact @ last.real).square() + (exact @ last.imag).square()
    energy = (power @ passed - ends * after).clamp(min=0) / frames
    audible = oscillators(rate, margin)[1].to(energy.device) < torch.pi
    return (torch.log1p(energy.sqrt()) * audible).to(driven.dtype)


def _length(frames: int) -> int:
    """Of the transform: twice the frames or more, so that correlations do not reach around."""
    return 2 << (frames - 1).bit_length()


@lru_cache(maxsize=8)
def _responses(frames: int, rate: float, margin: int) -> tuple[Tensor, Tensor, Tensor]:
    """What each oscillator passes of a power spectrum, (samples, oscillators), what every frame leaves in its last
    state, (frames, oscillators), and how much energy follows after that state, (oscillators,)."""
    alpha, theta = oscillators(rate, margin)
    step, length = torch.polar(alpha, theta), _length(frames)
    lags = torch.arange(1, frames, dtype=torch.float64)[:, None]
    cosines = torch.cos(2 * torch.pi * torch.arange(length // 2 + 1, dtype=torch.float64)[:, None] * lags.T / length)
    left = 1 / (1 - alpha**2)
    passed = left * (1 + 2 * cosines @ (step**lags).real) / length
    passed[1:-1] *= 2  # the upper half of the spectrum mirrors the lower
    return passed, step ** torch.arange(frames - 1, -1, -1, dtype=torch.float64)[:, None], alpha**2 * left


@lru_cache(maxsize=8)
def oscillators(rate: float, margin: int) -> tuple[Tensor, Tensor]:
    """What is left of each after a frame, and its turn in radians; float64, (oscillators + 2 margin,)."""
    hz = np.array(VIEW_SIZES.oscillator_hz(margin))
    return torch.from_numpy(np.full(len(hz), VIEW_SIZES.left_of_swing(rate))), torch.from_numpy(2 * np.pi * hz / rate)
