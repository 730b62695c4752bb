# mypy: ignore-errors
"""The front of the encoder on a GPU: both projections, the norm, the memory's maps and coefficients; and back.

The same as `Encoder.features`, `Encoder.norm` and `OscillatoryMemory.coefficients`. Going forward, products of matrices
are done where their factors are made and used, so little but views and coefficients passes through memory. A window
belongs to network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.

    maps           (windows, tokens, 2 width)              tanh of damping, and u; kept for going back
    coefficients   (windows, tokens, 2 width + 4 states)   as in `memory_triton.py`
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

from dualres.kernel.gpu.memory_triton import back, forth, frame_angle
from dualres.kernel.gpu.products_triton import add_product, product
from dualres.kernel.gpu.spectra_triton import levels_of, lowest_magnitude


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
def tanh(x):
    """Exact to a few units in the last place, without the branch of the library's."""
    below_zero = libdevice.expm1(-2.0 * tl.abs(x))
    y = -below_zero / (2.0 + below_zero)
    return tl.where(x < 0.0, -y, y)


@triton.jit
def damped(log_rate, damping, u):
    """alpha and (1 - alpha) u, from damping within -1 and 1."""
    delta = libdevice.exp(log_rate + damping)
    return libdevice.exp(-delta), -libdevice.expm1(-delta) * u


@triton.jit
def bounded(vectors, root, ROWS: tl.constexpr, STATES: tl.constexpr):
    """b and c from their maps (rows, 4 states): real and imaginary parts, (rows, 2, states) each."""
    pairs = tl.reshape(tanh(vectors), [ROWS, 2, 2, STATES])
    re, im = tl.split(tl.permute(pairs, [0, 1, 3, 2]))
    scale = _scale_of(root)
    return re * scale, im * scale


@triton.jit
def _scale_of(root):
    """What b and c are multiplied by, (1, 2, 1)."""
    return tl.where(tl.arange(0, 2) == 0, 1.0, root)[None, :, None]


@triton.jit
def vectors_at(row, WIDTH: tl.constexpr, STATES: tl.constexpr):
    """Where the real parts of b and c lie among the coefficients and maps of some rows: (rows, 2, states)."""
    vector, k = tl.arange(0, 2), tl.arange(0, STATES)
    first = row * (2 * WIDTH + 4 * STATES) + 2 * WIDTH
    return first[:, None, None] + (2 * STATES * vector)[None, :, None] + k[None, None, :]


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
        total = add_product(x, own, total)
    return total


@triton.jit
def _mapped(low, high, weight, bias, first, WIDTH: tl.constexpr, COUNT: tl.constexpr):
    """`COUNT` rows of the maps from `first` on, applied to both halves of normed features: (rows, count)."""
    HALF: tl.constexpr = WIDTH // 2
    n, i = first + tl.arange(0, COUNT), tl.arange(0, HALF)
    at = weight + n[None, :] * WIDTH + i[:, None]
    mapped = add_product(high, tl.load(at + HALF), product(low, tl.load(at)))
    return mapped + tl.load(bias + n)[None, :]


@triton.jit
def _encode(
    low, high, own, noise, count, features, normed, maps, coefficients, window, windows, sigma, shift, root,
    row, t, inside,
    NORM: tl.constexpr, MAPS: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr,
    WIDTH: tl.constexpr, STATES: tl.constexpr, CHUNK: tl.constexpr, ROTATES: tl.constexpr, EPS: tl.constexpr,
    SLAB: tl.constexpr, TRAINS: tl.constexpr, ROWS: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """From both halves of some tokens' features, (rows, half of the width) each, to their coefficients."""
    HALF: tl.constexpr = WIDTH // 2
    h, k = tl.arange(0, HALF), tl.arange(0, STATES)
    is_row, inside = inside[:, None, None], inside[:, None]
    at = features + (row * WIDTH)[:, None] + h[None, :]
    tl.store(at, low, mask=inside)
    tl.store(at + HALF, high, mask=inside)
    mean = ((tl.sum(low, 1) + tl.sum(high, 1)) / WIDTH)[:, None]
    low, high = low - mean, high - mean
    factor = (1.0 / tl.sqrt_rn((tl.sum(low * low, 1) + tl.sum(high * high, 1)) / WIDTH + EPS))[:, None]
    scale, bias = own + NORM + h, own + NORM + WIDTH + h
    low = low * factor * tl.load(scale)[None, :] + tl.load(bias)[None, :]
    high = high * factor * tl.load(scale + HALF)[None, :] + tl.load(bias + HALF)[None, :]

    if TRAINS:
        at = normed + (row * WIDTH)[:, None] + h[None, :]
        tl.store(at, low, mask=inside)
        tl.store(at + HALF, high, mask=inside)
    for first in tl.static_range(0, WIDTH, PART):  # few channels at once leave registers for more programs
        p = first + tl.arange(0, PART)
        damping = tanh(_mapped(low, high, own + MAPS, own + BIAS, first, WIDTH, PART))
        u = _mapped(low, high, own + MAPS, own + BIAS, WIDTH + first, WIDTH, PART)
        if TRAINS:
            at = maps + (row * (2 * WIDTH))[:, None] + p[None, :]
            tl.store(at, damping, mask=inside)
            tl.store(at + WIDTH, u, mask=inside)
        rate = _log_rate(own, noise, count, window, windows, sigma, shift, p, LOG_RATE, WIDTH, SLAB)
        alpha, written = damped(rate[None, :], damping, u)
        to = coefficients + (row * (2 * WIDTH + 4 * STATES))[:, None] + p[None, :]
        tl.store(to, alpha, mask=inside)
        tl.store(to + WIDTH, written, mask=inside)
    vectors = _mapped(low, high, own + MAPS, own + BIAS, 2 * WIDTH, WIDTH, 4 * STATES)
    re, im = bounded(vectors, root, ROWS, STATES)
    cos, sin = frame_angle(own + PITCH, k[None, None, :], t[:, None, None], CHUNK, ROTATES)
    re, im = forth(re, im, cos, sin)
    at = coefficients + vectors_at(row, WIDTH, STATES)
    tl.store(at, re, mask=is_row)
    tl.store(at + STATES, im, mask=is_row)


@triton.jit
def seen_by(sources, program, fits, windows):
    """A window, whose network is among `fits`, and the one whose views it has.

    Programs that follow each other have the same window of all networks: where these share their views, the second one
    finds in the cache what the first one read.
    """
    fit, own = program % fits, program // fits
    return fit * windows + own, tl.load(sources + fit) * windows + own


@triton.jit(do_not_specialize=["fits", "windows"])
def encode_views_kernel(
    short, long, sources, fits, weights, noise, count, features, normed, maps, coefficients, windows, sigma, shift,
    root,
    SIZE: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr, NORM: tl.constexpr, MAPS: tl.constexpr,
    BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr, SHORT_COLUMNS: tl.constexpr,
    LONG_COLUMNS: tl.constexpr, USES_SHORT: tl.constexpr, USES_LONG: tl.constexpr, TOKENS: tl.constexpr,
    WIDTH: tl.constexpr, STATES: tl.constexpr, CHUNK: tl.constexpr, ROTATES: tl.constexpr, EPS: tl.constexpr,
    SLAB: tl.constexpr, TRAINS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Some tokens of one window, from its padded views (windows, tokens, columns)."""
    window, seen = seen_by(sources, tl.program_id(0).to(tl.int64), fits, windows)
    own = weights + window // windows * SIZE
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    inside, row, shown = t < TOKENS, window * TOKENS + t, seen * TOKENS + t
    low = tl.zeros([ROWS, WIDTH // 2], tl.float32)
    high = tl.zeros([ROWS, WIDTH // 2], tl.float32)
    if USES_SHORT:
        low += _projected(short, shown, inside, own + SHORT, SHORT_COLUMNS, WIDTH // 2, ROWS, BLOCK)
    if USES_LONG:
        high += _projected(long, shown, inside, own + LONG, LONG_COLUMNS, WIDTH // 2, ROWS, BLOCK)
    _encode(
        low, high, own, noise, count, features, normed, maps, coefficients, window, windows, sigma, shift, root,
        row, t, inside, NORM, MAPS, BIAS, LOG_RATE, PITCH, WIDTH, STATES, CHUNK, ROTATES, EPS, SLAB, TRAINS, ROWS, PART,
    )  # fmt: skip


@triton.jit
def _projected_frames(
    magnitudes, lowest, frame, inside, mean, scale, weight,
    BINS: tl.constexpr, COLUMNS: tl.constexpr, HALF: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A projection of the views of some frames, (rows, half of the width); magnitudes are zero where bins depend on the
    mean, and in the padding.
    """
    h = tl.arange(0, HALF)
    total = tl.zeros([ROWS, HALF], tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        column = start + tl.arange(0, BLOCK)
        is_column = column < COLUMNS
        at = magnitudes + frame[:, None] * COLUMNS + column[None, :]
        x = tl.load(at, mask=inside[:, None] & is_column[None, :], other=0.0)
        own = tl.load(weight + h[None, :] * COLUMNS + column[:, None], mask=is_column[:, None], other=0.0)
        total = add_product(libdevice.fast_logf(1.0 + x * scale), own, total)
    total += tl.load(weight + h * COLUMNS + BINS)[None, :]
    for k in tl.static_range(2):
        seen = libdevice.fast_logf(1.0 + lowest_magnitude(lowest + frame * 4, k, inside, mean, BINS) * scale)
        total += seen[:, None] * tl.load(weight + h * COLUMNS + k)[None, :]
    return total


@triton.jit(do_not_specialize=["windows"])
def encode_frames_kernel(
    short, long, short_lowest, long_lowest, starts, levels, references, weights, noise, count, features, normed, maps,
    coefficients, windows, sigma, shift, root,
    SIZE: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr, NORM: tl.constexpr, MAPS: tl.constexpr,
    BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr, SHORT_BINS: tl.constexpr,
    LONG_BINS: tl.constexpr, SHORT_COLUMNS: tl.constexpr, LONG_COLUMNS: tl.constexpr, USES_SHORT: tl.constexpr,
    USES_LONG: tl.constexpr, HOP: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHUNK: tl.constexpr, ROTATES: tl.constexpr, EPS: tl.constexpr, SLAB: tl.constexpr, TRAINS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Some tokens of one window, from the magnitudes of all frames, which windows share."""
    HALF: tl.constexpr = WIDTH // 2
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    inside, row, frame = t < TOKENS, window * TOKENS + t, tl.load(starts + window) // HOP + t
    mean, scale = levels_of(levels, references, window)
    low = tl.zeros([ROWS, HALF], tl.float32)
    high = tl.zeros([ROWS, HALF], tl.float32)
    if USES_SHORT:
        low += _projected_frames(
            short, short_lowest, frame, inside, mean, scale, own + SHORT, SHORT_BINS, SHORT_COLUMNS, HALF, ROWS, BLOCK
        )
    if USES_LONG:
        high += _projected_frames(
            long, long_lowest, frame, inside, mean, scale, own + LONG, LONG_BINS, LONG_COLUMNS, HALF, ROWS, BLOCK
        )
    _encode(
        low, high, own, noise, count, features, normed, maps, coefficients, window, windows, sigma, shift, root,
        row, t, inside, NORM, MAPS, BIAS, LOG_RATE, PITCH, WIDTH, STATES, CHUNK, ROTATES, EPS, SLAB, TRAINS, ROWS, PART,
    )  # fmt: skip


@triton.jit
def _d_bounded(
    coefficients, d_vectors, window, t, row, cos, sin, root,
    TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr, SHARES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradients of the maps that b and c are made of, real and imaginary, (rows, 2, states) each, from the shares
    of b's and c's in the frame.
    """
    inside = (t < TOKENS)[:, None, None]
    vector, k = tl.arange(0, 2), tl.arange(0, STATES)
    d_re = tl.zeros([BLOCK, 2, STATES], tl.float32)
    d_im = tl.zeros([BLOCK, 2, STATES], tl.float32)
    for share in tl.static_range(SHARES):
        first = ((window * SHARES + share) * TOKENS + t) * (4 * STATES)
        at = d_vectors + first[:, None, None] + (2 * STATES * vector)[None, :, None] + k[None, None, :]
        d_re += tl.load(at, mask=inside, other=0.0)
        d_im += tl.load(at + STATES, mask=inside, other=0.0)
    at = coefficients + vectors_at(row, WIDTH, STATES)
    re, im = tl.load(at, mask=inside, other=0.0), tl.load(at + STATES, mask=inside, other=0.0)
    re, im = back(re, im, cos, sin)
    d_re, d_im = back(d_re, d_im, cos, sin)
    scale = _scale_of(root)
    re, im = re / scale, im / scale
    return d_re * scale * (1.0 - re * re), d_im * scale * (1.0 - im * im)


@triton.jit(do_not_specialize=["windows"])
def coefficients_backward_kernel(
    maps, weights, noise, count, coefficients, d_alpha, d_written, d_vectors, d_theta, d_maps, gradients, windows,
    sigma, shift, root,
    SIZE: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr,
    WIDTH: tl.constexpr, STATES: tl.constexpr, SLAB: tl.constexpr, SHARES: tl.constexpr, CHUNK: tl.constexpr,
    ROTATES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program per window, which also sums its share of the gradients of biases, rates and pitches."""
    MAPS: tl.constexpr = 2 * WIDTH + 4 * STATES
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    gradient = gradients + window * SIZE
    d, k = tl.arange(0, WIDTH), tl.arange(0, STATES)
    log_rate = _log_rate(own, noise, count, window, windows, sigma, shift, d, LOG_RATE, WIDTH, SLAB)
    sum_damping = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_u = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_rate = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_re = tl.zeros([BLOCK, 2, STATES], tl.float32)
    sum_im = tl.zeros([BLOCK, 2, STATES], tl.float32)
    for start in range(0, TOKENS, BLOCK):
        t = start + tl.arange(0, BLOCK)
        inside, row = (t < TOKENS)[:, None], window * TOKENS + t
        channel = (row * WIDTH)[:, None] + d[None, :]
        kept = maps + (row * (2 * WIDTH))[:, None] + d[None, :]
        damping, u = tl.load(kept, mask=inside, other=0.0), tl.load(kept + WIDTH, mask=inside, other=0.0)
        delta = libdevice.exp(log_rate[None, :] + damping)
        d_a = tl.load(d_alpha + channel, mask=inside, other=0.0)
        d_w = tl.load(d_written + channel, mask=inside, other=0.0)
        d_u = -libdevice.expm1(-delta) * d_w
        d_rate = libdevice.exp(-delta) * delta * (u * d_w - d_a)
        d_damping = d_rate * (1.0 - damping * damping)
        to = d_maps + (row * MAPS)[:, None] + d[None, :]
        tl.store(to, d_damping, mask=inside)
        tl.store(to + WIDTH, d_u, mask=inside)

        cos, sin = frame_angle(own + PITCH, k[None, None, :], t[:, None, None], CHUNK, ROTATES)
        d_re, d_im = _d_bounded(
            coefficients, d_vectors, window, t, row, cos, sin, root, TOKENS, WIDTH, STATES, SHARES, BLOCK
        )
        to = d_maps + vectors_at(row, WIDTH, STATES)
        tl.store(to, d_re, mask=inside[:, :, None])
        tl.store(to + STATES, d_im, mask=inside[:, :, None])
        sum_damping += d_damping
        sum_u += d_u
        sum_rate += d_rate
        sum_re += d_re
        sum_im += d_im
    tl.store(gradient + BIAS + d, tl.sum(sum_damping, 0))
    tl.store(gradient + BIAS + WIDTH + d, tl.sum(sum_u, 0))
    vectors = gradient + BIAS + 2 * WIDTH + (2 * STATES * tl.arange(0, 2))[:, None] + k[None, :]
    tl.store(vectors, tl.sum(sum_re, 0))
    tl.store(vectors + STATES, tl.sum(sum_im, 0))
    tl.store(gradient + LOG_RATE + d, tl.sum(sum_rate, 0))
    if ROTATES:
        PARTS: tl.constexpr = SHARES * ((TOKENS + CHUNK - 1) // CHUNK)
        of_theta = tl.zeros([STATES], tl.float32)
        for part in tl.static_range(PARTS):
            of_theta += tl.load(d_theta + (window * PARTS + part) * STATES + k)
        half_turn = 1.0 / (1.0 + libdevice.exp(-tl.load(own + PITCH + k)))
        tl.store(gradient + PITCH + k, of_theta * 3.141592653589793 * half_turn * (1.0 - half_turn))


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
    view, d_features, to, window, seen, block, side,
    COLUMNS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    h, column = tl.arange(0, WIDTH // 2), block * BLOCK + tl.arange(0, BLOCK)
    is_column = (column < COLUMNS)[None, :]
    total = tl.zeros([WIDTH // 2, BLOCK], tl.float32)
    for start in range(0, TOKENS, ROWS):
        t = start + tl.arange(0, ROWS)
        inside = t < TOKENS
        d_at = d_features + ((window * TOKENS + t) * WIDTH)[None, :] + side + h[:, None]
        x_at = view + ((seen * TOKENS + t) * COLUMNS)[:, None] + column[None, :]
        d = tl.load(d_at, mask=inside[None, :], other=0.0)
        x = tl.load(x_at, mask=inside[:, None] & is_column, other=0.0)
        total = add_product(d, x, total)
    tl.store(to + h[:, None] * COLUMNS + column[None, :], total, mask=is_column)


@triton.jit(do_not_specialize=["fits", "windows"])
def projections_backward_kernel(
    short, long, sources, fits, d_features, gradients, windows, long_blocks,
    SIZE: tl.constexpr, SHORT: tl.constexpr, LONG: tl.constexpr, SHORT_COLUMNS: tl.constexpr,
    LONG_COLUMNS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A window's share of the gradient of some columns of one projection."""
    window, seen = seen_by(sources, tl.program_id(0).to(tl.int64), fits, windows)
    block, to = tl.program_id(1), gradients + window * SIZE
    if block < long_blocks:
        _projection_back(
            long, d_features, to + LONG, window, seen, block, WIDTH // 2, LONG_COLUMNS, TOKENS, WIDTH, ROWS, BLOCK
        )
    else:
        block -= long_blocks
        _projection_back(
            short, d_features, to + SHORT, window, seen, block, 0, SHORT_COLUMNS, TOKENS, WIDTH, ROWS, BLOCK
        )
