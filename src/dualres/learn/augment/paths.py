"""Random transfer paths: gains that are smooth curves over frequency.

A path's log-gain is g(f) = sum_j a_j cos(pi j f / f_N + phi_j), j from 1 to J. f_N is half the sampling rate, a_j has
a normal distribution of variance sigma^2 / J, and phi_j is uniform. At any frequency the standard deviation of g is
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
