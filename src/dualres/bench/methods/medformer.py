"""Medformer: patches of three lengths, attention within each length and, through their last tokens, among lengths."""

import random
from functools import lru_cache
from itertools import product

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu

from dualres.bench.methods.blocks import Attention, PostNorm, cut_patches, sinusoids
from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.neural import WINDOW, Network, trained

PATCHES = (128, 256, 512)  # samples
TOKENS = tuple(WINDOW // patch + 1 for patch in PATCHES)  # the last of each holds the last sample and nothing else
POSITIONS = 5000  # rows of the table, as released
WIDTH = 128
HIDDEN = 256
HEADS = 8
LAYERS = 6
DROPOUT = 0.1
DROPPED_TOKENS = 0.25  # probability per element, where the draw says so


class Medformer(Network):
    """2,560,904 parameters with eight classes."""

    joins = True
    positions: Tensor

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.ModuleList(token_map(patch) for patch in PATCHES)
        self.marks = nn.ParameterList(torch.randn(1, WIDTH) for _ in PATCHES)  # of the patch lengths
        self.register_buffer("positions", sinusoids(POSITIONS, WIDTH))
        self.layers = nn.Sequential(*(MixedLayer() for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(sum(TOKENS) * WIDTH, classes)
        self.dropout = nn.Dropout(DROPOUT)

    def draws(self, windows: int) -> tuple[Tensor, ...]:
        """Which of the patch lengths have elements of their tokens dropped, (microbatches, 3) bool."""
        known = _on_device(self.head.weight.device)
        drops = [tuple(random.choice((False, True)) for _ in PATCHES) for _ in range(0, windows, self.microbatch)]
        return (torch.stack([known[drop] for drop in drops]),)

    def forward(self, windows: Tensor, drops: Tensor) -> Tensor:
        sequences = []
        by_window = drops[:, None].expand(-1, self.microbatch, -1).flatten(0, 1)[: len(windows), :, None, None]
        for patch, embed, mark, drop in zip(PATCHES, self.embed, self.marks, by_window.unbind(1), strict=True):
            tokens = embed(cut_patches(windows, patch, patch, extra=patch))
            if self.training:  # both outcomes are computed, so that every pass runs the same kernels
                tokens = torch.where(drop, dropout(tokens, DROPPED_TOKENS), tokens)
            sequences.append(tokens + mark + self.positions[:, : tokens.shape[1]])
        tokens = self.layers(torch.cat(sequences, dim=1))
        logits: Tensor = self.head(self.dropout(gelu(self.norm(tokens))).flatten(1))
        return logits


class MixedLayer(nn.Module):
    """All tokens (batch, 451, width) to the same, those of one patch length behind those of the other.

    Each length has its own attention; after it, the last tokens of the three attend to each other.
    """

    def __init__(self) -> None:
        super().__init__()
        self.within = nn.ModuleList(Attention(WIDTH, HEADS, DROPOUT) for _ in PATCHES)
        self.among = Attention(WIDTH, HEADS, DROPOUT)
        self.post_norm = PostNorm(WIDTH, HIDDEN, DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        # Copied here once, where each of the attention's maps would make a copy of its own.
        sequences = [part.contiguous() for part in x.split(TOKENS, dim=1)]
        attended = [within(own, own) for within, own in zip(self.within, sequences, strict=True)]
        last = torch.cat([tokens[:, -1:] for tokens in attended], dim=1)  # (batch, 3, width)
        exchanged = self.among(last, last).split(1, dim=1)
        pieces = [part for own, router in zip(attended, exchanged, strict=True) for part in (own[:, :-1], router)]
        out: Tensor = self.post_norm(x, torch.cat(pieces, dim=1))
        return out


@lru_cache
@torch.inference_mode(False)  # what is made in it could not be trained with
def _on_device(device: torch.device) -> dict[tuple[bool, ...], Tensor]:
    """All that can be drawn, (3,) bool each, copied once: a GPU would be waited for at every copy."""
    outcomes = list(product((False, True), repeat=len(PATCHES)))
    return dict(zip(outcomes, torch.tensor(outcomes, device=device), strict=True))


def token_map(patch: int) -> nn.Linear:
    linear = nn.Linear(patch, WIDTH, bias=False)
    nn.init.kaiming_normal_(linear.weight, a=0.01, mode="fan_in", nonlinearity="leaky_relu")
    return linear


LOOK = MethodStyle("#56b4e9", "v", (0, (3, 1, 1, 1, 1, 1)), "----")
ENTRY = MethodEntry(
    "medformer", "Medformer", "attention", trained(Medformer), LOOK, nominal_ms=(115.0, 25.0), paper=True
)
