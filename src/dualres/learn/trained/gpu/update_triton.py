# mypy: ignore-errors
"""Kernels of an update: what an augmented fit sees, the same as `seen_ref` of `augment/supports.py`, and Adam."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

PI = tl.constexpr(3.141592653589793)


@triton.jit
def _gain(amplitudes, phases, drawn, frequency, WAVES: tl.constexpr):
    """exp(g) at frequencies in units of f_N, for the path with that number."""
    g = tl.zeros_like(frequency)
    for wave in tl.static_range(WAVES):
        amplitude, phase = tl.load(amplitudes + drawn * WAVES + wave), tl.load(phases + drawn * WAVES + wave)
        g += amplitude * libdevice.cos(PI * (wave + 1) * frequency + phase)
    return libdevice.exp(g)


@triton.jit(do_not_specialize=["windows"])
def seen_kernel(
    magnitudes, view, amplitudes, phases, partners, shares, means, spreads, count, windows,
    TOKENS: tl.constexpr, BINS: tl.constexpr, COLUMNS: tl.constexpr, WAVES: tl.constexpr, SLAB: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Some bins of one window: both magnitudes through their paths, logarithms blended and standardised."""
    window = tl.program_id(0).to(tl.int64)  # of network `window // windows`, as is its partner
    fit = window // windows
    first = (fit * SLAB + tl.load(count) % SLAB) * windows  # the draw for the network's first window
    drawn = first + window % windows
    partner, share = tl.load(partners + drawn), tl.load(shares + drawn)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    is_bin = column < BINS
    mean = tl.load(means + fit * BINS + column, mask=is_bin, other=0.0)[None, :]
    over_spread = 1.0 / tl.load(spreads + fit * BINS + column, mask=is_bin, other=1.0)[None, :]
    frequency = column.to(tl.float32) / (BINS - 1)
    own_gain = _gain(amplitudes, phases, drawn, frequency, WAVES)[None, :]
    other_gain = _gain(amplitudes, phases, first + partner, frequency, WAVES)[None, :]
    own, other = window * TOKENS * COLUMNS, (fit * windows + partner) * TOKENS * COLUMNS
    for start in range(0, TOKENS, ROWS):
        t = start + tl.arange(0, ROWS)
        inside = (t < TOKENS)[:, None] & is_bin[None, :]
        at = t[:, None] * COLUMNS + column[None, :]
        # The logarithm of a number of at least 1 is exact enough so; log1p would take as long as all that is read.
        mine = libdevice.fast_logf(1.0 + tl.load(magnitudes + own + at, mask=inside, other=0.0) * own_gain)
        theirs = libdevice.fast_logf(1.0 + tl.load(magnitudes + other + at, mask=inside, other=0.0) * other_gain)
        blend = share * mine + (1.0 - share) * theirs
        tl.store(view + own + at, (blend - mean) * over_spread, mask=inside)


@triton.jit(do_not_specialize=["windows", "updates"])
def adam_kernel(
    weights, mean, square, gradients, losses, history, rates, count, windows, updates,
    SIZE: tl.constexpr, BETA_1: tl.constexpr, BETA_2: tl.constexpr, EPS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Adam for many networks, which also sums the windows' shares of gradient and loss in a fixed order."""
    fit = tl.program_id(1).to(tl.int64)
    update = tl.load(count)
    i, rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, ROWS)
    is_parameter = i < SIZE
    total = tl.zeros([ROWS, BLOCK], tl.float32)
    for start in range(0, windows, ROWS):
        window = start + rows
        at = ((fit * windows + window) * SIZE)[:, None] + i[None, :]
        total += tl.load(gradients + at, mask=(window < windows)[:, None] & is_parameter[None, :], other=0.0)
    gradient = tl.sum(total, 0)
    own = fit * SIZE + i
    m = tl.load(mean + own, mask=is_parameter, other=0.0)
    v = tl.load(square + own, mask=is_parameter, other=0.0)
    m += (1.0 - BETA_1) * (gradient - m)
    v = BETA_2 * v + (1.0 - BETA_2) * gradient * gradient
    step, root = tl.load(rates + 2 * update), tl.load(rates + 2 * update + 1)
    weight = tl.load(weights + own, mask=is_parameter, other=0.0) - step * m / (tl.sqrt_rn(v) / root + EPS)
    tl.store(mean + own, m, mask=is_parameter)
    tl.store(square + own, v, mask=is_parameter)
    tl.store(weights + own, weight, mask=is_parameter)
    if tl.program_id(0) == 0:
        loss = tl.zeros([BLOCK], tl.float32)
        for start in range(0, windows, BLOCK):
            which = start + tl.arange(0, BLOCK)
            loss += tl.load(losses + fit * windows + which, mask=which < windows, other=0.0)
        tl.store(history + fit * updates + update, tl.sum(loss, 0))
