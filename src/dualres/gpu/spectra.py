"""The two views of many windows on a GPU: the buffers and launches of `spectra_triton.py`, and cuFFT between them."""

from __future__ import annotations

import torch
from torch import Tensor

from dualres.config import SMALLEST_RMS, ModelConfig
from dualres.gpu.layout import Layout, ceil_div, power_of_two
from dualres.gpu.spectra_triton import centred_kernel, levels_kernel, views_kernel

SAMPLES_AT_ONCE = 4096
TOKENS_AT_ONCE, BINS_AT_ONCE = 4, 128


class Spectra:
    """Both views of `windows` windows of one signal at a time; its buffers stay where they are.

    Windows begin at multiples of the hop. They are `apart` if each begins where the one before it ends.
    """

    def __init__(self, layout: Layout, windows: int, samples: int, device: torch.device, *, apart: bool) -> None:
        self._config, self._apart = layout.config, apart
        self._columns = layout.shapes["short"][1], layout.shapes["long"][1]
        self._levels = torch.zeros(windows, 2, dtype=torch.float64, device=device)
        self._references = torch.zeros(windows, dtype=torch.float64, device=device)
        self._centred = torch.zeros(samples, device=device)

    def fill(self, short: Tensor, long: Tensor, signal: Tensor, starts: Tensor) -> None:
        """Write the padded views (windows, tokens, columns) of the windows that begin at `starts` (windows,)."""
        self.transform(signal, starts)
        self.write(short, long, starts, 0)

    def transform(self, signal: Tensor, starts: Tensor) -> None:
        """Take a signal's frames, and the levels of its windows."""
        config, windows = self._config, len(starts)
        levels_kernel[(windows,)](
            signal, starts, self._levels,
            SAMPLES=config.window, SMALLEST=SMALLEST_RMS, BLOCK=SAMPLES_AT_ONCE, num_warps=16,
        )  # fmt: skip
        centred_kernel[(ceil_div(len(signal), SAMPLES_AT_ONCE),)](
            signal, self._levels, self._centred, self._references, len(signal), windows,
            SAMPLES=config.window, APART=self._apart, TILE=power_of_two(windows), BLOCK=SAMPLES_AT_ONCE,
        )  # fmt: skip
        self._spectra = transforms(self._centred[: len(signal)], config)

    def write(self, short: Tensor, long: Tensor, starts: Tensor, first: int) -> None:
        """Write the padded views of some windows, from the `first` one on."""
        config, (short_columns, long_columns) = self._config, self._columns
        views_kernel[(len(starts), ceil_div(config.tokens, TOKENS_AT_ONCE))](
            *self._spectra, starts, self._levels[first:], self._references[first:], short, long,
            HOP=config.hop, TOKENS=config.tokens, SHORT_BINS=config.short_bins, LONG_BINS=config.long_bins,
            SHORT_COLUMNS=short_columns, LONG_COLUMNS=long_columns,
            SHORT_REST=power_of_two(short_columns % BINS_AT_ONCE or 1),
            LONG_REST=power_of_two(long_columns % BINS_AT_ONCE or 1), ROWS=TOKENS_AT_ONCE, BLOCK=BINS_AT_ONCE,
        )  # fmt: skip


def transforms(signal: Tensor, config: ModelConfig) -> list[Tensor]:
    """The short and the long spectra of all frames, one every hop, (frames, bins): pairs of floats, as 64 bits.

    Frames overlap, and cuFFT reads them where they lie. Those of both lengths are centred on the same samples.
    """
    frames, skipped = (len(signal) - config.long) // config.hop + 1, config.crop * config.hop
    places = (signal[skipped:], config.short), (signal, config.long)
    return [
        torch.fft.rfft(begin.as_strided((frames, length), (config.hop, 1))).view(torch.int64)
        for begin, length in places
    ]
