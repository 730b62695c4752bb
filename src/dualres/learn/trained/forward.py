"""How a network's views become logits in training: by the compiled step where it can, else by PyTorch."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor

from dualres.kernel import training as compiled
from dualres.kernel.training import available, parameter_count, threads_taken_over
from dualres.model.network import DualRes, Encoder
from dualres.model.scan import scan
from dualres.model.weights import MAPS


@dataclass(frozen=True)
class Classify:
    """`network.classify`, with the compiled step in place of the encoder's own where it can take over."""

    network: DualRes

    def __call__(self, short: Tensor, long: Tensor) -> Tensor:
        """The two views to logits, (batch, classes)."""
        pooled = encode(self.network.encoder, short, long)
        if pooled is None:
            return self.network.classify(short, long)
        logits: Tensor = self.network.head(self.network.dropout(pooled))
        return logits


def training_threads(network: DualRes) -> AbstractContextManager[None]:
    """How threads are shared while `network` is trained: the compiled step gets all of them if it can be used."""
    return threads_taken_over() if suits(network.encoder) else nullcontext()


def encode(encoder: Encoder, short: Tensor, long: Tensor) -> Tensor | None:
    """`encoder(short, long)`, differentiable; None where the compiled step cannot, also for shapes that do not fit."""
    views, config = (short, long), encoder.config
    if not (torch.is_grad_enabled() and suits(encoder) and all(_is_plain(x) and not x.requires_grad for x in views)):
        return None
    bins = (config.short_bins, config.long_bins)
    if short.ndim != 3 or any(x.shape != (*short.shape[:2], n) for x, n in zip(views, bins, strict=True)):
        return None
    batch, parameters = len(short), _in_a_row(encoder)
    if short.numel() == 0 or len(parameters) != parameter_count(*bins, config.width, config.states):
        return None
    log_damping = encoder.memory.log_damping(batch).expand(batch, 1, -1).flatten(1)
    return compiled.encode(views, log_damping, parameters, config.states)


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
    memory, norm, config = encoder.memory, encoder.norm, encoder.config
    branches = ((encoder.short, config.branches != "long"), (encoder.long, config.branches != "short"))
    parts = [_or_zero(layer.weight, used).T for layer, used in branches]
    parts += [*(_or_zero(layer.bias, used) for layer, used in branches), norm.weight, norm.bias]
    maps = [getattr(memory, name) for name in MAPS]
    for layers, hears in ((maps, True), ((encoder.mix, encoder.gate), config.memory)):
        weights = torch.cat([layer.weight for layer in layers])
        parts += [_or_zero(weights, hears).T, *(layer.bias for layer in layers)]
    return torch.cat([part.flatten() for part in (*parts, memory.theta())])


def _or_zero(x: Tensor, used: bool) -> Tensor:
    return x if used else torch.zeros_like(x)
