# mypy: ignore-errors
"""One window from its spectra to its logits on a GPU, in five kernels: a single window leaves no time to launch more.

The products are of matrices with single vectors, a token or a few to a program, which is faster here than any library's
products of matrices. The parameters are one row, as in `layout.py`.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

from dualres.gpu.encoder_triton import bounded, damped


@triton.jit
def _projected(
    spectrum, weight, token, BINS: tl.constexpr, COLUMNS: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """One view's half of a token's features, (width / 2,), from its spectrum (tokens, bins, re and im)."""
    h = tl.arange(0, HALF)
    total = tl.zeros([HALF, BLOCK], tl.float32)
    for start in range(0, BINS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        is_bin = column < BINS
        at = spectrum + 2 * (token * BINS + column)
        re, im = tl.load(at, mask=is_bin, other=0.0), tl.load(at + 1, mask=is_bin, other=0.0)
        own = tl.load(weight + h[:, None] * COLUMNS + column[None, :], mask=is_bin[None, :], other=0.0)
        total += own * libdevice.log1p(tl.sqrt_rn(re * re + im * im))[None, :]
    return tl.sum(total, 1) + tl.load(weight + h * COLUMNS + BINS)


@triton.jit
def features_kernel(
    short_spectrum, long_spectrum, weights, features, normed,
    SHORT: tl.constexpr, SHORT_BINS: tl.constexpr, SHORT_COLUMNS: tl.constexpr, USES_SHORT: tl.constexpr,
    LONG: tl.constexpr, LONG_BINS: tl.constexpr, LONG_COLUMNS: tl.constexpr, USES_LONG: tl.constexpr,
    NORM: tl.constexpr, EPS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Both projections of a token and its norm; the halves stay apart until they are stored."""
    HALF: tl.constexpr = WIDTH // 2
    token = tl.program_id(0)
    low = tl.zeros([HALF], tl.float32)
    high = tl.zeros([HALF], tl.float32)
    if USES_SHORT:
        low += _projected(short_spectrum, weights + SHORT, token, SHORT_BINS, SHORT_COLUMNS, HALF, BLOCK)
    if USES_LONG:
        high += _projected(long_spectrum, weights + LONG, token, LONG_BINS, LONG_COLUMNS, HALF, BLOCK)
    h = tl.arange(0, HALF)
    at = token * WIDTH + h
    tl.store(features + at, low)
    tl.store(features + at + HALF, high)
    mean = (tl.sum(low, 0) + tl.sum(high, 0)) / WIDTH
    low, high = low - mean, high - mean
    factor = 1.0 / tl.sqrt_rn((tl.sum(low * low, 0) + tl.sum(high * high, 0)) / WIDTH + EPS)
    own = weights + NORM + h
    tl.store(normed + at, low * factor * tl.load(own) + tl.load(own + WIDTH))
    tl.store(normed + at + HALF, high * factor * tl.load(own + HALF) + tl.load(own + WIDTH + HALF))


@triton.jit
def _mapped(x, weight, bias, first, WIDTH: tl.constexpr, COUNT: tl.constexpr):
    """`COUNT` rows of a map from `first` on, applied to x (width,)."""
    n, i = first + tl.arange(0, COUNT), tl.arange(0, WIDTH)
    return tl.sum(tl.load(weight + n[:, None] * WIDTH + i[None, :]) * x[None, :], 1) + tl.load(bias + n)


@triton.jit
def coefficients_of_kernel(
    normed, weights, coefficients, shift, root,
    MAPS: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
):  # fmt: skip
    """The memory's four maps at a token, in the order of `kernel/pack.py`, and the coefficients they make."""
    token = tl.program_id(0)
    d, s = tl.arange(0, WIDTH), tl.arange(0, 4 * STATES)
    x = tl.load(normed + token * WIDTH + d)
    weight, bias = weights + MAPS, weights + BIAS
    to = coefficients + token * (2 * WIDTH + 4 * STATES)
    damping, u = _mapped(x, weight, bias, 0, WIDTH, WIDTH), _mapped(x, weight, bias, WIDTH, WIDTH, WIDTH)
    alpha, written = damped(tl.load(weights + LOG_RATE + d) + shift, damping, u)
    tl.store(to + d, alpha)
    tl.store(to + WIDTH + d, written)
    vectors = _mapped(x, weight, bias, 2 * WIDTH, WIDTH, 4 * STATES)
    tl.store(to + 2 * WIDTH + s, bounded(vectors, s, root, STATES))


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
def head_kernel(
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
