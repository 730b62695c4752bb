"""Telling a copy of a vibration signal from another signal of the same machine.

What never happens twice is the noise between the lines of shaft and mesh. A fingerprint keeps the phase of every
frequency and drops its magnitude, drops the lines, and limits the blows. Gain, offset and smooth filters hardly change
it, a delay turns its phases evenly. Fingerprints live on a grid of frequencies in Hz, so that signals of different
rates are compared without resampling.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.utils.arrays import Reals

Series = npt.NDArray[np.float32]
ComplexSpectrum = npt.NDArray[np.complex64]

TOP_HZ = 4000.0  # enough noise to tell any two seconds apart, and within reach of most recordings
_TOP_SHARE = 0.45  # of the rate: above this the resampler that made a copy may have left nothing
_BOTTOM_SHARE = 1 / 400  # of the top: drifts and offsets live below
_FEW = 512  # values, which are sorted as fast as they are parted
_FLOOR_HZ = 20.0  # the width over which the noise floor is taken to be flat
LINE = 3.0  # times the floor; noise exceeds it in 0.2 % of all bins
LIMIT = 3.0  # times the median magnitude, about two standard deviations: a blow counts no more than a loud moment


@dataclass(frozen=True)
class FrequencyGrid:
    """Frequencies 1 / `seconds` apart, up to `TOP_HZ`."""

    size: int  # samples of the time signal that belongs to it

    @classmethod
    def spanning(cls, seconds: float) -> "FrequencyGrid":
        """The grid on which a signal of that duration fits without wrapping around."""
        return cls(8 * fast_size(int(np.ceil(2 * TOP_HZ * seconds / 8))))

    @property
    def seconds(self) -> float:
        return self.size / (2 * TOP_HZ)


def top_of(rate: float) -> float:
    """The highest frequency in Hz at which a signal of `rate` Hz is looked at."""
    return min(_TOP_SHARE * rate, TOP_HZ)


def fingerprints(signals: npt.NDArray[np.float32], rate: float, grid: FrequencyGrid, top_hz: float) -> ComplexSpectrum:
    """The phases of each of `signals` (n, samples) on `grid`, (n, grid.size // 2 + 1), of unit energy; all zero for a
    silent one."""
    prints = np.zeros((len(signals), grid.size // 2 + 1), dtype=np.complex64)
    high = min(int(top_hz * grid.seconds), grid.size // 2)
    low = max(2, int(_BOTTOM_SHARE * high))
    if not low < high:
        return prints
    samples = signals.shape[1]
    # The taper keeps strong lines from spilling over the noise around them.
    centred = (signals - signals.mean(1, keepdims=True)) * tapered(samples, 0.2)
    spectra = rfft(centred, round(rate * grid.seconds))[:, low:high]
    magnitude = np.abs(spectra)
    keep = magnitude < LINE * noise_floor(magnitude, max(16, round(_FLOOR_HZ * grid.seconds)))
    keep &= magnitude > 0
    np.divide(spectra, np.where(keep, magnitude, 1), out=prints[:, low:high])
    prints[:, low:high] *= keep
    flat = irfft(prints, grid.size)
    limit = LIMIT * median(np.abs(flat[:, : max(1, round(samples / rate * 2 * TOP_HZ))]))[:, None]
    limited = rfft(np.clip(flat, -limit, limit), grid.size)
    limited[:, :low] = limited[:, high:] = 0
    for one, before in zip(limited, prints, strict=True):
        energy = float(np.vdot(one, one).real)
        one[:] = one / np.float32(np.sqrt(energy)) if energy > 0 else before
    return limited


def correlate(prints: ComplexSpectrum, other: ComplexSpectrum, grid: FrequencyGrid, finer: int = 1) -> Reals:
    """Correlation of each of `prints` with `other` at every lag, (..., grid.size * finer), circular.

    Entry i belongs to `other` starting i / (2 * TOP_HZ * finer) seconds after the start of a print. There may be as
    many of `other`, each to be compared with one.
    """
    size = grid.size * finer
    return irfft(prints * other.conj(), size) * (size / 2)


def plain_correlation(a: Reals, rate_a: float, b: Reals, rate_b: float) -> float:
    """The largest normalised cross-correlation, signed, of two signals of equal duration, where both rates carry it."""
    high = int(_TOP_SHARE * min(rate_a, rate_b) * (len(a) / rate_a))
    x, y = rfft(a - a.mean())[:high], rfft(b - b.mean())[:high]
    norm = np.sqrt(np.vdot(x, x).real * np.vdot(y, y).real)
    lags = irfft(x * y.conj(), 8 * high) * (4 * high)  # four times finer than the samples
    best = float(lags[np.abs(lags).argmax()])
    return best / float(norm) if norm > 0 else 0.0


def noise_floor(magnitude: Reals, width: int) -> Reals:
    """The magnitude of the noise around each bin, the last axis: medians over `width` bins, joined by lines."""
    *rows, bins = magnitude.shape
    blocks = max(1, bins // width)
    short, longer = divmod(bins, blocks)  # blocks, the first of which are one bin longer
    cut = longer * (short + 1)
    parts = (
        magnitude[..., :cut].reshape(*rows, longer, short + 1),
        magnitude[..., cut:].reshape(*rows, blocks - longer, short),
    )
    medians = np.concatenate([median(part) for part in parts if part.size], -1).reshape(-1, blocks)
    centres = (np.arange(blocks) + 0.5) * bins / blocks
    floors = np.stack([np.interp(np.arange(bins), centres, row) for row in medians])
    return np.asarray(floors.reshape(*rows, bins), np.float32)


def median(values: Reals) -> Reals:
    """As `np.median` along the last axis, to the bit: it asks for both middle values at once, which is slow."""
    half, odd = divmod(values.shape[-1], 2)
    if values.shape[-1] <= _FEW:
        rising = np.sort(values, -1)
        middle = rising[..., half]
        return middle if odd else (rising[..., half - 1] + middle) / 2
    parted = np.partition(values, half, -1)
    middle = parted[..., half]
    return middle if odd else (parted[..., :half].max(-1) + middle) / 2


def rfft(series: npt.NDArray[Any], size: int | None = None) -> ComplexSpectrum:
    """The spectrum along the last axis, of `size` samples; NumPy before 2.0 computes it in double precision."""
    return np.fft.rfft(series, size).astype(np.complex64, copy=False)


def irfft(spectrum: npt.NDArray[Any], size: int) -> Series:
    """The `size` samples that have this spectrum, along the last axis."""
    return np.fft.irfft(spectrum, size).astype(np.float32, copy=False)


@lru_cache(maxsize=64)  # the same few lengths come again and again
def fast_size(least: int) -> int:
    """The smallest size from `least` on whose prime factors are 2, 3 and 5."""
    best = 1 << max(0, least - 1).bit_length()
    five = 1
    while five < best:
        odd = five
        while odd < best:
            best = min(best, odd << max(0, math.ceil(least / odd) - 1).bit_length())
            odd *= 3
        five *= 5
    return best


def refined(series: Series, times: int) -> Series:
    """As many `times` as many samples of the same band-limited series, as if it repeated."""
    count = len(series)
    spectrum = np.zeros(times * count // 2 + 1, np.complex64)
    spectrum[: count // 2 + 1] = rfft(series)
    if count % 2 == 0:
        spectrum[count // 2] /= 2  # it stood for both halves of the spectrum
    return irfft(spectrum, times * count) * np.float32(times)


@lru_cache(maxsize=8)
def tapered(count: int, share: float) -> Series:
    """A window of ones that rises and falls as a cosine does over half of a `share` at either end (Tukey's)."""
    ramp = share * (count - 1) / 2  # samples
    to_end = np.minimum(np.arange(count), np.arange(count)[::-1])
    rising = 0.5 - 0.5 * np.cos(np.pi * np.minimum(to_end / max(ramp, 1e-9), 1))
    window = np.where(to_end <= int(ramp) if count > 1 else False, rising, 1.0).astype(np.float32)
    window.flags.writeable = False
    return window
