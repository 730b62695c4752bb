# mypy: ignore-errors
"""The two views on a GPU, from windows that may overlap in one signal: as `aligned_spectra`, without copies of windows.

The FFTs are cuFFT's; before them one kernel finds each window's mean and RMS and one writes the frames, behind them one
takes the logarithms. The views come padded as `layout.py` says, with a one where a projection's bias stands.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def levels_kernel(signal, starts, levels, SAMPLES: tl.constexpr, SMALLEST: tl.constexpr, BLOCK: tl.constexpr):
    """Mean and 1 / RMS of every window, in float64; sums are of differences from the first sample, lest they cancel."""
    window = tl.program_id(0)
    begin = signal + tl.load(starts + window)
    first = tl.load(begin).to(tl.float64)
    total = tl.zeros([BLOCK], tl.float64)
    squares = tl.zeros([BLOCK], tl.float64)
    for start in range(0, SAMPLES, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(begin + i, mask=i < SAMPLES, other=0.0).to(tl.float64) - first
        x = tl.where(i < SAMPLES, x, 0.0)
        total += x
        squares += x * x
    mean = tl.sum(total, 0) / SAMPLES
    variance = tl.maximum(tl.sum(squares, 0) / SAMPLES - mean * mean, SMALLEST * SMALLEST)
    tl.store(levels + 2 * window, first + mean)
    tl.store(levels + 2 * window + 1, 1.0 / tl.sqrt(variance))


@triton.jit
def _frame(begin, mean, scale, taper, to, LENGTH: tl.constexpr):
    i = tl.arange(0, LENGTH)
    x = ((tl.load(begin + i).to(tl.float64) - mean) * scale).to(tl.float32)
    tl.store(to + i, x * tl.load(taper + i))


@triton.jit
def frames_kernel(
    signal, starts, levels, short_taper, long_taper, short_frames, long_frames,
    TOKENS: tl.constexpr, HOP: tl.constexpr, CROP: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr,
):  # fmt: skip
    """Both frames of one token: normalised samples times a Hann window."""
    row = tl.program_id(0).to(tl.int64)
    window, token = row // TOKENS, row % TOKENS
    begin = signal + tl.load(starts + window) + token * HOP
    mean, scale = tl.load(levels + 2 * window), tl.load(levels + 2 * window + 1)
    _frame(begin, mean, scale, long_taper, long_frames + row * LONG, LONG)
    _frame(begin + CROP * HOP, mean, scale, short_taper, short_frames + row * SHORT, SHORT)


@triton.jit
def _logarithms(spectrum, view, block, count, BINS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    i = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // COLUMNS, i % COLUMNS
    inside = i < count * COLUMNS
    at = spectrum + 2 * (row * BINS + column)
    is_bin = inside & (column < BINS)
    re, im = tl.load(at, mask=is_bin, other=0.0), tl.load(at + 1, mask=is_bin, other=0.0)
    magnitude = libdevice.log1p(tl.sqrt_rn(re * re + im * im))
    tl.store(view + i, tl.where(column == BINS, 1.0, magnitude), mask=inside)


@triton.jit(do_not_specialize=["count", "long_blocks"])
def logarithms_kernel(
    short_spectrum, long_spectrum, short_view, long_view, count, long_blocks,
    SHORT_BINS: tl.constexpr, LONG_BINS: tl.constexpr, SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """log(1 + magnitude) of both spectra (rows, bins, re and im), padded with a one and zeros."""
    block = tl.program_id(0)
    if block < long_blocks:
        _logarithms(long_spectrum, long_view, block, count, LONG_BINS, LONG_COLUMNS, BLOCK)
    else:
        _logarithms(short_spectrum, short_view, block - long_blocks, count, SHORT_BINS, SHORT_COLUMNS, BLOCK)
