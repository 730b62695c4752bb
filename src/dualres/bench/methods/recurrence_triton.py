"""The recurrence on a GPU: as in `dualres.bench.methods.recurrence`, with the chunks' steps combined by a tree.

One program holds a tile of steps and rows. Few rows still fill the GPU, because the chunks of one row run side by
side: a first kernel finds what every chunk adds, the states between chunks follow by the same recurrence over chunks,
and a second kernel fills in the steps. Steps are counted as they are walked, so that a negative stride walks backwards.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

LONGEST_CHUNK = 128  # steps in a tile
WIDEST_TILE = 32  # rows in a tile; 128 bytes of float32 where rows are neighbours in memory


@triton.jit
def _combine(a_early, x_early, a_late, x_late):
    return a_early * a_late, a_late * x_early + x_late


@triton.jit
def _tile(
    a, a_first, a_batch, a_row, a_step, x, x_first, x_batch, x_row, x_step,
    batch, rows, steps, is_row, is_step, decays_from,
):  # fmt: skip
    """Decays multiplied and drives gathered since the chunk's start, both (steps, rows)."""
    inside = is_step[:, None] & is_row[None, :]
    at_a = a + a_first + batch * a_batch + rows[None, :] * a_row + steps[:, None] * a_step
    at_x = x + x_first + batch * x_batch + rows[None, :] * x_row + steps[:, None] * x_step
    decay = tl.load(at_a, mask=inside & (steps >= decays_from)[:, None], other=0.0)
    drive = tl.load(at_x, mask=inside, other=0.0)
    return tl.associative_scan((decay, drive), 0, _combine)


@triton.jit
def _ends_kernel(
    a, a_first, a_batch, a_row, a_step, x, x_first, x_batch, x_row, x_step,
    product, added, to_batch, to_row, to_chunk, row_count, step_count, decays_from,
    STEPS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """For every chunk but the last: the product of its decays, and its last state when entered with zero."""
    chunk, batch = tl.program_id(0), tl.program_id(2)
    within = tl.arange(0, STEPS)
    steps, rows = chunk * STEPS + within, tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row = rows < row_count
    decay, state = _tile(
        a, a_first, a_batch, a_row, a_step, x, x_first, x_batch, x_row, x_step,
        batch, rows, steps, is_row, steps < step_count, decays_from,
    )  # fmt: skip
    to = batch * to_batch + rows[None, :] * to_row + chunk * to_chunk + within[:, None] * 0
    last = (within == STEPS - 1)[:, None] & is_row[None, :]
    tl.store(product + to, decay, mask=last)
    tl.store(added + to, state, mask=last)


@triton.jit
def _fill_kernel(
    a, a_first, a_batch, a_row, a_step, x, x_first, x_batch, x_row, x_step,
    start, start_batch, start_row, after, after_batch, after_row, after_chunk,
    h, h_first, h_batch, h_row, h_step, row_count, step_count, decays_from,
    STEPS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """All states, from the state after the chunk before, or from `start` in the first chunk."""
    chunk, batch = tl.program_id(0), tl.program_id(2)
    steps, rows = chunk * STEPS + tl.arange(0, STEPS), tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row, is_step = rows < row_count, steps < step_count
    decay, state = _tile(
        a, a_first, a_batch, a_row, a_step, x, x_first, x_batch, x_row, x_step,
        batch, rows, steps, is_row, is_step, decays_from,
    )  # fmt: skip
    if chunk == 0:
        entered = tl.load(start + batch * start_batch + rows * start_row, mask=is_row, other=0.0)
    else:
        at_after = after + batch * after_batch + rows * after_row + (chunk - 1) * after_chunk
        entered = tl.load(at_after, mask=is_row, other=0.0)
    to = h + h_first + batch * h_batch + rows[None, :] * h_row + steps[:, None] * h_step
    tl.store(to, decay * entered[None, :] + state, mask=is_step[:, None] & is_row[None, :])


class _Walk(NamedTuple):
    """Where a kernel finds step 0, and the strides from there, in elements."""

    tensor: Tensor
    first: int
    batch: int
    row: int
    step: int


def forwards(a: Tensor, x: Tensor, start: Tensor) -> Tensor:
    """h_t = a_t h_{t-1} + x_t; (..., steps), and `start` (...)."""
    decays, drives = _batch_rows_steps(a), _batch_rows_steps(x)
    states = torch.empty_like(drives)
    from_state = _batch_rows_steps(start[..., None])[..., 0]
    _solve(_along(decays), _along(drives), _along(states), start=from_state, decays_from=0)
    return states.view(x.shape)


def backwards(a: Tensor, x: Tensor) -> Tensor:
    """h_t = a_{t+1} h_{t+1} + x_t, from h_{T-1} = x_{T-1} down to the first step."""
    decays, drives = _batch_rows_steps(a), _batch_rows_steps(x)
    states = torch.empty_like(drives)
    steps = x.shape[-1]
    # The k-th step met is T-1-k, and its decay lies at T-k: the first one has none.
    walks = _along(decays, steps, -1), _along(drives, steps - 1, -1), _along(states, steps - 1, -1)
    _solve(*walks, start=torch.zeros_like(drives[..., 0]), decays_from=1)
    return states.view(x.shape)


def _along(z: Tensor, first: int = 0, order: int = 1) -> _Walk:
    """Up (order 1) or down (order -1) the steps from the first one."""
    batch, row, step = z.stride()
    return _Walk(z, first * step, batch, row, order * step)


def _solve(a: _Walk, x: _Walk, h: _Walk, *, start: Tensor, decays_from: int) -> None:
    batch, rows, steps = x.tensor.shape
    tile = {
        "STEPS": min(LONGEST_CHUNK, max(16, triton.next_power_of_2(steps))),
        "ROWS": min(WIDEST_TILE, triton.next_power_of_2(rows)),
    }
    chunks, stripes = triton.cdiv(steps, tile["STEPS"]), triton.cdiv(rows, tile["ROWS"])
    after = torch.empty_like(x.tensor[..., : chunks - 1])
    if chunks > 1:
        product, added = torch.empty_like(after), torch.empty_like(after)
        _ends_kernel[(chunks - 1, stripes, batch)](
            *a, *x, product, added, *product.stride(), rows, steps, decays_from, **tile
        )
        _solve(_along(product), _along(added), _along(after), start=start, decays_from=0)
    _fill_kernel[(chunks, stripes, batch)](
        *a, *x, start, *start.stride(), after, *after.stride(), *h, rows, steps, decays_from, **tile
    )


def _batch_rows_steps(z: Tensor) -> Tensor:
    """(..., steps) as three axes: a view where the axes between the first and the last lie together in memory."""
    while z.ndim < 3:
        z = z[None]
    return z.flatten(1, -2)
