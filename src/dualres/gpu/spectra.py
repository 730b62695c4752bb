"""The two views of many windows on a GPU: the buffers and launches of `spectra_triton.py`, and cuFFT between them."""

from __future__ import annotations

import torch
from torch import Tensor

from dualres.config import SMALLEST_RMS
from dualres.gpu.layout import Layout, ceil_div
from dualres.gpu.spectra_triton import frames_kernel, levels_kernel, logarithms_kernel
from dualres.model.spectra import hann

WINDOWS_PER_FFT = 256  # their frames and spectra take about 0.7 GB; fewer are slower
SAMPLES_AT_ONCE = 4096
BINS_AT_ONCE = 1024


class Spectra:
    """Both views of at most `windows` windows of one signal at a time; its buffers stay where they are."""

    def __init__(self, layout: Layout, windows: int, device: torch.device) -> None:
        config = layout.config
        self._config = config
        self._columns = layout.shapes["short"][1], layout.shapes["long"][1]
        self._levels = torch.empty(windows, 2, dtype=torch.float64, device=device)
        lengths, rows = (config.short, config.long), min(windows, WINDOWS_PER_FFT) * config.tokens
        self._tapers = [hann(length, torch.float32, device) for length in lengths]
        self._frames = [torch.empty(rows, length, device=device) for length in lengths]

    def fill(self, short: Tensor, long: Tensor, signal: Tensor, starts: Tensor) -> None:
        """Write the padded views (windows, tokens, columns) of the windows that begin at `starts` (windows,)."""
        config = self._config
        self._measure(signal, starts)
        for i in range(0, len(starts), WINDOWS_PER_FFT):
            some = slice(i, i + WINDOWS_PER_FFT)
            count = len(starts[some]) * config.tokens
            blocks = [ceil_div(count * columns, BINS_AT_ONCE) for columns in self._columns]
            logarithms_kernel[(sum(blocks),)](
                *self._transforms(signal, starts[some], self._levels[some]), short[some], long[some], count, blocks[1],
                SHORT_BINS=config.short_bins, LONG_BINS=config.long_bins, SHORT_COLUMNS=self._columns[0],
                LONG_COLUMNS=self._columns[1], BLOCK=BINS_AT_ONCE,
            )  # fmt: skip

    def of_one(self, samples: Tensor, start: Tensor) -> list[Tensor]:
        """The short and the long spectrum (tokens, bins, re and im) of the window that begins at `start` (1,)."""
        self._measure(samples, start)
        return self._transforms(samples, start, self._levels)

    def _measure(self, signal: Tensor, starts: Tensor) -> None:
        levels_kernel[(len(starts),)](
            signal, starts, self._levels,
            SAMPLES=self._config.window, SMALLEST=SMALLEST_RMS, BLOCK=SAMPLES_AT_ONCE, num_warps=16,
        )  # fmt: skip

    def _transforms(self, signal: Tensor, starts: Tensor, levels: Tensor) -> list[Tensor]:
        """The short and the long spectra, (windows * tokens, bins, re and im)."""
        config = self._config
        frames = [frames[: len(starts) * config.tokens] for frames in self._frames]
        frames_kernel[(len(starts) * config.tokens,)](
            signal, starts, levels, *self._tapers, *frames,
            TOKENS=config.tokens, HOP=config.hop, CROP=config.crop, SHORT=config.short, LONG=config.long,
        )  # fmt: skip
        return [torch.view_as_real(torch.fft.rfft(f)) for f in frames]
