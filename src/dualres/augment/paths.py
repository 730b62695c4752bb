"""Random transfer paths: smooth curves over frequency that raise and lower a signal's parts.

A path's logarithmic gain is g(f) = sum_j a_j cos(pi j f / f_N + phi_j), j from 1 to J, with f_N half the sampling
rate, a_j from a normal distribution of variance sigma^2 / J, and phi_j uniform. At any frequency g is spread by
sigma / sqrt(2) nats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Reals = npt.NDArray[np.float64]


class Paths(NamedTuple):
    """One path per window."""

    amplitudes: Reals  # (windows, waves), in nats
    phases: Reals  # (windows, waves), in radians


def draw_paths(chance: np.random.Generator, windows: int, sigma: float, waves: int) -> Paths:
    """First all amplitudes, then all phases."""
    amplitudes = chance.normal(0.0, sigma / np.sqrt(waves), (windows, waves))
    return Paths(amplitudes, chance.uniform(0.0, 2 * np.pi, (windows, waves)))


def gains(paths: Paths, bins: int) -> Tensor:
    """exp(g) at the frequencies of a DFT with so many bins, from 0 to f_N: (windows, bins), float32."""
    return torch.from_numpy(np.exp(curves(paths, np.arange(bins) / (bins - 1))).astype(np.float32))


def curves(paths: Paths, frequencies: Reals) -> Reals:
    """g at frequencies (n,) in units of f_N: (windows, n), in nats."""
    # cos(x + phi) taken apart, so that all windows share their cosines.
    angles = np.pi * np.outer(np.arange(1, paths.phases.shape[1] + 1), frequencies)
    cosines, sines = paths.amplitudes * np.cos(paths.phases), paths.amplitudes * np.sin(paths.phases)
    return np.asarray(cosines @ np.cos(angles) - sines @ np.sin(angles))


def filtered(windows: Tensor, paths: Paths) -> Tensor:
    """Windows (n, samples) as they sound at the end of their paths: without delay, and not normalised again."""
    samples = windows.shape[-1]
    spectrum = torch.fft.rfft(windows)
    # The last bin is at f_N for an even number of samples only.
    frequencies = np.arange(spectrum.shape[-1]) / (samples / 2)
    gain = torch.from_numpy(np.exp(curves(paths, frequencies))).to(windows)
    heard: Tensor = torch.fft.irfft(spectrum * gain, samples)
    return heard
