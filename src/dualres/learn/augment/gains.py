"""Random gains over frequency, applied: to magnitudes, or to waveforms."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

# From frequencies (n,), float64 in units of half the sampling rate f_N, to log-gains in nats, (windows, n) float64.
Curve = Callable[[Tensor], Tensor]


def gains(curve: Curve, bins: int, device: torch.device | str = "cpu") -> Tensor:
    """Factors for magnitudes at the frequencies of a DFT, from 0 to f_N: (windows, bins), float32."""
    frequencies = torch.arange(bins, dtype=torch.float64, device=device) / (bins - 1)
    return curve(frequencies).exp().float()


def filtered(windows: Tensor, curve: Curve) -> Tensor:
    """Windows (n, samples), their spectra multiplied: without delay, and not normalised again."""
    samples = windows.shape[-1]
    spectrum = torch.fft.rfft(windows)
    # The last bin is at f_N for an even number of samples only.
    frequencies = torch.arange(spectrum.shape[-1], dtype=torch.float64, device=windows.device) / (samples / 2)
    heard: Tensor = torch.fft.irfft(spectrum * curve(frequencies).exp().to(windows), samples)
    return heard
