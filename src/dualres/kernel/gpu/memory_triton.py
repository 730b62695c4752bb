# mypy: ignore-errors
"""The oscillatory memory on a GPU: from its coefficients to its readout, and the exact gradients.

The same as `scan_ref`, as a walk over the tokens in which one warp holds a few channels with all their states. Nothing
is divided by a decay and no damping is summed up, so any damping will do. A walk is bound by its length, so several
warps walk through one chunk of the tokens each. Before that, a lead walks each chunk from a state of zero, without
reading anything out: from where it ends and from how much a chunk lets decay follows the state before each chunk.
Some of the states are kept for going backward.

States are seen in a frame that turns with the oscillators and is at rest at a chunk's first token. In it they do not
turn; b and c do, which all channels have in common: `frame_angle` tells how far.

    coefficients   (windows, tokens, 2 width + 4 states)     alpha, (1 - alpha) u, then b and c as the frame sees them:
                                                             real parts, then imaginary
    leads          (windows, chunks, 2 states + 1, width)    the state behind a chunk, as above, and the chunk's decay
    states         (windows, groups, 2, states, width)       before each group of tokens; real parts, then imaginary

A window belongs to network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _angle(pitch, k, tokens, ROTATES: tl.constexpr):
    """Cosine and sine of the angle that states turn by in so many tokens."""
    if not ROTATES:
        tokens = tokens * 0
    half_turns = tokens / (1.0 + libdevice.exp(-tl.load(pitch + k)))
    return libdevice.cospi(half_turns), libdevice.sinpi(half_turns)


@triton.jit
def frame_angle(pitch, k, t, CHUNK: tl.constexpr, ROTATES: tl.constexpr):
    """Cosine and sine of the angle that b and c of token t are turned by: that of the tokens before it in its chunk."""
    return _angle(pitch, k, (t % CHUNK).to(tl.float32), ROTATES)


@triton.jit
def forth(re, im, cos, sin):
    """Turned by an angle, as b and c are into the frame."""
    return cos * re - sin * im, cos * im + sin * re


@triton.jit
def back(re, im, cos, sin):
    """Turned the other way, as a state is from token to token."""
    return cos * re + sin * im, cos * im - sin * re


@triton.jit
def _token(row, t, d, k, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr):
    """The coefficients of token t; behind the last one, such as change nothing."""
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
def _group(row, first, d, k, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr, GROUP: tl.constexpr):
    """Tokens are asked for together: a walk would otherwise wait for memory at every one."""
    tokens = ()
    for j in tl.static_range(GROUP):
        tokens += (_token(row, first + j, d, k, TOKENS, WIDTH, STATES),)
    return tokens


@triton.jit
def _forward(re, im, token):
    """The state after a token, (channels, states), from the one before it."""
    a, w, b_re, b_im, _, _ = token
    return a[:, None] * re + w[:, None] * b_re[None, :], a[:, None] * im + w[:, None] * b_im[None, :]


@triton.jit
def _read_back(re, im, token, d_read):
    """What a token's readout adds to the gradient of the state after it."""
    return re + token[4][None, :] * d_read[:, None], im + token[5][None, :] * d_read[:, None]


@triton.jit
def _d_reads(d_y, first, TOKENS: tl.constexpr, WIDTH: tl.constexpr, GROUP: tl.constexpr):
    """The gradients of the readouts of a group of tokens."""
    found = ()
    for j in tl.static_range(GROUP):
        found += (tl.load(d_y + (first + j) * WIDTH, mask=first + j < TOKENS, other=0.0),)
    return found


@triton.jit
def _lead_at(leads, window, chunk, d, k, CHUNKS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr):
    """Where a chunk's lead lies: real parts, imaginary parts, decay."""
    at = leads + (window * CHUNKS + chunk) * ((2 * STATES + 1) * WIDTH) + d
    states = at[:, None] + k[None, :] * WIDTH
    return states, states + STATES * WIDTH, at + 2 * STATES * WIDTH


@triton.jit
def lead_kernel(
    coefficients, leads,
    TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """Through one chunk, from a state of zero; what is behind it is in the chunk's frame."""
    CHUNKS: tl.constexpr = (TOKENS + CHUNK - 1) // CHUNK
    window, chunk = tl.program_id(0).to(tl.int64), tl.program_id(2)
    d, k = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    re = tl.zeros([CHANNELS, STATES], tl.float32)
    im = tl.zeros([CHANNELS, STATES], tl.float32)
    decay = tl.full([CHANNELS], 1.0, tl.float32)
    for first in range(chunk * CHUNK, (chunk + 1) * CHUNK, GROUP):
        tokens = _group(row, first, d, k, TOKENS, WIDTH, STATES, GROUP)
        for j in tl.static_range(GROUP):
            re, im = _forward(re, im, tokens[j])
            decay *= tokens[j][0]
    at_re, at_im, at_decay = _lead_at(leads, window, chunk, d, k, CHUNKS, WIDTH, STATES)
    tl.store(at_re, re)
    tl.store(at_im, im)
    tl.store(at_decay, decay)


@triton.jit(do_not_specialize=["windows"])
def walk_kernel(
    coefficients, weights, leads, y, states, windows,
    SIZE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, ROTATES: tl.constexpr, KEEP: tl.constexpr,
):  # fmt: skip
    """Through one chunk, a whole number of groups; the state before every KEEP-th token is kept, if KEEP is not 0."""
    CHUNKS: tl.constexpr = (TOKENS + CHUNK - 1) // CHUNK
    window, chunk = tl.program_id(0).to(tl.int64), tl.program_id(2)
    d, k = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    pitch = weights + window // windows * SIZE + PITCH
    cos, sin = _angle(pitch, k, CHUNK, ROTATES)
    re = tl.zeros([CHANNELS, STATES], tl.float32)
    im = tl.zeros([CHANNELS, STATES], tl.float32)
    for before in range(chunk):
        at_re, at_im, at_decay = _lead_at(leads, window, before, d, k, CHUNKS, WIDTH, STATES)
        decay = tl.load(at_decay)[:, None]
        re, im = decay * re + tl.load(at_re), decay * im + tl.load(at_im)
        re, im = back(re, im, cos[None, :], sin[None, :])

    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    y_at = y + window * TOKENS * WIDTH + d
    state_at = states + d[:, None] + k[None, :] * WIDTH
    if KEEP > 0:
        state_at += window * ((TOKENS + KEEP - 1) // KEEP) * (2 * WIDTH * STATES)
    for first in range(chunk * CHUNK, (chunk + 1) * CHUNK, GROUP):
        tokens = _group(row, first, d, k, TOKENS, WIDTH, STATES, GROUP)
        for j in tl.static_range(GROUP):
            inside = first + j < TOKENS
            if KEEP > 0:  # noqa: SIM102 - a remainder by zero would not compile
                if j % KEEP == 0:
                    at = state_at + (first + j) // KEEP * (2 * WIDTH * STATES)
                    tl.store(at, re, mask=inside)
                    tl.store(at + WIDTH * STATES, im, mask=inside)
            re, im = _forward(re, im, tokens[j])
            read = tl.sum(tokens[j][4][None, :] * re + tokens[j][5][None, :] * im, 1)
            tl.store(y_at + (first + j) * WIDTH, read, mask=inside)


@triton.jit
def lead_backward_kernel(
    coefficients, d_y, leads,
    TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """The gradient of the state before a chunk, as if none came back from behind it; the chunk's decay stays there.

    It needs no walk from the end: a readout reaches the state before the chunk through all decays up to its token.
    """
    CHUNKS: tl.constexpr = (TOKENS + CHUNK - 1) // CHUNK
    window, chunk = tl.program_id(0).to(tl.int64), tl.program_id(2)
    d, k = tl.program_id(1) * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    re = tl.zeros([CHANNELS, STATES], tl.float32)
    im = tl.zeros([CHANNELS, STATES], tl.float32)
    decay = tl.full([CHANNELS], 1.0, tl.float32)
    for first in range(chunk * CHUNK, (chunk + 1) * CHUNK, GROUP):
        tokens = _group(row, first, d, k, TOKENS, WIDTH, STATES, GROUP)
        d_reads = _d_reads(d_y + window * TOKENS * WIDTH + d, first, TOKENS, WIDTH, GROUP)
        for j in tl.static_range(GROUP):
            decay *= tokens[j][0]
            re, im = _read_back(re, im, tokens[j], decay * d_reads[j])
    at_re, at_im, _ = _lead_at(leads, window, chunk, d, k, CHUNKS, WIDTH, STATES)
    tl.store(at_re, re)
    tl.store(at_im, im)


@triton.jit(do_not_specialize=["windows"])
def walk_backward_kernel(
    coefficients, weights, leads, states, d_y, d_alpha, d_written, d_vectors, d_theta, windows,
    SIZE: tl.constexpr, PITCH: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, STATES: tl.constexpr,
    CHANNELS: tl.constexpr, GROUP: tl.constexpr, CHUNK: tl.constexpr, ROTATES: tl.constexpr,
):  # fmt: skip
    """The gradient g of the state obeys g_t = c_t dy_t + alpha_{t+1} g_{t+1} in the frame; all others follow from it.

    The states within a group are walked again from the one kept before it. What is summed over channels, the gradients
    of b, c and theta, leaves as one share per block of channels, that of theta one per chunk, too.
    """
    GROUPS: tl.constexpr = (TOKENS + GROUP - 1) // GROUP
    CHUNKS: tl.constexpr = (TOKENS + CHUNK - 1) // CHUNK
    window, block, chunk = tl.program_id(0).to(tl.int64), tl.program_id(1), tl.program_id(2)
    d, k = block * CHANNELS + tl.arange(0, CHANNELS), tl.arange(0, STATES)
    pitch = weights + window // windows * SIZE + PITCH
    cos, sin = _angle(pitch, k, CHUNK, ROTATES)
    g_re = tl.zeros([CHANNELS, STATES], tl.float32)
    g_im = tl.zeros([CHANNELS, STATES], tl.float32)
    for i in range(CHUNKS - 1 - chunk):
        at_re, at_im, at_decay = _lead_at(leads, window, CHUNKS - 1 - i, d, k, CHUNKS, WIDTH, STATES)
        decay = tl.load(at_decay)[:, None]
        g_re, g_im = decay * g_re + tl.load(at_re), decay * g_im + tl.load(at_im)
        g_re, g_im = forth(g_re, g_im, cos[None, :], sin[None, :])

    end = tl.minimum((chunk + 1) * (CHUNK // GROUP), GROUPS)
    row = coefficients + window * TOKENS * (2 * WIDTH + 4 * STATES)
    kept = states + window * GROUPS * (2 * WIDTH * STATES) + d[:, None] + k[None, :] * WIDTH
    channels = window * TOKENS * WIDTH + d
    share = window * (WIDTH // CHANNELS) + block
    vectors_at = d_vectors + share * TOKENS * (4 * STATES) + k
    sum_theta = tl.zeros([CHANNELS, STATES], tl.float32)
    for i in range(end - chunk * (CHUNK // GROUP)):
        first = (end - 1 - i) * GROUP
        at_kept = kept + (end - 1 - i) * (2 * WIDTH * STATES)
        re, im = tl.load(at_kept), tl.load(at_kept + WIDTH * STATES)
        tokens = _group(row, first, d, k, TOKENS, WIDTH, STATES, GROUP)
        d_reads = _d_reads(d_y + channels, first, TOKENS, WIDTH, GROUP)
        walked = ((re, im),)
        for j in tl.static_range(GROUP):
            walked += (_forward(walked[j][0], walked[j][1], tokens[j]),)
        for j in tl.static_range(GROUP - 1, -1, -1):
            t = first + j
            inside = t < TOKENS
            a, w, b_re, b_im, _, _ = tokens[j]
            dy = d_reads[j]
            q_re, q_im = walked[j + 1]
            g_re, g_im = _read_back(g_re, g_im, tokens[j], dy)
            at = channels + t * WIDTH
            before_re, before_im = walked[j]
            tl.store(d_alpha + at, tl.sum(g_re * before_re + g_im * before_im, 1), mask=inside)
            sum_theta += a[:, None] * (g_re * before_im - g_im * before_re)
            tl.store(d_written + at, tl.sum(g_re * b_re[None, :] + g_im * b_im[None, :], 1), mask=inside)
            to = vectors_at + t * (4 * STATES)
            tl.store(to, tl.sum(w[:, None] * g_re, 0), mask=inside)
            tl.store(to + STATES, tl.sum(w[:, None] * g_im, 0), mask=inside)
            tl.store(to + 2 * STATES, tl.sum(dy[:, None] * q_re, 0), mask=inside)
            tl.store(to + 3 * STATES, tl.sum(dy[:, None] * q_im, 0), mask=inside)
            g_re, g_im = a[:, None] * g_re, a[:, None] * g_im
    tl.store(d_theta + (share * CHUNKS + chunk) * STATES + k, tl.sum(sum_theta, 0))
