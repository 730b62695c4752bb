"""The network: two views, the memory, a gated residual, the mean over tokens, a linear head."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from dualres.config import ModelConfig
from dualres.model.kinds import PAPER
from dualres.model.memory import OscillatoryMemory
from dualres.model.spectra import aligned_spectra
from dualres.model.torch_network import TorchNetwork


class Encoder(nn.Module):
    """Everything up to the mean over tokens; 39,528 parameters at the paper's sizes."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.short = nn.Linear(config.short_bins, config.width // 2)
        self.long = nn.Linear(config.long_bins, config.width // 2)
        self.norm = nn.LayerNorm(config.width)
        self.memory = OscillatoryMemory(config)
        self.mix = nn.Linear(config.width, config.width)
        self.gate = nn.Linear(config.width, config.width)
        self.short.requires_grad_(config.branches != "long")
        self.long.requires_grad_(config.branches != "short")
        if not config.memory:  # the maps into it and out of it have nothing to learn
            for unused in (*self.norm.parameters(), *self.memory.parameters(), self.mix.weight, self.gate.weight):
                unused.requires_grad_(False)

    def features(self, short: Tensor, long: Tensor) -> Tensor:
        """Both views projected and put side by side, (batch, tokens, width); a removed branch is zero."""
        from_short, from_long = self.short(short), self.long(long)
        if self.config.branches == "short":
            from_long = torch.zeros_like(from_long)
        elif self.config.branches == "long":
            from_short = torch.zeros_like(from_short)
        return torch.cat([from_short, from_long], dim=-1)

    def forward(self, short: Tensor, long: Tensor) -> Tensor:
        """Aligned log-magnitudes to one vector per window, (batch, width)."""
        features = self.features(short, long)
        y = self.memory(self.norm(features))[0] if self.config.memory else self.memory.silence(features)
        out: Tensor = features + self.mix(y) * silu(self.gate(y))
        return out.mean(1)


class DualRes(TorchNetwork):
    """The classifier: raw windows at `config.rate` to logits.

    A seed sets PyTorch's global generator before the encoder is built and again before the head is, as
    in the paper. The generator is left in that state: a training that follows continues its draws.
    """

    kind = PAPER.method

    def __init__(self, classes: int, config: ModelConfig | None = None, seed: int | None = None) -> None:
        super().__init__(classes, config)
        if seed is not None:
            torch.manual_seed(seed)
        self.encoder = Encoder(self.config)
        if seed is not None:
            torch.manual_seed(seed)
        self.head = nn.Linear(self.config.width, classes)
        self.dropout = nn.Dropout(self.config.dropout)

    def spectra(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """The two views of raw windows (batch, window); this part learns nothing."""
        self.check_windows(windows)
        return aligned_spectra(windows, self.config)

    def classify(self, short: Tensor, long: Tensor) -> Tensor:
        """The two views to logits, (batch, classes)."""
        logits: Tensor = self.head(self.dropout(self.encoder(short, long)))
        return logits

    def forward(self, windows: Tensor) -> Tensor:
        """Raw windows (batch, window) to logits (batch, classes)."""
        return self.classify(*self.spectra(windows))

    def parameters_in_spec_order(self) -> Iterator[Tensor]:
        """All tensors in the order of the paper's table of shapes, weight before bias."""
        encoder, memory = self.encoder, self.encoder.memory
        maps = (memory.write_in, memory.damping, memory.write, memory.read)
        for module in (encoder.short, encoder.long, encoder.norm, *maps):
            yield from (module.weight, module.bias)
        yield from (memory.log_rate, memory.pitch)
        for module in (encoder.mix, encoder.gate, self.head):
            yield from (module.weight, module.bias)
