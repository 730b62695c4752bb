"""The encoder's training step as one PyTorch operation: training.c and its derivatives, for float32 on a CPU.

training.c does whole windows, matrix products included, so that what lies between two products stays in the cache.
`Encoder.forward` of dualres.model.network is the readable twin.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dualres.kernel.training import Training


def encode(short: Tensor, long: Tensor, log_damping: Tensor, parameters: Tensor, states: int) -> Tensor:
    """Views (batch, tokens, bins), log damping (batch, width) and parameters in a row to the mean over tokens.

    `parameters` lie as `parameter_places` in training.h has them, the rotations of the `states` oscillators last. The
    result, (batch, width), can be differentiated once. For second derivatives set DUALRES_KERNEL=off.
    """
    pooled: Tensor = _Encode.apply(short, long, log_damping, parameters, states)  # type: ignore[no-untyped-call]
    return pooled


class _Encode(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, short: Tensor, long: Tensor, log_damping: Tensor, parameters: Tensor, states: int) -> Tensor:
        # In float64: the rotation since the first token grows to hundreds of radians.
        angles = torch.arange(1, short.shape[1] + 1)[:, None] * parameters[-states:].double()
        ahead = torch.cat([angles.cos(), angles.sin()], dim=1).float()
        inputs = [x.contiguous() for x in (short, long, log_damping, parameters, ahead)]
        pooled, kept = Training(*inputs).forward()
        ctx.save_for_backward(*inputs, kept)
        return pooled

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_pooled: Tensor) -> tuple[Tensor | None, ...]:
        *inputs, kept = ctx.saved_tensors
        d_parameters, d_log_damping = Training(*inputs).backward(kept, d_pooled.contiguous())
        return None, None, d_log_damping, d_parameters, None
