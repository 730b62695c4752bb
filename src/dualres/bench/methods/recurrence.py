"""The linear recurrence h_t = a_t h_{t-1} + x_t along the last axis, in parallel over time.

`recurrence_ref` walks the steps one after the other, `recurrence` computes the same in chunks of steps. Both take

    a, x    (..., steps)   decay and drive, of equal shape and any memory layout
    start   (...)          h before the first step; zero where None

and return h, (..., steps). Nothing is divided by and no logarithm is taken: any decay will do, zero and one too.
"""

from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dualres.kernel.gpu.triton_setting import triton_usable

CHUNK = 16  # steps walked one after the other; the fastest of 4, 8, 16, 32 at 32,768 steps and 32 or 128 rows


def recurrence_ref(a: Tensor, x: Tensor, start: Tensor | None = None) -> Tensor:
    """The loop over time: slow, and plainly the recurrence."""
    h = torch.zeros_like(x[..., 0]) if start is None else start
    states = []
    for a_t, x_t in zip(a.unbind(-1), x.unbind(-1), strict=True):
        h = a_t * h + x_t
        states.append(h)
    return torch.stack(states, dim=-1)


def recurrence(a: Tensor, x: Tensor, start: Tensor | None = None) -> Tensor:
    """The same in chunks; on the CPU fastest where steps are not neighbours in memory but rows are."""
    if start is None:
        start = torch.zeros_like(x[..., 0])
    h: Tensor = _Recurrence.apply(a, x, start)  # type: ignore[no-untyped-call]
    return h


class _Recurrence(torch.autograd.Function):
    """The gradient obeys the same recurrence backwards in time: g_t = dL/dh_t + a_{t+1} g_{t+1}."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, x: Tensor, start: Tensor) -> Tensor:
        kernels = _kernels() if x.is_cuda else None
        h = kernels.forwards(a, x, start) if kernels else _solve(a, x, start, torch.empty_like(x), order=1)
        ctx.save_for_backward(a, h, start)
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        a, h, start = ctx.saved_tensors
        kernels = _kernels() if gradient.is_cuda else None
        g = kernels.backwards(a, gradient) if kernels else _backwards(a, gradient)
        to_a = torch.empty_like(g)
        torch.mul(g[..., 0], start, out=to_a[..., 0])
        torch.mul(g[..., 1:], h[..., :-1], out=to_a[..., 1:])
        to_start = a[..., 0] * g[..., 0] if ctx.needs_input_grad[2] else None
        return to_a, g, to_start


def _backwards(a: Tensor, x: Tensor) -> Tensor:
    """h_t = a_{t+1} h_{t+1} + x_t, from h_{T-1} = x_{T-1} down to the first step."""
    h = torch.empty_like(x)
    h[..., -1] = x[..., -1]
    _solve(a[..., 1:], x[..., :-1], h[..., -1], h[..., :-1], order=-1)
    return h


def _solve(a: Tensor, x: Tensor, start: Tensor, h: Tensor, *, order: int) -> Tensor:
    """Fill h, walking up (order 1) or down (order -1) the steps from `start`, the state before the first one met.

    All chunks are walked side by side, first from zero for what each of them adds, then from the state in which
    it is entered. Those states obey the same recurrence over chunks, with the product of a chunk's decays.
    """
    steps = x.shape[-1]
    chunks, rest = divmod(steps, CHUNK)
    if chunks < 2:
        _walk(a, x, start, h, order=order)
        return h
    whole, left = slice(0, steps - rest), slice(steps - rest, steps)
    if order < 0:
        whole, left = slice(rest, steps), slice(0, rest)
    a_chunks, x_chunks, h_chunks = (z[..., whole].unflatten(-1, (chunks, CHUNK)) for z in (a, x, h))

    a_steps, x_steps = a_chunks.unbind(-1)[::order], x_chunks.unbind(-1)[::order]  # each (..., chunks)
    product, added = a_steps[0].clone(), x_steps[0].clone()
    for a_t, x_t in zip(a_steps[1:], x_steps[1:], strict=True):
        torch.addcmul(x_t, a_t, added, out=added)
        product.mul_(a_t)

    between = torch.empty_like(x[..., : chunks + 1])  # the states at the chunks' borders, in x's layout
    before, after = between[..., :-1], between[..., 1:]
    if order < 0:
        before, after = after, before
    _solve(product, added, start, after, order=order)
    first, last = (0, -1)[::order]
    before[..., first] = start

    _walk(a_chunks, x_chunks, before, h_chunks, order=order)
    _walk(a[..., left], x[..., left], after[..., last], h[..., left], order=order)
    return h


def _walk(a: Tensor, x: Tensor, h: Tensor, out: Tensor, *, order: int) -> None:
    for a_t, x_t, out_t in zip(*(z.unbind(-1)[::order] for z in (a, x, out)), strict=True):
        h = torch.addcmul(x_t, a_t, h, out=out_t)


def _kernels() -> Any:
    """The same on a GPU; None without Triton."""
    return import_module("dualres.bench.methods.recurrence_triton") if triton_usable() else None
