"""Spectra standardised by the support: every frequency counts the same, however weak it is."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from dualres.model.network import Encoder

# nats. The logarithm of noise is spread by 0.64 whatever its level. A smaller spread means that a bin holds next to
# nothing, so that log(1 + x) is no logarithm, or that it never changes. Dividing by it would blow up what is least.
SMALLEST_SPREAD = 0.1


class SpectrumStandard(NamedTuple):
    """Mean and spread of log-magnitudes at each frequency, (bins,) float32."""

    mean: Tensor
    spread: Tensor


def no_standard(magnitudes: Tensor) -> SpectrumStandard:
    """The standard that changes nothing, for magnitudes (windows, tokens, bins)."""
    bins, where = magnitudes.shape[-1], magnitudes.device
    return SpectrumStandard(torch.zeros(bins, device=where), torch.ones(bins, device=where))


def standard_of(magnitudes: Tensor) -> SpectrumStandard:
    """The standard of magnitudes (windows, tokens, bins), over all tokens of all windows."""
    count = magnitudes.shape[0] * magnitudes.shape[1]
    mean = sum(window.log1p().double().sum(0) for window in magnitudes) / count
    squares = sum((window.log1p().double() - mean).square().sum(0) for window in magnitudes)
    spread = (squares / count).sqrt().clamp(min=SMALLEST_SPREAD)
    return SpectrumStandard(mean.float(), spread.float())


@torch.no_grad()
def fold(layer: nn.Linear, standard: SpectrumStandard) -> None:
    """Let a layer that learned from standardised views compute the same from plain ones."""
    mean, spread = (part.to(layer.weight.device, torch.float64) for part in standard)
    weight = layer.weight.double() / spread
    layer.bias.copy_(layer.bias.double() - weight @ mean)
    layer.weight.copy_(weight)


def fold_into(encoder: Encoder, standards: Sequence[SpectrumStandard]) -> None:
    """After training, let the short and the long projection take plain spectra; a removed one has nothing to fold."""
    for layer, standard in zip((encoder.short, encoder.long), standards, strict=True):
        if layer.weight.requires_grad:
            fold(layer, standard)
