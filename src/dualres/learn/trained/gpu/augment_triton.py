# mypy: ignore-errors
"""What an update of an augmented fit sees, on a GPU: the same as `seen_ref` of `augment/supports.py`.

A window belongs to network `window // windows`; its partner is another window of the same network.
"""

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
    window = tl.program_id(0).to(tl.int64)
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
