# mypy: ignore-errors
"""The end of the network on a GPU: the gated residual, the mean over tokens and the head; and back.

The same as the last lines of `Encoder.forward` and `DualRes.classify`, with cross-entropy and exact gradients. One
program does a window, because something is summed over its tokens; so no two ever add to the same number. A window
belongs to network `window // windows`, whose parameters are a row of `weights`; see `layout.py`.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _gate(
    gates, own, window, start, d,
    BIAS: tl.constexpr, TOKENS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """For a block of tokens: the mixed readout, the gate, the gate's logistic; where they lie, and which there are."""
    t = start + tl.arange(0, BLOCK)
    inside = (t < TOKENS)[:, None]
    at = ((window * TOKENS + t) * (2 * WIDTH))[:, None] + d[None, :]
    mixed = tl.load(gates + at, mask=inside, other=0.0) + tl.load(own + BIAS + d)[None, :]
    gate = tl.load(gates + at + WIDTH, mask=inside, other=0.0) + tl.load(own + BIAS + WIDTH + d)[None, :]
    return mixed, gate, 1.0 / (1.0 + libdevice.exp(-gate)), at, inside


@triton.jit(do_not_specialize=["windows"])
def readout_kernel(
    features, gates, weights, logits, labels, partners, shares, keep, count, losses, d_gates, d_pooled, gradients,
    windows, dropout,
    SIZE: tl.constexpr, BIAS: tl.constexpr, HEAD: tl.constexpr, HEAD_BIAS: tl.constexpr, TOKENS: tl.constexpr,
    WIDTH: tl.constexpr, CLASSES: tl.constexpr, CLASS_TILE: tl.constexpr, SLAB: tl.constexpr, BLOCK: tl.constexpr,
    TRAINS: tl.constexpr, BLENDS: tl.constexpr,
):  # fmt: skip
    """From gates to logits; in training on to the loss, and back to the gradients of gates and features.

    Where windows are blended, so are labels.
    """
    window = tl.program_id(0).to(tl.int64)
    fit = window // windows
    own, gradient = weights + fit * SIZE, gradients + window * SIZE
    d, classes = tl.arange(0, WIDTH), tl.arange(0, CLASS_TILE)
    total = tl.zeros([BLOCK, WIDTH], tl.float32)
    for start in range(0, TOKENS, BLOCK):
        mixed, gate, logistic, _, inside = _gate(gates, own, window, start, d, BIAS, TOKENS, WIDTH, BLOCK)
        t = start + tl.arange(0, BLOCK)
        x = tl.load(features + ((window * TOKENS + t) * WIDTH)[:, None] + d[None, :], mask=inside, other=0.0)
        total += tl.where(inside, x + mixed * gate * logistic, 0.0)
    pooled = tl.sum(total, 0) / TOKENS
    drawn = (fit * SLAB + tl.load(count) % SLAB) * windows + window % windows
    kept = tl.where(tl.load(keep + drawn * WIDTH + d) >= dropout, 1.0 / (1.0 - dropout), 0.0)
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
            share, partner = tl.load(shares + drawn), tl.load(partners + drawn)
            others = tl.where(classes == tl.load(labels + fit * windows + partner), 1.0, 0.0)
            target = share * target + (1.0 - share) * others
        loss = libdevice.log(summed) - tl.sum(tl.where(is_class, target * scores, 0.0), 0)
        tl.store(losses + window, loss / windows)
        d_scores = (libdevice.exp(scores) / summed - target) / windows
        tl.store(gradient + HEAD + head_at, d_scores[:, None] * pooled[None, :], mask=is_class[:, None])
        tl.store(gradient + HEAD_BIAS + classes, d_scores, mask=is_class)
        d_out = tl.sum(d_scores[:, None] * head, 0) * kept / TOKENS
        tl.store(d_pooled + window * WIDTH + d, d_out)
        sum_mixed = tl.zeros([BLOCK, WIDTH], tl.float32)
        sum_gate = tl.zeros([BLOCK, WIDTH], tl.float32)
        for start in range(0, TOKENS, BLOCK):
            mixed, gate, logistic, at, inside = _gate(gates, own, window, start, d, BIAS, TOKENS, WIDTH, BLOCK)
            d_mixed = d_out[None, :] * gate * logistic
            d_gate = d_out[None, :] * mixed * logistic * (1.0 + gate * (1.0 - logistic))
            tl.store(d_gates + at, d_mixed, mask=inside)
            tl.store(d_gates + at + WIDTH, d_gate, mask=inside)
            sum_mixed += tl.where(inside, d_mixed, 0.0)
            sum_gate += tl.where(inside, d_gate, 0.0)
        tl.store(gradient + BIAS + d, tl.sum(sum_mixed, 0))
        tl.store(gradient + BIAS + WIDTH + d, tl.sum(sum_gate, 0))
