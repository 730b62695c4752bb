"""How the loudness of a whole window comes and goes, once all of its frequencies are equally loud.

The window is whitened: every frequency is divided by the root of the power around it. So whatever a machine makes ring
counts for the same, and impacts stand out that are weak beside the rest. The magnitude of what is left has lines where
they repeat. It is put together from frames, so that a small device has room for it.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from dualres.config import LEAST_ENVELOPE, LEAST_POWER, LINE_GAIN, ORDER_SIZES, WHITE_FLOOR, ModelConfig
from dualres.model.spectra import hann, normalise
from dualres.model.views.order_axis import reading


def order_envelope(spectrum: Tensor, hz: Tensor, bin_hz: float) -> Tensor:
    """The envelope's lines (batch, bins), `bin_hz` apart, at orders of shafts that turn at `hz`: (batch, lines)."""
    sizes = ORDER_SIZES
    orders = torch.tensor(sizes.axis(sizes.lines * sizes.near), dtype=torch.float64, device=hz.device)
    read = reading(spectrum, orders * hz.double()[:, None] / bin_hz)
    lines: Tensor = torch.log1p(LINE_GAIN * read).unflatten(1, (sizes.lines, sizes.near))
    return lines.amax(-1)


def envelope_spectrum(windows: Tensor, config: ModelConfig) -> Tensor:
    """Raw windows (batch, window) to the magnitude of their envelope's spectrum, (batch, bins)."""
    around = envelope(windows, config)
    mean = around.mean(-1, keepdim=True)
    shape = hann(around.shape[-1], around.dtype, around.device)
    moving = (around - mean) / (mean + LEAST_ENVELOPE) * shape
    count = transform_length(config)
    lines: Tensor = torch.fft.rfft(moving, count)[..., : count // 2].abs()
    return lines / math.sqrt(around.shape[-1])


def envelope(windows: Tensor, config: ModelConfig) -> Tensor:
    """The magnitude of the whitened window, about `ORDER_SIZES.envelope_hz` times a second: (batch, samples)."""
    half = config.long // 2
    frames = normalise(windows).unfold(-1, config.long, half)
    spectra = torch.fft.rfft(frames * hann(config.long, frames.dtype, frames.device))[..., :half]
    power = spectra.abs().square().mean(-2)
    white = spectra * _whitening(power)[..., None, :]
    sound = torch.fft.ifft(white)  # of positive frequencies alone: complex, at half the rate
    # Frames overlap by half, and their Hann windows add up to one.
    whole = (sound[..., :-1, half // 2 :] + sound[..., 1:, : half // 2]).flatten(-2)
    samples, each = envelope_samples(config), samples_each(config)
    pieces: Tensor = whole[..., : samples * each].unflatten(-1, (samples, each))
    return pieces.abs().square().mean(-1).sqrt()


def _whitening(power: Tensor) -> Tensor:
    """By what each bin is multiplied, (batch, bins)."""
    reach = ORDER_SIZES.smoothed // 2
    around = pad(power[:, None], (reach, reach), mode="replicate")[:, 0].unfold(-1, ORDER_SIZES.smoothed, 1).mean(-1)
    heard = around[..., ORDER_SIZES.lowest_bin :]
    gain = (heard + WHITE_FLOOR * heard.mean(-1, keepdim=True) + LEAST_POWER).rsqrt()
    return torch.cat([torch.zeros_like(around[..., : ORDER_SIZES.lowest_bin]), gain], dim=-1)


def samples_each(config: ModelConfig) -> int:
    """Samples at half the rate that make one of the envelope."""
    return max(1, round(config.rate / 2 / ORDER_SIZES.envelope_hz))


def envelope_samples(config: ModelConfig) -> int:
    """Of a window."""
    half = config.long // 2
    return ((config.window - config.long) // half) * (half // 2) // samples_each(config)


def transform_length(config: ModelConfig) -> int:
    """Of the envelope: a power of two with room for all of its samples."""
    return 1 << (envelope_samples(config) - 1).bit_length()


def line_hz(config: ModelConfig) -> float:
    """From one bin of the envelope's spectrum to the next."""
    return config.rate / 2 / samples_each(config) / transform_length(config)
