"""The spectra of many windows on a GPU: the buffers and launches of `spectra_triton.py`, and cuFFT between them."""

from typing import NamedTuple, Self

import torch
from torch import Tensor

from dualres.config import SMALLEST_RMS, ModelConfig
from dualres.kernel.gpu.layout import ParameterLayout, ceil_div, power_of_two
from dualres.kernel.gpu.spectra_triton import centred_kernel, levels_kernel, magnitudes_kernel, views_kernel

SAMPLES_AT_ONCE = 4096
FRAMES_AT_ONCE, TOKENS_AT_ONCE, BINS_AT_ONCE = 2, 4, 128


class Frames(NamedTuple):
    """Windows as parts of one signal: its frames, which they share, and where each begins and how loud it is."""

    short: Tensor  # magnitudes (frames, columns), padded
    long: Tensor
    short_lowest: Tensor  # bins that depend on a window's mean (frames, 2, 2)
    long_lowest: Tensor
    starts: Tensor  # (windows,) samples
    levels: Tensor  # (windows, 2) mean and 1 / RMS
    references: Tensor  # (windows,) what was taken from the samples

    def part(self, windows: slice) -> Self:
        """Some of the windows."""
        mine = {name: getattr(self, name)[windows] for name in ("starts", "levels", "references")}
        return self._replace(**mine)


class Spectra:
    """The frames of a signal and the levels of `windows` windows of it; its buffers stay where they are.

    Windows begin at multiples of the hop. They are `apart` if each begins where the one before it ends.
    """

    def __init__(
        self, layout: ParameterLayout, windows: int, samples: int, device: torch.device, *, apart: bool
    ) -> None:
        config = self._config = layout.config
        self._apart = apart
        self._levels = torch.zeros(windows, 2, dtype=torch.float64, device=device)
        self._references = torch.zeros(windows, dtype=torch.float64, device=device)
        self._centred = torch.zeros(samples, device=device)
        frames = _frames_of(samples, config)
        columns = self._columns = layout.shapes["short"][1], layout.shapes["long"][1]
        self._magnitudes = [torch.zeros(frames, each, device=device) for each in columns]
        self._lowest = [torch.zeros(frames, 2, 2, device=device) for _ in columns]
        self._bins = {
            "SHORT_BINS": config.short_bins, "LONG_BINS": config.long_bins,
            "SHORT_COLUMNS": columns[0], "LONG_COLUMNS": columns[1],
        }  # fmt: skip

    def fill(self, short: Tensor, long: Tensor, signal: Tensor, starts: Tensor) -> None:
        """Write the padded views (windows, tokens, columns) of the windows that begin at `starts` (windows,)."""
        config = self._config
        views_kernel[(len(starts), ceil_div(config.tokens, TOKENS_AT_ONCE))](
            *self.frames(signal, starts), short, long,
            HOP=config.hop, TOKENS=config.tokens, **self._bins, ROWS=TOKENS_AT_ONCE, BLOCK=BINS_AT_ONCE,
        )  # fmt: skip

    def frames(self, signal: Tensor, starts: Tensor) -> Frames:
        """The windows of a signal that begin at `starts` (windows,)."""
        config, windows = self._config, len(starts)
        levels_kernel[(windows,)](
            signal, starts, self._levels,
            SAMPLES=config.window, SMALLEST=SMALLEST_RMS, BLOCK=SAMPLES_AT_ONCE, num_warps=16,
        )  # fmt: skip
        centred_kernel[(ceil_div(len(signal), SAMPLES_AT_ONCE),)](
            signal, self._levels, self._centred, self._references, len(signal), windows,
            SAMPLES=config.window, APART=self._apart, TILE=power_of_two(windows), BLOCK=SAMPLES_AT_ONCE,
        )  # fmt: skip
        frames, (short_rest, long_rest) = _frames_of(len(signal), config), (c % BINS_AT_ONCE for c in self._columns)
        magnitudes_kernel[(ceil_div(frames, FRAMES_AT_ONCE),)](
            *transforms(self._centred[: len(signal)], config), *self._magnitudes, *self._lowest, frames, **self._bins,
            SHORT_REST=power_of_two(short_rest or 1), LONG_REST=power_of_two(long_rest or 1),
            ROWS=FRAMES_AT_ONCE, BLOCK=BINS_AT_ONCE,
        )  # fmt: skip
        (short, long), (short_lowest, long_lowest) = self._magnitudes, self._lowest
        return Frames(
            short, long, short_lowest, long_lowest, starts, self._levels[:windows], self._references[:windows]
        )


def transforms(signal: Tensor, config: ModelConfig) -> list[Tensor]:
    """The short and the long spectra of all frames, one every hop, (frames, bins): pairs of floats, as 64 bits.

    Frames overlap, and cuFFT reads them where they lie. Those of both lengths are centred on the same samples.
    """
    frames, skipped = _frames_of(len(signal), config), config.crop * config.hop
    places = (signal[skipped:], config.short), (signal, config.long)
    return [
        torch.fft.rfft(begin.as_strided((frames, length), (config.hop, 1))).view(torch.int64)
        for begin, length in places
    ]


def _frames_of(samples: int, config: ModelConfig) -> int:
    """So many long frames, one every hop."""
    return (samples - config.long) // config.hop + 1
