# mypy: ignore-errors
"""The two views on a GPU, from windows in one signal: as `aligned_spectra`, without copies of windows or frames.

cuFFT transforms every frame of the signal once, also where windows overlap. A window's mean, its RMS and the Hann
window are applied behind it: the first two are a constant and a factor, and a Hann window leaves of a spectrum X

    X[k] / 2 - (X[k - 1] + X[k + 1]) / 4

The views come padded as `layout.py` says, with a one where a projection's bias stands.
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
    tl.store(levels + 2 * window, first + mean)
    tl.store(levels + 2 * window + 1, over_rms(mean, tl.sum(squares, 0) / SAMPLES, SMALLEST))


@triton.jit
def over_rms(mean, square, SMALLEST: tl.constexpr):
    """1 / RMS about the mean, from the means of samples and of their squares."""
    return 1.0 / tl.sqrt(tl.maximum(square - mean * mean, SMALLEST * SMALLEST))


@triton.jit(do_not_specialize=["samples", "windows"])
def centred_kernel(
    signal, levels, centred, references, samples, windows,
    SAMPLES: tl.constexpr, APART: tl.constexpr, TILE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The signal less a reference, which is kept for every window: a large offset would drown what it is added to.

    It is the mean of the windows' means; for windows that lie one behind the other, apart, each one's own mean.
    """
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    w = tl.arange(0, TILE)
    kept = tl.load(levels + 2 * w, mask=w < windows, other=0.0)
    if APART:
        reference = tl.load(levels + 2 * (i // SAMPLES), mask=i < samples, other=0.0)
    else:
        reference = tl.sum(kept, 0) / windows
        kept = kept * 0.0 + reference
    if tl.program_id(0) == 0:
        tl.store(references + w, kept, mask=w < windows)
    x = tl.load(signal + i, mask=i < samples, other=0.0).to(tl.float64)
    tl.store(centred + i, (x - reference).to(tl.float32), mask=i < samples)


@triton.jit
def _bins(at, mask):
    """Real and imaginary parts of bins, which are pairs of floats in 64 bits."""
    pair = tl.load(at, mask=mask, other=0)
    re = (pair & 0xFFFFFFFF).to(tl.int32).to(tl.float32, bitcast=True)
    return re, (pair >> 32).to(tl.int32).to(tl.float32, bitcast=True)


@triton.jit
def magnitude(spectra, k, mask, mean, scale, BINS: tl.constexpr):
    """|STFT| of normalised samples at bins k, from spectra of frames without a Hann window; `mean` is to be removed.

    Beyond its first and its last bin a spectrum of real samples goes on with its conjugate.
    """
    at, is_first, is_last = spectra + k, k == 0, k == BINS - 1
    re, im = _bins(at, mask)
    before_re, before_im = _bins(at - 1, mask & (k > 0))
    after_re, after_im = _bins(at + 1, mask & (k < BINS - 1))
    re = 0.5 * re - 0.25 * (tl.where(is_first, after_re, before_re) + tl.where(is_last, before_re, after_re))
    im = tl.where(is_first | is_last, 0.0, 0.5 * im - 0.25 * (before_im + after_im))
    re += mean * (BINS - 1) * tl.where(is_first, -1.0, tl.where(k == 1, 0.5, 0.0))
    return tl.sqrt(re * re + im * im) * scale


@triton.jit
def _columns(frames, to, k, inside, mean, scale, BINS: tl.constexpr, COLUMNS: tl.constexpr):
    seen = libdevice.fast_logf(1.0 + magnitude(frames, k, inside & (k < BINS), mean, scale, BINS))
    tl.store(to + k, tl.where(k < BINS, seen, tl.where(k == BINS, 1.0, 0.0)), mask=inside & (k < COLUMNS))


@triton.jit
def _views(
    spectra, view, window, block, first, mean, scale,
    TOKENS: tl.constexpr, BINS: tl.constexpr, COLUMNS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
    REST: tl.constexpr,
):  # fmt: skip
    t = block * ROWS + tl.arange(0, ROWS)
    inside = (t < TOKENS)[:, None]
    frames = (spectra + (first + t) * BINS)[:, None]
    to = view + ((window * TOKENS + t) * COLUMNS)[:, None]
    WHOLE: tl.constexpr = COLUMNS // BLOCK * BLOCK
    for start in range(0, WHOLE, BLOCK):
        _columns(frames, to, (start + tl.arange(0, BLOCK))[None, :], inside, mean, scale, BINS, COLUMNS)
    _columns(frames, to, (WHOLE + tl.arange(0, REST))[None, :], inside, mean, scale, BINS, COLUMNS)


@triton.jit
def views_kernel(
    short_spectra, long_spectra, starts, levels, references, short_view, long_view,
    HOP: tl.constexpr, TOKENS: tl.constexpr, SHORT_BINS: tl.constexpr, LONG_BINS: tl.constexpr,
    SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr, SHORT_REST: tl.constexpr, LONG_REST: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """log(1 + magnitude) of some tokens of a window, from the spectra of all frames, one every HOP samples."""
    window, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    first = tl.load(starts + window) // HOP
    mean = (tl.load(levels + 2 * window) - tl.load(references + window)).to(tl.float32)
    scale = tl.load(levels + 2 * window + 1).to(tl.float32)
    _views(
        long_spectra, long_view, window, block, first, mean, scale,
        TOKENS, LONG_BINS, LONG_COLUMNS, ROWS, BLOCK, LONG_REST,
    )  # fmt: skip
    _views(
        short_spectra, short_view, window, block, first, mean, scale,
        TOKENS, SHORT_BINS, SHORT_COLUMNS, ROWS, BLOCK, SHORT_REST,
    )  # fmt: skip
