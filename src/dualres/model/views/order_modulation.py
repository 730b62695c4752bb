"""How fast the sound of a window comes and goes in a few bands, followed by oscillators of constant quality.

They are those of `modulation`, but lose the same share in every turn, whatever their frequency: then they see the same
of a shaft that turns faster, only further up. They stand close together on an axis of Hz. What an oscillator at some
multiple of the shaft's rate would do is read between two of them, for as many rates as one likes.
"""

from functools import lru_cache

import torch
from torch import Tensor

from dualres.config import HALF_SWING_HZ, HEARD_MAGNITUDE, LEAST_MAGNITUDE, ORDER_SIZES, ModelConfig
from dualres.model.views.modulation import frame_rate, strengths
from dualres.model.views.order_axis import places, reading

TABLES = 8  # that are kept, of different sizes


def order_modulation(swings: Tensor, hz: Tensor) -> Tensor:
    """Swings (batch, bands, bank) as they are at orders of shafts that turn at `hz` (batch,): (batch, bands * orders).

    A line of the same depth makes an oscillator swing for as long as its memory lasts, which is the shorter, the faster
    the shaft: times the rate, it counts for the same at every speed.
    """
    sizes = ORDER_SIZES
    at = places(hz, sizes.axis(sizes.oscillators), sizes.bank_hz[0], sizes.bank_step)
    read = reading(swings, at[:, None].expand(-1, swings.shape[1], -1))
    return torch.log1p(read * (hz / HALF_SWING_HZ)[:, None, None]).flatten(1)


def bank(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to how far every oscillator swings in each band: RMS, (batch, bands, bank)."""
    return swing(heard(windows, config), frame_rate(config))


def heard(windows: Tensor, config: ModelConfig) -> Tensor:
    """As `fluctuation`, less so for bands that are next to silent: (batch, bands, frames).

    What a resampler leaves above the band that the sensor recorded comes and goes, too, and tells of the resampler.
    """
    strength = strengths(windows, config)
    mean = strength.mean(-1, keepdim=True)
    power = mean.square()
    return (strength - mean) / (mean + LEAST_MAGNITUDE) * (power / (power + HEARD_MAGNITUDE**2))


def swing_ref(driven: Tensor, rate: float) -> Tensor:
    """What drives the oscillators, (batch, bands, frames) at `rate` Hz, to the root of their energy over the frames.

    An oscillator swings on after the last frame; that is known from its last state.
    """
    alpha, theta = (part.to(driven) for part in oscillators(rate))
    step = torch.polar(alpha, theta)
    state = torch.zeros((*driven.shape[:-1], len(theta)), dtype=step.dtype, device=driven.device)
    energy = torch.zeros_like(state.real)
    for frame in driven.unbind(-1):
        state = step * state + frame[..., None]
        energy += state.real.square() + state.imag.square()
    after = (state.real.square() + state.imag.square()) * alpha**2 / (1 - alpha**2)
    return ((energy + after) / driven.shape[-1]).sqrt()


def swing(driven: Tensor, rate: float) -> Tensor:
    """The same without a loop: what each oscillator passes of the power spectrum of what drives it."""
    frames = driven.shape[-1]
    power = torch.fft.rfft(driven.double(), transform_length(frames)).abs().square()
    energy: Tensor = power @ passed(frames, rate).to(driven.device) / frames
    return energy.clamp(min=0).sqrt().to(driven.dtype)


def transform_length(frames: int) -> int:
    """Twice the frames or more, so that correlations do not reach around."""
    return 2 << (frames - 1).bit_length()


@lru_cache(maxsize=TABLES)
def passed(frames: int, rate: float) -> Tensor:
    """What every oscillator passes of each bin of a power spectrum, for ever: float64, (bins, bank)."""
    alpha, theta = oscillators(rate)
    length, step = transform_length(frames), torch.polar(alpha, theta)
    turns = torch.arange(length // 2 + 1, dtype=torch.float64)[:, None] / length
    turn = torch.polar(torch.ones_like(turns), 2 * torch.pi * turns)
    # The correlation of what drives it ends after `frames` lags, and so do these geometric sums over them.
    to_and_fro = [((1 - ratio**frames) / (1 - ratio)).real for ratio in (step * turn, step * turn.conj())]
    whole = (sum(to_and_fro) - 1) / (1 - alpha**2) / length
    whole[1:-1] *= 2  # the upper half of the spectrum mirrors the lower
    return whole


@lru_cache(maxsize=TABLES)
def oscillators(rate: float) -> tuple[Tensor, Tensor]:
    """What is left of each after a frame, and its turn in radians; float64, (bank,)."""
    theta = 2 * torch.pi * torch.tensor(ORDER_SIZES.oscillator_hz, dtype=torch.float64) / rate
    return torch.exp(-theta / (2 * ORDER_SIZES.quality)), theta
