# mypy: ignore-errors
"""The two views on a GPU, from windows in one signal: as `aligned_spectra`, without copies of windows or frames.

Every frame of the signal is transformed once, by cuFFT, also where windows overlap. The Hann window is applied behind
it: of a spectrum X it leaves

    X[k] / 2 - (X[k - 1] + X[k + 1]) / 4

A window's RMS is a factor of the magnitudes that follow, and its mean changes but the lowest two bins, so windows share
magnitudes, too. The views come padded as `layout.py` says, with a one where a projection's bias stands.
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
def _hann(spectra, k, mask, BINS: tl.constexpr):
    """Bins k of frames with a Hann window, real and imaginary parts, from spectra of frames without.

    Beyond its first and its last bin a spectrum of real samples goes on with its conjugate.
    """
    at, is_first, is_last = spectra + k, k == 0, k == BINS - 1
    re, im = _bins(at, mask)
    before_re, before_im = _bins(at - 1, mask & (k > 0))
    after_re, after_im = _bins(at + 1, mask & (k < BINS - 1))
    re = 0.5 * re - 0.25 * (tl.where(is_first, after_re, before_re) + tl.where(is_last, before_re, after_re))
    return re, tl.where(is_first | is_last, 0.0, 0.5 * im - 0.25 * (before_im + after_im))


@triton.jit
def _less_mean(re, k, mean, BINS: tl.constexpr):
    """The real part of bin k when `mean` is taken from every sample, which leaves bins from 2 on what they are."""
    return re + mean * (BINS - 1) * tl.where(k == 0, -1.0, tl.where(k == 1, 0.5, 0.0))


@triton.jit
def magnitude(spectra, k, mask, mean, scale, BINS: tl.constexpr):
    """|STFT| of normalised samples at bins k, from spectra of frames without a Hann window; `mean` is to be removed."""
    re, im = _hann(spectra, k, mask, BINS)
    re = _less_mean(re, k, mean, BINS)
    return tl.sqrt(re * re + im * im) * scale


@triton.jit
def lowest_magnitude(lowest, k, mask, mean, BINS: tl.constexpr):
    """|STFT| at bins 0 and 1, from their real and imaginary parts; `mean` is to be removed."""
    re, im = tl.load(lowest + 2 * k, mask=mask, other=0.0), tl.load(lowest + 2 * k + 1, mask=mask, other=0.0)
    re = _less_mean(re, k, mean, BINS)
    return tl.sqrt(re * re + im * im)


@triton.jit
def _store_magnitudes(spectra, to, k, mask, BINS: tl.constexpr, COLUMNS: tl.constexpr):
    re, im = _hann(spectra, k, mask & (k < BINS), BINS)
    tl.store(to + k, tl.where(k < 2, 0.0, tl.sqrt(re * re + im * im)), mask=mask & (k < COLUMNS))


@triton.jit
def _magnitudes(
    spectra, magnitudes, lowest, frame, inside,
    BINS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr, REST: tl.constexpr,
):  # fmt: skip
    at, to = (spectra + frame * BINS)[:, None], (magnitudes + frame * COLUMNS)[:, None]
    WHOLE: tl.constexpr = COLUMNS // BLOCK * BLOCK
    for start in range(0, WHOLE, BLOCK):
        _store_magnitudes(at, to, (start + tl.arange(0, BLOCK))[None, :], inside, BINS, COLUMNS)
    _store_magnitudes(at, to, (WHOLE + tl.arange(0, REST))[None, :], inside, BINS, COLUMNS)
    k = tl.arange(0, 2)[None, :]
    re, im = _hann(at, k, inside, BINS)
    to = (lowest + frame * 4)[:, None] + 2 * k
    tl.store(to, re, mask=inside)
    tl.store(to + 1, im, mask=inside)


@triton.jit(do_not_specialize=["frames"])
def magnitudes_kernel(
    short_spectra, long_spectra, short, long, short_lowest, long_lowest, frames,
    SHORT_BINS: tl.constexpr, LONG_BINS: tl.constexpr, SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr,
    SHORT_REST: tl.constexpr, LONG_REST: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Of some frames the magnitudes (frames, columns) at bins that no mean changes, with zeros elsewhere, and the
    lowest two bins (frames, 2, 2): real and imaginary parts.
    """
    frame = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = (frame < frames)[:, None]
    _magnitudes(long_spectra, long, long_lowest, frame, inside, LONG_BINS, LONG_COLUMNS, BLOCK, LONG_REST)
    _magnitudes(short_spectra, short, short_lowest, frame, inside, SHORT_BINS, SHORT_COLUMNS, BLOCK, SHORT_REST)


@triton.jit
def levels_of(levels, references, window):
    """What is to be taken from a window's frames, and what they are then multiplied by."""
    mean = (tl.load(levels + 2 * window) - tl.load(references + window)).to(tl.float32)
    return mean, tl.load(levels + 2 * window + 1).to(tl.float32)


@triton.jit
def _view(
    magnitudes, lowest, view, window, t, first, mean, scale,
    TOKENS: tl.constexpr, BINS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    inside = (t < TOKENS)[:, None]
    at, lowest_at = (magnitudes + (first + t) * COLUMNS)[:, None], (lowest + (first + t) * 4)[:, None]
    to = (view + (window * TOKENS + t) * COLUMNS)[:, None]
    for start in range(0, COLUMNS, BLOCK):
        k = (start + tl.arange(0, BLOCK))[None, :]
        seen = tl.load(at + k, mask=inside & (k < BINS), other=0.0)
        seen = tl.where(k < 2, lowest_magnitude(lowest_at, k, inside & (k < 2), mean, BINS), seen)
        seen = tl.where(k == BINS, 1.0, libdevice.fast_logf(1.0 + seen * scale))
        tl.store(to + k, seen, mask=inside & (k < COLUMNS))


@triton.jit
def views_kernel(
    short, long, short_lowest, long_lowest, starts, levels, references, short_view, long_view,
    HOP: tl.constexpr, TOKENS: tl.constexpr, SHORT_BINS: tl.constexpr, LONG_BINS: tl.constexpr,
    SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """log(1 + magnitude) of some tokens of a window, from the magnitudes of all frames, one every HOP samples."""
    window = tl.program_id(0).to(tl.int64)
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    first = tl.load(starts + window) // HOP
    mean, scale = levels_of(levels, references, window)
    _view(long, long_lowest, long_view, window, t, first, mean, scale, TOKENS, LONG_BINS, LONG_COLUMNS, BLOCK)
    _view(short, short_lowest, short_view, window, t, first, mean, scale, TOKENS, SHORT_BINS, SHORT_COLUMNS, BLOCK)
