"""Fourier transforms of real series in single precision, at lengths that are fast, and what is made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Series = npt.NDArray[np.float32]
ComplexSpectrum = npt.NDArray[np.complex64]


def rfft(series: npt.NDArray[Any], size: int | None = None) -> ComplexSpectrum:
    """The spectrum along the last axis, of `size` samples; NumPy before 2.0 computes it in double precision."""
    return np.fft.rfft(series, size).astype(np.complex64, copy=False)


def irfft(spectrum: npt.NDArray[Any], size: int) -> Series:
    """The `size` samples that have this spectrum, along the last axis."""
    return np.fft.irfft(spectrum, size).astype(np.float32, copy=False)


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


def tapered(count: int, share: float) -> Series:
    """A window of ones that rises and falls as a cosine does over half of a `share` at either end (Tukey's)."""
    ramp = share * (count - 1) / 2  # samples
    to_end = np.minimum(np.arange(count), np.arange(count)[::-1])
    rising = 0.5 - 0.5 * np.cos(np.pi * np.minimum(to_end / max(ramp, 1e-9), 1))
    return np.where(to_end <= int(ramp), rising, 1.0).astype(np.float32) if count > 1 else np.ones(count, np.float32)
