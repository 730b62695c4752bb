# mypy: ignore-errors
"""The end of the network on a GPU: the gated residual, the mean over tokens and the head; and back.

The same as the last lines of `Encoder.forward` and `DualRes.classify`, with cross-entropy and exact gradients. What is
summed over a window's tokens leaves each program as a share, so no two ever add to the same number. A window belongs to
network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.

    gates    (windows, tokens, 2 width)   the mixed readout and the gate, with their biases; kept for going back
    shares   (windows, blocks, width)     sums over a block of tokens
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

from dualres.kernel.gpu.products_triton import product


@triton.jit(do_not_specialize=["windows"])
def gates_kernel(
    y, features, weights, gates, shares, windows,
    SIZE: tl.constexpr, GATES: tl.constexpr, BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr,
    BLOCK: tl.constexpr, TRAINS: tl.constexpr,
):  # fmt: skip
    """A block of tokens: what it adds to the sum over the window, the gated readout and the features below it."""
    window, block = tl.program_id(0).to(tl.int64), tl.program_id(1)
    own = weights + window // windows * SIZE
    d, t = tl.arange(0, WIDTH), block * BLOCK + tl.arange(0, BLOCK)
    inside, row = (t < TOKENS)[:, None], window * TOKENS + t
    at = (row * WIDTH)[:, None] + d[None, :]
    read = tl.load(y + at, mask=inside, other=0.0)
    map_at = own + GATES + d[None, :] * WIDTH + d[:, None]
    mixed = product(read, tl.load(map_at)) + tl.load(own + BIAS + d)[None, :]
    gate = product(read, tl.load(map_at + WIDTH * WIDTH)) + tl.load(own + BIAS + WIDTH + d)[None, :]
    if TRAINS:
        to = gates + (row * (2 * WIDTH))[:, None] + d[None, :]
        tl.store(to, mixed, mask=inside)
        tl.store(to + WIDTH, gate, mask=inside)
    passed = tl.load(features + at, mask=inside, other=0.0) + mixed * gate / (1.0 + libdevice.exp(-gate))
    share = tl.sum(tl.where(inside, passed, 0.0), 0)
    tl.store(shares + (window * tl.num_programs(1) + block) * WIDTH + d, share)


@triton.jit(do_not_specialize=["windows"])
def head_kernel(
    shares, weights, logits, labels, partners, blends, keep, count, losses, d_pooled, gradients, windows, dropout,
    SIZE: tl.constexpr, HEAD: tl.constexpr, HEAD_BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr,
    BLOCKS: tl.constexpr, CLASSES: tl.constexpr, CLASS_TILE: tl.constexpr, SLAB: tl.constexpr, TRAINS: tl.constexpr,
    BLENDS: tl.constexpr,
):  # fmt: skip
    """From shares to logits; in training on to the loss, and back to the gradient of what each token adds.

    Where windows are blended, so are labels.
    """
    window = tl.program_id(0).to(tl.int64)
    fit = window // windows
    own, gradient = weights + fit * SIZE, gradients + window * SIZE
    d, classes = tl.arange(0, WIDTH), tl.arange(0, CLASS_TILE)
    pooled = tl.zeros([WIDTH], tl.float32)
    for block in tl.static_range(BLOCKS):
        pooled += tl.load(shares + (window * BLOCKS + block) * WIDTH + d)
    drawn = (fit * SLAB + tl.load(count) % SLAB) * windows + window % windows
    kept = tl.where(tl.load(keep + drawn * WIDTH + d) >= dropout, 1.0 / (1.0 - dropout), 0.0) / TOKENS
    pooled *= kept

    is_class = classes < CLASSES
    head_at = classes[:, None] * WIDTH + d[None, :]
    head = tl.load(own + HEAD + head_at, mask=is_class[:, None], other=0.0)
    scores = tl.sum(head * pooled[None, :], 1) + tl.load(own + HEAD_BIAS + classes, mask=is_class, other=0.0)
    tl.store(logits + window * CLASSES + classes, scores, mask=is_class)
    if TRAINS:
        scores = tl.where(is_class, scores, float("-inf"))
        scores -= tl.max(scores, 0)
        summed = tl.sum(libdevice.exp(scores), 0)
        target = tl.where(classes == tl.load(labels + window), 1.0, 0.0)
        if BLENDS:
            share, partner = tl.load(blends + drawn), tl.load(partners + drawn)
            others = tl.where(classes == tl.load(labels + fit * windows + partner), 1.0, 0.0)
            target = share * target + (1.0 - share) * others
        loss = libdevice.log(summed) - tl.sum(tl.where(is_class, target * scores, 0.0), 0)
        tl.store(losses + window, loss / windows)
        d_scores = (libdevice.exp(scores) / summed - target) / windows
        tl.store(gradient + HEAD + head_at, d_scores[:, None] * pooled[None, :], mask=is_class[:, None])
        tl.store(gradient + HEAD_BIAS + classes, d_scores, mask=is_class)
        tl.store(d_pooled + window * WIDTH + d, tl.sum(d_scores[:, None] * head, 0) * kept)


@triton.jit
def gates_backward_kernel(
    gates, d_pooled, d_gates, gradients,
    SIZE: tl.constexpr, BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Of one window: the gradients of the gates, and their sums, which are those of the biases."""
    window = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, WIDTH)
    d_out = tl.load(d_pooled + window * WIDTH + d)[None, :]
    sum_mixed = tl.zeros([BLOCK, WIDTH], tl.float32)
    sum_gate = tl.zeros([BLOCK, WIDTH], tl.float32)
    for start in range(0, TOKENS, BLOCK):
        t = start + tl.arange(0, BLOCK)
        inside = (t < TOKENS)[:, None]
        at = ((window * TOKENS + t) * (2 * WIDTH))[:, None] + d[None, :]
        mixed, gate = tl.load(gates + at, mask=inside, other=0.0), tl.load(gates + at + WIDTH, mask=inside, other=0.0)
        logistic = 1.0 / (1.0 + libdevice.exp(-gate))
        d_mixed = d_out * gate * logistic
        d_gate = d_out * mixed * logistic * (1.0 + gate * (1.0 - logistic))
        tl.store(d_gates + at, d_mixed, mask=inside)
        tl.store(d_gates + at + WIDTH, d_gate, mask=inside)
        sum_mixed += d_mixed  # zero outside, as mixed and gate are
        sum_gate += d_gate
    tl.store(gradients + window * SIZE + BIAS + d, tl.sum(sum_mixed, 0))
    tl.store(gradients + window * SIZE + BIAS + WIDTH + d, tl.sum(sum_gate, 0))
