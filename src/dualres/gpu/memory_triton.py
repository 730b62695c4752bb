# mypy: ignore-errors
"""The oscillatory memory on a GPU: from the outputs of its four maps to its readout, and the exact gradients.

The same as `OscillatoryMemory` with `scan_ref`, in steps that each suit the machine: the coefficients of all tokens at
once, then a walk over the tokens in which one warp holds a few channels with all their states. Nothing is divided by a
decay and no damping is summed up, so any damping will do. Some of the states are kept for going backward.

    maps           (windows, tokens, 2 width + 4 states)   in the order of `kernel/pack.py`, without their biases
    coefficients   the same shape                          alpha, (1 - alpha) u, b and c: real parts, then imaginary
    states         (windows, groups, 2, states, width)     before each group of tokens; real parts, then imaginary

A window belongs to network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


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


@triton.jit(do_not_specialize=["windows"])
def coefficients_kernel(
    maps, weights, noise, count, coefficients, windows, sigma, shift, root,
    SIZE: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr,
    STATES: tl.constexpr, SLAB: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    MAPS: tl.constexpr = 2 * WIDTH + 4 * STATES
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    d, s = tl.arange(0, WIDTH), tl.arange(0, 4 * STATES)
    inside = (t < TOKENS)[:, None]
    row = ((window * TOKENS + t) * MAPS)[:, None]
    log_rate = _log_rate(own, noise, count, window, windows, sigma, shift, d, LOG_RATE, WIDTH, SLAB)

    damping = tl.load(maps + row + d[None, :], mask=inside, other=0.0) + tl.load(own + BIAS + d)[None, :]
    u = tl.load(maps + row + WIDTH + d[None, :], mask=inside, other=0.0)
    u += tl.load(own + BIAS + WIDTH + d)[None, :]
    alpha, written = damped(log_rate[None, :], damping, u)
    tl.store(coefficients + row + d[None, :], alpha, mask=inside)
    tl.store(coefficients + row + WIDTH + d[None, :], written, mask=inside)
    vectors = tl.load(maps + row + 2 * WIDTH + s[None, :], mask=inside, other=0.0)
    vectors = bounded(vectors + tl.load(own + BIAS + 2 * WIDTH + s)[None, :], s[None, :], root, STATES)
    tl.store(coefficients + row + 2 * WIDTH + s[None, :], vectors, mask=inside)


@triton.jit
def _turn(pitch, k, ROTATES: tl.constexpr):
    """Cosine and sine of the rotation per token, (1, states)."""
    theta = 3.141592653589793 / (1.0 + libdevice.exp(-tl.load(pitch + k)))
    if not ROTATES:
        theta = theta * 0.0
    return libdevice.cos(theta)[None, :], libdevice.sin(theta)[None, :]


@triton.jit
def _token(row, t, d, k, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr):
    """The coefficients of token t; behind the last one, such as leave a state as it is but for its rotation."""
    inside = t < TOKENS
    row += t * (2 * WIDTH + 4 * STATES)
    vectors = row + 2 * WIDTH + k
    return (
        tl.load(row + d, mask=inside, other=1.0),
        tl.load(row + WIDTH + d, mask=inside, other=0.0),
        tl.load(vectors, mask=inside, other=0.0),
        tl.load(vectors + STATES, mask=inside, other=0.0),
        tl.load(vectors + 2 * STATES, mask=inside, other=0.0),
        tl.load(vectors + 3 * STATES, mask=inside, other=0.0),
    )


@triton.jit
def _forward(re, im, cos, sin, token):
    """The state after a token, (channels, states), from the one before it."""
    a, w, b_re, b_im, _, _ = token
    turned_re, turned_im = cos * re + sin * im, cos * im - sin * re
    re = a[:, None] * turned_re + w[:, None] * b_re[None, :]
    im = a[:, None] * turned_im + w[:, None] * b_im[None, :]
    return re, im


@triton.jit(do_not_specialize=["windows"])
def walk_kernel(
    coefficients, weights, y, states, windows,
    SIZE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, ROTATES: tl.constexpr, KEEP: tl.constexpr,
):  # fmt: skip
    """The tokens of a group are asked for together: a walk would otherwise wait for memory at every token.

    The state before every KEEP-th token is kept, if KEEP is not zero.
    """
    window = tl.program_id(0).to(tl.int64)
    d, k = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    cos, sin = _turn(weights + window // windows * SIZE + PITCH, k, ROTATES)
    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    y_at = y + window * TOKENS * WIDTH + d
    state_at = states + d[:, None] + k[None, :] * WIDTH
    if KEEP > 0:
        state_at += window * ((TOKENS + KEEP - 1) // KEEP) * (2 * WIDTH * STATES)
    re = tl.zeros([CHANNELS, STATES], tl.float32)
    im = tl.zeros([CHANNELS, STATES], tl.float32)
    for first in range(0, TOKENS, GROUP):
        tokens = ()
        for j in tl.static_range(GROUP):
            tokens += (_token(row, first + j, d, k, TOKENS, WIDTH, STATES),)
        for j in tl.static_range(GROUP):
            inside = first + j < TOKENS
            if KEEP > 0:  # noqa: SIM102 - a remainder by zero would not compile
                if j % KEEP == 0:
                    at = state_at + (first + j) // KEEP * (2 * WIDTH * STATES)
                    tl.store(at, re, mask=inside)
                    tl.store(at + WIDTH * STATES, im, mask=inside)
            re, im = _forward(re, im, cos, sin, tokens[j])
            read = tl.sum(tokens[j][4][None, :] * re + tokens[j][5][None, :] * im, 1)
            tl.store(y_at + (first + j) * WIDTH, read, mask=inside)


@triton.jit(do_not_specialize=["windows"])
def walk_backward_kernel(
    coefficients, weights, states, d_y, d_alpha, d_written, d_vectors, d_theta, windows,
    SIZE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, ROTATES: tl.constexpr,
):  # fmt: skip
    """The gradient g of the state obeys g_t = c_t dy_t + alpha_{t+1} exp(i theta) g_{t+1}; all others follow from it.

    The states within a group are walked again from the one kept before it. What is summed over channels, the gradients
    of b, c and theta, leaves as one share per block of channels.
    """
    GROUPS: tl.constexpr = (TOKENS + GROUP - 1) // GROUP
    window, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    d, k = block * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    cos, sin = _turn(weights + window // windows * SIZE + PITCH, k, ROTATES)
    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    kept = states + window * GROUPS * (2 * WIDTH * STATES) + d[:, None] + k[None, :] * WIDTH
    channels = window * TOKENS * WIDTH + d
    share = window * (WIDTH // CHANNELS) + block
    vectors_at = d_vectors + share * TOKENS * (4 * STATES) + k
    g_re = tl.zeros([CHANNELS, STATES], tl.float32)
    g_im = tl.zeros([CHANNELS, STATES], tl.float32)
    sum_theta = tl.zeros([CHANNELS, STATES], tl.float32)
    for i in range(GROUPS):
        first = (GROUPS - 1 - i) * GROUP
        at_kept = kept + (GROUPS - 1 - i) * (2 * WIDTH * STATES)
        re, im = tl.load(at_kept), tl.load(at_kept + WIDTH * STATES)
        tokens = ()
        d_reads = ()
        for j in tl.static_range(GROUP):
            tokens += (_token(row, first + j, d, k, TOKENS, WIDTH, STATES),)
            dy = tl.load(d_y + channels + (first + j) * WIDTH, mask=first + j < TOKENS, other=0.0)
            d_reads += (dy,)
        walked = ((re, im),)
        for j in tl.static_range(GROUP):
            walked += (_forward(walked[j][0], walked[j][1], cos, sin, tokens[j]),)
        for j in tl.static_range(GROUP - 1, -1, -1):
            t = first + j
            inside = t < TOKENS
            a, w, b_re, b_im, c_re, c_im = tokens[j]
            dy = d_reads[j]
            q_re, q_im = walked[j + 1]
            before_re, before_im = walked[j]
            g_re += c_re[None, :] * dy[:, None]
            g_im += c_im[None, :] * dy[:, None]
            turned_re, turned_im = cos * before_re + sin * before_im, cos * before_im - sin * before_re
            at = channels + t * WIDTH
            tl.store(d_alpha + at, tl.sum(g_re * turned_re + g_im * turned_im, 1), mask=inside)
            tl.store(d_written + at, tl.sum(g_re * b_re[None, :] + g_im * b_im[None, :], 1), mask=inside)
            to = vectors_at + t * (4 * STATES)
            tl.store(to, tl.sum(w[:, None] * g_re, 0), mask=inside)
            tl.store(to + STATES, tl.sum(w[:, None] * g_im, 0), mask=inside)
            tl.store(to + 2 * STATES, tl.sum(dy[:, None] * q_re, 0), mask=inside)
            tl.store(to + 3 * STATES, tl.sum(dy[:, None] * q_im, 0), mask=inside)
            sum_theta += a[:, None] * (g_re * turned_im - g_im * turned_re)
            turned_re, turned_im = cos * g_re - sin * g_im, sin * g_re + cos * g_im
            g_re, g_im = a[:, None] * turned_re, a[:, None] * turned_im
    tl.store(d_theta + share * STATES + k, tl.sum(sum_theta, 0))


@triton.jit(do_not_specialize=["windows"])
def coefficients_backward_kernel(
    maps, weights, noise, count, coefficients, d_alpha, d_written, d_vectors, d_theta, d_maps, gradients, windows,
    sigma, shift, root,
    SIZE: tl.constexpr, BIAS: tl.constexpr, LOG_RATE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr,
    WIDTH: tl.constexpr, STATES: tl.constexpr, SLAB: tl.constexpr, SHARES: tl.constexpr, ROTATES: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """One program per window, which also sums its share of the gradients of biases, rates and pitches."""
    MAPS: tl.constexpr = 2 * WIDTH + 4 * STATES
    window = tl.program_id(0).to(tl.int64)
    own = weights + window // windows * SIZE
    gradient = gradients + window * SIZE
    d, s, k = tl.arange(0, WIDTH), tl.arange(0, 4 * STATES), tl.arange(0, STATES)
    log_rate = _log_rate(own, noise, count, window, windows, sigma, shift, d, LOG_RATE, WIDTH, SLAB)
    damping_bias, u_bias = tl.load(own + BIAS + d)[None, :], tl.load(own + BIAS + WIDTH + d)[None, :]
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
        damping = libdevice.tanh(tl.load(maps + row + d[None, :], mask=inside, other=0.0) + damping_bias)
        u = tl.load(maps + row + WIDTH + d[None, :], mask=inside, other=0.0) + u_bias
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
        for share in tl.static_range(SHARES):
            sum_theta += tl.load(d_theta + (window * SHARES + share) * STATES + k)
        half_turn = 1.0 / (1.0 + libdevice.exp(-tl.load(own + PITCH + k)))
        tl.store(gradient + PITCH + k, sum_theta * 3.141592653589793 * half_turn * (1.0 - half_turn))
