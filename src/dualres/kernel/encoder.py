"""The encoder's training step, compiled: `Encoder.forward` and its derivatives, for float32 on a CPU.

`kernel/training.c` does whole windows, matrix products included, so that what lies between two products stays in the
cache. PyTorch sees one operation, from the views and all parameters in a row to the mean over tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from dualres.kernel.maps import MAPS
from dualres.kernel.training import Training, available, parameter_count
from dualres.model.scan import scan

if TYPE_CHECKING:
    from dualres.model.network import Encoder


def encode(encoder: Encoder, short: Tensor, long: Tensor) -> Tensor | None:
    """`encoder(short, long)` with what it takes to differentiate it; None where PyTorch has to do it.

    So it has where shapes do not fit: its errors say what is wrong.
    """
    views = (short, long)
    if not (torch.is_grad_enabled() and suits(encoder) and all(_is_plain(view) for view in views)):
        return None
    if short.numel() == 0 or any(view.requires_grad for view in views):
        return None
    config, parameters = encoder.config, _in_a_row(encoder)
    bins, states = (config.short_bins, config.long_bins), config.states
    if short.ndim != 3 or any(view.shape != (*short.shape[:2], n) for view, n in zip(views, bins, strict=True)):
        return None
    if len(parameters) != parameter_count(*bins, config.width, states):
        return None
    batch = len(short)
    log_damping = encoder.memory.log_damping(batch).expand(batch, 1, -1).flatten(1)
    pooled: Tensor = _Encode.apply(short, long, log_damping, parameters, states)  # type: ignore[no-untyped-call]
    return pooled


def suits(encoder: Encoder) -> bool:
    """Whether the compiled step can train this encoder."""
    return (
        encoder.memory.scan is scan
        and encoder.config.width % 64 == 0
        and encoder.config.states % 4 == 0
        and _is_plain(encoder.norm.weight)
        and available()
    )


def _is_plain(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32


def _in_a_row(encoder: Encoder) -> Tensor:
    """All parameters but the damping's rate, as `parameter_places` in kernel/training.h has them."""
    memory, norm = encoder.memory, encoder.norm
    views = [
        _or_zero(encoder.short, encoder.config.branches != "long"),
        _or_zero(encoder.long, encoder.config.branches != "short"),
    ]
    maps = tuple(getattr(memory, name) for name in MAPS)
    parts = [weight.T for weight, _ in views] + [bias for _, bias in views] + [norm.weight, norm.bias]
    for layers, hears in ((maps, True), ((encoder.mix, encoder.gate), encoder.config.memory)):
        weights = torch.cat([layer.weight for layer in layers])
        parts += [(weights if hears else torch.zeros_like(weights)).T, *(layer.bias for layer in layers)]
    return torch.cat([part.flatten() for part in (*parts, memory.theta())])


def _or_zero(layer: nn.Linear, used: bool) -> tuple[Tensor, Tensor]:
    """Weight and bias; zeros for a branch that is removed."""
    return (layer.weight, layer.bias) if used else (torch.zeros_like(layer.weight), torch.zeros_like(layer.bias))


class _Encode(torch.autograd.Function):
    """Views, log damping (batch, width) and parameters in a row to the mean over tokens, (batch, width).

    It can be differentiated once. For second derivatives have PyTorch do it all: set DUALRES_KERNEL=off.
    """

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
