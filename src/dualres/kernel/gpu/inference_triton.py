# mypy: ignore-errors
"""One window from its samples to its logits on a GPU, in six kernels: a single window leaves no time to launch more.

The products are of matrices with single vectors, a token or a few to a program, which is faster here than any library's
products of matrices. The parameters are one row, as in `layout.py`.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

from dualres.kernel.gpu.encoder_triton import bounded, damped, tanh, vectors_at
from dualres.kernel.gpu.memory_triton import forth, frame_angle
from dualres.kernel.gpu.spectra_triton import magnitude, over_rms


@triton.jit
def centred_sums_kernel(samples, centred, sums, SAMPLES: tl.constexpr, BLOCK: tl.constexpr):
    """Some samples less the window's first one, their sum and that of their squares, (2, pieces) in float64."""
    piece = tl.program_id(0)
    i = piece * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(samples + i, mask=i < SAMPLES, other=0.0).to(tl.float64) - tl.load(samples).to(tl.float64)
    x = tl.where(i < SAMPLES, x, 0.0)
    tl.store(centred + i, x.to(tl.float32), mask=i < SAMPLES)
    tl.store(sums + piece, tl.sum(x, 0))
    tl.store(sums + tl.num_programs(0) + piece, tl.sum(x * x, 0))


@triton.jit
def _projected(
    spectra, weight, t, is_token, mean, scale,
    BINS: tl.constexpr, COLUMNS: tl.constexpr, HALF: tl.constexpr, EACH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One view's half of some tokens' features, (each, width / 2), from the spectra of their frames."""
    h = tl.arange(0, HALF)
    frames = (spectra + t * BINS)[:, None]
    total = tl.zeros([EACH, HALF, BLOCK], tl.float32)
    for start in range(0, BINS, BLOCK):
        k = start + tl.arange(0, BLOCK)
        seen = magnitude(frames, k[None, :], is_token[:, None] & (k < BINS)[None, :], mean, scale, BINS)
        own = tl.load(weight + h[:, None] * COLUMNS + k[None, :], mask=(k < BINS)[None, :], other=0.0)
        total += own[None, :, :] * libdevice.fast_logf(1.0 + seen)[:, None, :]
    return tl.sum(total, 2) + tl.load(weight + h * COLUMNS + BINS)[None, :]


@triton.jit
def _mapped_halves(low, high, weight, bias, first, WIDTH: tl.constexpr, COUNT: tl.constexpr):
    """`COUNT` rows of a map from `first` on, applied to both halves (each, width / 2) of some tokens."""
    n, h = first + tl.arange(0, COUNT), tl.arange(0, WIDTH // 2)
    at = weight + n[:, None] * WIDTH + h[None, :]
    products = tl.load(at)[None, :, :] * low[:, None, :] + tl.load(at + WIDTH // 2)[None, :, :] * high[:, None, :]
    return tl.sum(products, 2) + tl.load(bias + n)[None, :]


@triton.jit
def coefficients_of_kernel(
    short_spectra, long_spectra, sums, weights, features, coefficients, shift, root,
    SAMPLES: tl.constexpr, PIECES: tl.constexpr, PIECE_TILE: tl.constexpr, SMALLEST: tl.constexpr,
    SHORT: tl.constexpr, SHORT_BINS: tl.constexpr, SHORT_COLUMNS: tl.constexpr, USES_SHORT: tl.constexpr,
    LONG: tl.constexpr, LONG_BINS: tl.constexpr, LONG_COLUMNS: tl.constexpr, USES_LONG: tl.constexpr,
    NORM: tl.constexpr, EPS: tl.constexpr, MAPS: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr,
    PITCH: tl.constexpr, ROTATES: tl.constexpr, CHUNK: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr,
    STATES: tl.constexpr, EACH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Some tokens from their spectra: both projections, the norm, the memory's maps and the coefficients they make."""
    HALF: tl.constexpr = WIDTH // 2
    piece = tl.arange(0, PIECE_TILE)
    is_piece = piece < PIECES
    level = tl.sum(tl.load(sums + piece, mask=is_piece, other=0.0), 0) / SAMPLES
    square = tl.sum(tl.load(sums + PIECES + piece, mask=is_piece, other=0.0), 0) / SAMPLES
    mean, scale = level.to(tl.float32), over_rms(level, square, SMALLEST).to(tl.float32)

    t = tl.program_id(0) * EACH + tl.arange(0, EACH)
    is_token = t < TOKENS
    low = tl.zeros([EACH, HALF], tl.float32)
    high = tl.zeros([EACH, HALF], tl.float32)
    if USES_SHORT:
        own = weights + SHORT
        low += _projected(short_spectra, own, t, is_token, mean, scale, SHORT_BINS, SHORT_COLUMNS, HALF, EACH, BLOCK)
    if USES_LONG:
        own = weights + LONG
        high += _projected(long_spectra, own, t, is_token, mean, scale, LONG_BINS, LONG_COLUMNS, HALF, EACH, BLOCK)
    h, inside = tl.arange(0, HALF), is_token[:, None]
    at = features + (t * WIDTH)[:, None] + h[None, :]
    tl.store(at, low, mask=inside)
    tl.store(at + HALF, high, mask=inside)
    centre = ((tl.sum(low, 1) + tl.sum(high, 1)) / WIDTH)[:, None]
    low, high = low - centre, high - centre
    factor = (1.0 / tl.sqrt_rn((tl.sum(low * low, 1) + tl.sum(high * high, 1)) / WIDTH + EPS))[:, None]
    norm = weights + NORM + h
    low = low * factor * tl.load(norm)[None, :] + tl.load(norm + WIDTH)[None, :]
    high = high * factor * tl.load(norm + HALF)[None, :] + tl.load(norm + WIDTH + HALF)[None, :]

    d, k, maps, bias = tl.arange(0, WIDTH), tl.arange(0, STATES), weights + MAPS, weights + BIAS
    damping = tanh(_mapped_halves(low, high, maps, bias, 0, WIDTH, WIDTH))
    u = _mapped_halves(low, high, maps, bias, WIDTH, WIDTH, WIDTH)
    alpha, written = damped((tl.load(weights + LOG_RATE + d) + shift)[None, :], damping, u)
    to = coefficients + (t * (2 * WIDTH + 4 * STATES))[:, None] + d[None, :]
    tl.store(to, alpha, mask=inside)
    tl.store(to + WIDTH, written, mask=inside)
    re, im = bounded(_mapped_halves(low, high, maps, bias, 2 * WIDTH, WIDTH, 4 * STATES), root, EACH, STATES)
    cos, sin = frame_angle(weights + PITCH, k[None, None, :], t[:, None, None], CHUNK, ROTATES)
    re, im = forth(re, im, cos, sin)
    to = coefficients + vectors_at(t, WIDTH, STATES)
    tl.store(to, re, mask=inside[:, :, None])
    tl.store(to + STATES, im, mask=inside[:, :, None])


@triton.jit
def _mapped(x, weight, bias, first, WIDTH: tl.constexpr, COUNT: tl.constexpr):
    """`COUNT` rows of a map from `first` on, applied to x (width,)."""
    n, i = first + tl.arange(0, COUNT), tl.arange(0, WIDTH)
    return tl.sum(tl.load(weight + n[:, None] * WIDTH + i[None, :]) * x[None, :], 1) + tl.load(bias + n)


@triton.jit
def shares_kernel(
    y, features, weights, shares,
    GATES: tl.constexpr, BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, EACH: tl.constexpr,
):  # fmt: skip
    """What a few tokens add to the sum over the window: the gated readout and the features it is added to."""
    d = tl.arange(0, WIDTH)
    total = tl.zeros([WIDTH], tl.float32)
    for j in range(EACH):
        t = tl.program_id(0) * EACH + j
        inside = t < TOKENS
        x = tl.load(y + t * WIDTH + d, mask=inside, other=0.0)
        mixed = _mapped(x, weights + GATES, weights + BIAS, 0, WIDTH, WIDTH)
        gate = _mapped(x, weights + GATES, weights + BIAS, WIDTH, WIDTH, WIDTH)
        gated = mixed * gate / (1.0 + libdevice.exp(-gate))
        total += tl.where(inside, tl.load(features + t * WIDTH + d, mask=inside, other=0.0) + gated, 0.0)
    tl.store(shares + tl.program_id(0) * WIDTH + d, total)


@triton.jit
def logits_kernel(
    shares, weights, logits,
    HEAD: tl.constexpr, BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, SHARES: tl.constexpr,
    SHARE_TILE: tl.constexpr, CLASSES: tl.constexpr, CLASS_TILE: tl.constexpr,
):  # fmt: skip
    d, share, classes = tl.arange(0, WIDTH), tl.arange(0, SHARE_TILE), tl.arange(0, CLASS_TILE)
    at = share[:, None] * WIDTH + d[None, :]
    pooled = tl.sum(tl.load(shares + at, mask=(share < SHARES)[:, None], other=0.0), 0) / TOKENS
    is_class = classes < CLASSES
    head = tl.load(weights + HEAD + classes[:, None] * WIDTH + d[None, :], mask=is_class[:, None], other=0.0)
    scores = tl.sum(head * pooled[None, :], 1) + tl.load(weights + BIAS + classes, mask=is_class, other=0.0)
    tl.store(logits + classes, scores, mask=is_class)
