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


def curves(paths: Paths, frequencies: Tensor) -> Tensor:
    """g at frequencies (n,) in units of f_N: (windows, n), in nats; float64, where the frequencies are."""
    # cos(x + phi) taken apart, so that all windows share their cosines.
    waves = torch.arange(1, paths.phases.shape[1] + 1, dtype=torch.float64, device=frequencies.device)
    angles = torch.pi * torch.outer(waves, frequencies)
    cosines, sines = paths.amplitudes * np.cos(paths.phases), paths.amplitudes * np.sin(paths.phases)
    there = frequencies.device
    return torch.from_numpy(cosines).to(there) @ angles.cos() - torch.from_numpy(sines).to(there) @ angles.sin()
