"""How a network's views become logits in training: by the compiled step where it can, else by PyTorch."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from dualres.kernel import training as compiled
from dualres.kernel.pack import MAPS
from dualres.kernel.training import available, parameter_count, threads_taken_over
from dualres.model.network import DualRes, Encoder
from dualres.model.scan import scan


class Classify:
    """`network.classify`, with the compiled step in place of the encoder's own where it can take over."""

    def __init__(self, network: DualRes) -> None:
        self._network = network

    def __call__(self, short: Tensor, long: Tensor) -> Tensor:
        """The two views to logits, (batch, classes)."""
        network = self._network
        pooled = encode(network.encoder, short, long)
        if pooled is None:
            return network.classify(short, long)
        logits: Tensor = network.head(network.dropout(pooled))
        return logits


def training_threads(network: DualRes) -> AbstractContextManager[None]:
    """How threads are shared while `network` is trained: the compiled step gets all of them if it can be used."""
    return threads_taken_over() if suits(network.encoder) else nullcontext()


def encode(encoder: Encoder, short: Tensor, long: Tensor) -> Tensor | None:
    """`encoder(short, long)`, differentiable by the parameters; None where the compiled step cannot compute it.

    Shapes that do not fit are among these cases: PyTorch's errors say what is wrong.
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
    return compiled.encode(short, long, log_damping, parameters, states)


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
    maps = [getattr(memory, name) for name in MAPS]
    parts = [weight.T for weight, _ in views] + [bias for _, bias in views] + [norm.weight, norm.bias]
    for layers, hears in ((maps, True), ((encoder.mix, encoder.gate), encoder.config.memory)):
        weights = torch.cat([layer.weight for layer in layers])
        parts += [(weights if hears else torch.zeros_like(weights)).T, *(layer.bias for layer in layers)]
    return torch.cat([part.flatten() for part in (*parts, memory.theta())])


def _or_zero(layer: nn.Linear, used: bool) -> tuple[Tensor, Tensor]:
    """Weight and bias; zeros for a branch that is removed."""
    return (layer.weight, layer.bias) if used else (torch.zeros_like(layer.weight), torch.zeros_like(layer.bias))
