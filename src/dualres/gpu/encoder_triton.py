# mypy: ignore-errors
"""The front of the encoder on a GPU: both projections, the norm, the memory's maps and coefficients; and back.

The same as `Encoder.features`, `Encoder.norm` and `OscillatoryMemory.coefficients`. Going forward, products of matrices
are done where their factors are made and used, so little but views and coefficients passes through memory. A window
belongs to network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.

    maps           (windows, tokens, 2 width)              damping and u, with their biases; kept for going back
    coefficients   (windows, tokens, 2 width + 4 states)   alpha, (1 - alpha) u, b and c: real parts, then imaginary
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

# Three products of numbers of 11 bits each: within about 1e-6 of float32, on the units that multiply matrices.
PRECISION = tl.constexpr("tf32x3")


@triton.jit
def _log_rate(
    own, noise, count, window, windows, sigma, shift, d,
    LOG_RATE: tl.constexpr, WIDTH: tl.constexpr, SLAB: tl.constexpr,
):  # fmt: skip
    """The logarithm of the damping increment before the input changes it, jittered: (width,)."""
    drawn = (window // windows * SLAB + tl.load(count) % SLAB) * windows + window % windows
    jitter = sigma * tl.load(noise + drawn * WIDTH + d) - 0.5 * sigma * sigma
    return tl.load(own + LOG_RATE + d) + shift + jitter


@triton.jit
def damped(log_rate, damping, u):
    """alpha and (1 - alpha) u."""
    delta = libdevice.exp(log_rate + libdevice.tanh(damping))
    return libdevice.exp(-delta), -libdevice.expm1(-delta) * u


@triton.jit
def bounded(vectors, s, root, STATES: tl.constexpr):
    """b and c, side by side."""
    return libdevice.tanh(vectors) * tl.where(s < 2 * STATES, 1.0, root)


@triton.jit
def _projected(
    view, row, inside, weight, COLUMNS: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """A projection of some rows of a padded view, (rows, half of the width)."""
    h = tl.arange(0, HALF)
    total = tl.zeros([ROWS, HALF], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        is_column = column < COLUMNS
        at = view + row[:, None] * COLUMNS + column[None, :]
        x = tl.load(at, mask=inside[:, None] & is_column[None, :], other=0.0)
        own = tl.load(weight + h[None, :] * COLUMNS + column[:, None], mask=is_column[:, None], other=0.0)
        total = tl.dot(x, own, total, input_precision=PRECISION)
    return total


@triton.jit
def _mapped(low, high, weight, bias, first, WIDTH: tl.constexpr, COUNT: tl.constexpr):
    """`COUNT` rows of the maps from `first` on, applied to both halves of normed features: (rows, count)."""
    HALF: tl.constexpr = WIDTH // 2
    n, i = first + tl.arange(0, COUNT), tl.arange(0, HALF)
    at = weight + n[None, :] * WIDTH + i[:, None]
    mapped = tl.dot(low, tl.load(at), input_precision=PRECISION)
    return tl.dot(high, tl.load(at + HALF), mapped, input_precision=PRECISION) + tl.load(bias + n)[None, :]


@triton.jit
def _encode(
    low, high, own, features, normed, maps, coefficients, log_rate, root, row, inside,
    NORM: tl.constexpr, MAPS: tl.constexpr, BIAS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    EPS: tl.constexpr, TRAINS: tl.constexpr,
):  # fmt: skip
    """From both halves of some tokens' features, (rows, half of the width) each, to their coefficients."""
    HALF: tl.constexpr = WIDTH // 2
    h, d, s = tl.arange(0, HALF), tl.arange(0, WIDTH), tl.arange(0, 4 * STATES)
    inside = inside[:, None]
    at = features + (row * WIDTH)[:, None] + h[None, :]
    tl.store(at, low, mask=inside)
    tl.store(at + HALF, high, mask=inside)
    mean = ((tl.sum(low, 1) + tl.sum(high, 1)) / WIDTH)[:, None]
    low, high = low - mean, high - mean
    factor = (1.0 / tl.sqrt_rn((tl.sum(low * low, 1) + tl.sum(high * high, 1)) / WIDTH + EPS))[:, None]
    scale, bias = own + NORM + h, own + NORM + WIDTH + h
    low = low * factor * tl.load(scale)[None, :] + tl.load(bias)[None, :]
    high = high * factor * tl.load(scale + HALF)[None, :] + tl.load(bias + HALF)[None, :]

    damping = _mapped(low, high, own + MAPS, own + BIAS, 0, WIDTH, WIDTH)
    u = _mapped(low, high, own + MAPS, own + BIAS, WIDTH, WIDTH, WIDTH)
    if TRAINS:
        at = normed + (row * WIDTH)[:, None] + h[None, :]
        tl.store(at, low, mask=inside)
        tl.store(at + HALF, high, mask=inside)
        at = maps + (row * (2 * WIDTH))[:, None] + d[None, :]
        tl.store(at, damping, mask=inside)
        tl.store(at + WIDTH, u, mask=inside)
    alpha, written = damped(log_rate[None, :], damping, u)
    to = coefficients + (row * (2 * WIDTH + 4 * STATES))[:, None]
    tl.store(to + d[None, :], alpha, mask=inside)
    tl.store(to + WIDTH + d[None, :], written, mask=inside)
    vectors = _mapped(low, high, own + MAPS, own + BIAS, 2 * WIDTH, WIDTH, 4 * STATES)
    tl.store(to + 2 * WIDTH + s[None, :], bounded(vectors, s[None, :], root, STATES), mask=inside)


@triton.jit(do_not_specialize=["windows"])
def encode_views_kernel(
    short, long, weights, noise, count, features, normed, maps, coefficients, windows, sigma, shift, root,
    SIZE: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr, NORM: tl.constexpr, MAPS: tl.constexpr,
    BIAS: tl.constexpr, LOG_RATE: tl.constexpr, SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr,
    USES_SHORT: tl.constexpr, USES_LONG: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    EPS: tl.constexpr, SLAB: tl.constexpr, TRAINS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Some tokens of one window, from its padded views (windows, tokens, columns)."""
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    inside, row = t < TOKENS, window * TOKENS + t
    low = tl.zeros([ROWS, WIDTH // 2], tl.float32)
    high = tl.zeros([ROWS, WIDTH // 2], tl.float32)
    if USES_SHORT:
        low += _projected(short, row, inside, own + SHORT, SHORT_COLUMNS, WIDTH // 2, ROWS, BLOCK)
    if USES_LONG:
        high += _projected(long, row, inside, own + LONG, LONG_COLUMNS, WIDTH // 2, ROWS, BLOCK)
    log_rate = _log_rate(own, noise, count, window, windows, sigma, shift, tl.arange(0, WIDTH), LOG_RATE, WIDTH, SLAB)
    _encode(
        low, high, own, features, normed, maps, coefficients, log_rate, root, row, inside,
        NORM, MAPS, BIAS, WIDTH, STATES, EPS, TRAINS,
    )  # fmt: skip


@triton.jit(do_not_specialize=["windows"])
def coefficients_backward_kernel(
    maps, weights, noise, count, coefficients, d_alpha, d_written, d_vectors, d_theta, d_maps, gradients, windows,
    sigma, shift, root,
    SIZE: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr,
    WIDTH: tl.constexpr, STATES: tl.constexpr, SLAB: tl.constexpr, SHARES: tl.constexpr, CHUNKS: tl.constexpr,
    ROTATES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program per window, which also sums its share of the gradients of biases, rates and pitches."""
    MAPS: tl.constexpr = 2 * WIDTH + 4 * STATES
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    gradient = gradients + window * SIZE
    d, s, k = tl.arange(0, WIDTH), tl.arange(0, 4 * STATES), tl.arange(0, STATES)
    log_rate = _log_rate(own, noise, count, window, windows, sigma, shift, d, LOG_RATE, WIDTH, SLAB)
    scale = tl.where(s < 2 * STATES, 1.0, root)[None, :]
    sum_damping = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_u = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_rate = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_vectors = tl.zeros([BLOCK, 4 * STATES], tl.float32)
    for start in range(0, TOKENS, BLOCK):
        t = start + tl.arange(0, BLOCK)
        inside = (t < TOKENS)[:, None]
        row = ((window * TOKENS + t) * MAPS)[:, None]
        channel = ((window * TOKENS + t) * WIDTH)[:, None] + d[None, :]
        kept = maps + ((window * TOKENS + t) * (2 * WIDTH))[:, None] + d[None, :]
        damping = libdevice.tanh(tl.load(kept, mask=inside, other=0.0))
        u = tl.load(kept + WIDTH, mask=inside, other=0.0)
        delta = libdevice.exp(log_rate[None, :] + damping)
        d_a = tl.load(d_alpha + channel, mask=inside, other=0.0)
        d_w = tl.load(d_written + channel, mask=inside, other=0.0)
        d_u = -libdevice.expm1(-delta) * d_w
        d_rate = libdevice.exp(-delta) * delta * (u * d_w - d_a)
        d_damping = d_rate * (1.0 - damping * damping)
        tl.store(d_maps + row + d[None, :], d_damping, mask=inside)
        tl.store(d_maps + row + WIDTH + d[None, :], d_u, mask=inside)
        d_bc = tl.zeros([BLOCK, 4 * STATES], tl.float32)
        for share in tl.static_range(SHARES):
            at = (((window * SHARES + share) * TOKENS + t) * (4 * STATES))[:, None] + s[None, :]
            d_bc += tl.load(d_vectors + at, mask=inside, other=0.0)
        vectors = tl.load(coefficients + row + 2 * WIDTH + s[None, :], mask=inside, other=0.0) / scale
        d_bc *= scale * (1.0 - vectors * vectors)
        tl.store(d_maps + row + 2 * WIDTH + s[None, :], d_bc, mask=inside)
        sum_damping += d_damping
        sum_u += d_u
        sum_rate += d_rate
        sum_vectors += d_bc
    tl.store(gradient + BIAS + d, tl.sum(sum_damping, 0))
    tl.store(gradient + BIAS + WIDTH + d, tl.sum(sum_u, 0))
    tl.store(gradient + BIAS + 2 * WIDTH + s, tl.sum(sum_vectors, 0))
    tl.store(gradient + LOG_RATE + d, tl.sum(sum_rate, 0))
    if ROTATES:
        sum_theta = tl.zeros([STATES], tl.float32)
        for share in tl.static_range(SHARES * CHUNKS):
            sum_theta += tl.load(d_theta + (window * (SHARES * CHUNKS) + share) * STATES + k)
        half_turn = 1.0 / (1.0 + libdevice.exp(-tl.load(own + PITCH + k)))
        tl.store(gradient + PITCH + k, sum_theta * 3.141592653589793 * half_turn * (1.0 - half_turn))


@triton.jit
def _normed(x, WIDTH: tl.constexpr, EPS: tl.constexpr):
    """Rows of x with mean zero and variance one, and the factor that made it one."""
    x = x - (tl.sum(x, 1) / WIDTH)[:, None]
    factor = 1.0 / tl.sqrt_rn(tl.sum(x * x, 1) / WIDTH + EPS)
    return x * factor[:, None], factor


@triton.jit(do_not_specialize=["windows"])
def norm_backward_kernel(
    features, weights, d_normed, d_pooled, d_features, gradients, windows,
    SIZE: tl.constexpr, NORM: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, EPS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """What comes back through the norm, and by the residual past it."""
    window = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, WIDTH)
    weight = tl.load(weights + window // windows * SIZE + NORM + d)[None, :]
    past = tl.load(d_pooled + window * WIDTH + d)[None, :]
    sum_weight = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_bias = tl.zeros([BLOCK, WIDTH], tl.float32)
    for start in range(0, TOKENS, BLOCK):
        t = start + tl.arange(0, BLOCK)
        inside = (t < TOKENS)[:, None]
        at = ((window * TOKENS + t) * WIDTH)[:, None] + d[None, :]
        x, factor = _normed(tl.load(features + at, mask=inside, other=0.0), WIDTH, EPS)
        gradient = tl.load(d_normed + at, mask=inside, other=0.0)
        sum_weight += gradient * x
        sum_bias += gradient
        gradient *= weight
        along = (tl.sum(gradient * x, 1) / WIDTH)[:, None]
        gradient = factor[:, None] * (gradient - (tl.sum(gradient, 1) / WIDTH)[:, None] - x * along)
        tl.store(d_features + at, gradient + past, mask=inside)
    tl.store(gradients + window * SIZE + NORM + d, tl.sum(sum_weight, 0))
    tl.store(gradients + window * SIZE + NORM + WIDTH + d, tl.sum(sum_bias, 0))


@triton.jit
def _projection_back(
    view, d_features, to, window, block, side,
    COLUMNS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    h, column = tl.arange(0, WIDTH // 2), block * BLOCK + tl.arange(0, BLOCK)
    is_column = (column < COLUMNS)[None, :]
    total = tl.zeros([WIDTH // 2, BLOCK], tl.float32)
    for start in range(0, TOKENS, ROWS):
        t = start + tl.arange(0, ROWS)
        row, inside = window * TOKENS + t, t < TOKENS
        d_at = d_features + (row * WIDTH)[None, :] + side + h[:, None]
        x_at = view + (row * COLUMNS)[:, None] + column[None, :]
        total = tl.dot(
            tl.load(d_at, mask=inside[None, :], other=0.0),
            tl.load(x_at, mask=inside[:, None] & is_column, other=0.0),
            total,
            input_precision=PRECISION,
        )
    tl.store(to + h[:, None] * COLUMNS + column[None, :], total, mask=is_column)


@triton.jit
def projections_backward_kernel(
    short, long, d_features, gradients, long_blocks,
    SIZE: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr, SHORT_COLUMNS: tl.constexpr,
    LONG_COLUMNS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A window's share of the gradient of some columns of one projection."""
    window, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    to = gradients + window * SIZE
    if block < long_blocks:
        _projection_back(
            long, d_features, to + LONG, window, block, WIDTH // 2, LONG_COLUMNS, TOKENS, WIDTH, ROWS, BLOCK
        )
    else:
        _projection_back(
            short, d_features, to + SHORT, window, block - long_blocks, 0, SHORT_COLUMNS, TOKENS, WIDTH, ROWS, BLOCK
        )
