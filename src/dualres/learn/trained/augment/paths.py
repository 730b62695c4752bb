"""Random transfer paths: gains that are smooth curves over frequency, applied to magnitudes or to waveforms.

A path's log-gain is g(f) = sum_j a_j cos(pi j f / f_N + phi_j), j from 1 to J. f_N is half the sampling rate, a_j has
a normal distribution of variance sigma^2 / J, and phi_j is uniform. At any frequency the standard deviation of g is
sigma / sqrt(2) nats.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dualres.utils.arrays import Exact

# From frequencies (n,), float64 in units of half the sampling rate f_N, to log-gains in nats, (windows, n) float64.
GainCurve = Callable[[Tensor], Tensor]


class Paths(NamedTuple):
    """One path per window."""

    amplitudes: Exact  # (windows, waves), in nats
    phases: Exact  # (windows, waves), in radians


def draw_paths(chance: np.random.Generator, windows: int, sigma: float, waves: int) -> Paths:
    """A path for each window; all amplitudes are drawn before all phases."""
    amplitudes = chance.normal(0.0, sigma / np.sqrt(waves), (windows, waves))
    return Paths(amplitudes, chance.uniform(0.0, 2 * np.pi, (windows, waves)))


def curves(paths: Paths, frequencies: Tensor) -> Tensor:
    """g in nats, (windows, n), at frequencies (n,) in units of f_N; float64, on the device of the frequencies."""
    # cos(x + phi) = cos(x) cos(phi) - sin(x) sin(phi), so that all windows share their cosines.
    waves = torch.arange(1, paths.phases.shape[1] + 1, dtype=torch.float64, device=frequencies.device)
    angles = torch.pi * torch.outer(waves, frequencies)
    cosines, sines = paths.amplitudes * np.cos(paths.phases), paths.amplitudes * np.sin(paths.phases)
    there = frequencies.device
    return torch.from_numpy(cosines).to(there) @ angles.cos() - torch.from_numpy(sines).to(there) @ angles.sin()


def gains(curve: GainCurve, bins: int, device: torch.device | str = "cpu") -> Tensor:
    """Factors for magnitudes at the frequencies of a DFT, from 0 to f_N: (windows, bins), float32."""
    frequencies = torch.arange(bins, dtype=torch.float64, device=device) / (bins - 1)
    return curve(frequencies).exp().float()


def filtered(windows: Tensor, curve: GainCurve) -> Tensor:
    """Windows (n, samples), their spectra multiplied: without delay, and not normalised again."""
    samples = windows.shape[-1]
    spectrum = torch.fft.rfft(windows)
    # The last bin is at f_N for an even number of samples only.
    frequencies = torch.arange(spectrum.shape[-1], dtype=torch.float64, device=windows.device) / (samples / 2)
    heard: Tensor = torch.fft.irfft(spectrum * curve(frequencies).exp().to(windows), samples)
    return heard
