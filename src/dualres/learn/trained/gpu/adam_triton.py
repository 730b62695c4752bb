# mypy: ignore-errors
"""Adam for many networks in one kernel, which also sums the windows' shares of gradient and loss in a fixed order."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["windows", "updates"])
def adam_kernel(
    weights, mean, square, gradients, losses, history, rates, count, windows, updates,
    SIZE: tl.constexpr, BETA_1: tl.constexpr, BETA_2: tl.constexpr, EPS: tl.constexpr,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
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
