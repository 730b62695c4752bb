"""The network: two views, the memory, a gated residual, the mean over tokens, a linear head."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.model.memory import OscillatoryMemory
from dualres.model.spectra import aligned_spectra


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


class DualRes(nn.Module):
    """The classifier: raw windows at `config.rate` to logits.

    A seed sets PyTorch's global generator before the encoder is built and again before the head is, as
    in the paper. The generator is left in that state: a training that follows continues its draws.
    """

    def __init__(self, classes: int, config: ModelConfig | None = None, seed: int | None = None) -> None:
        super().__init__()
        if classes < 2:
            raise ConfigError(f"classes={classes}: at least two classes are needed to tell apart")
        self.config = config or ModelConfig()
        self.config.check_pass()
        if seed is not None:
            torch.manual_seed(seed)
        self.encoder = Encoder(self.config)
        if seed is not None:
            torch.manual_seed(seed)
        self.head = nn.Linear(self.config.width, classes)
        self.dropout = nn.Dropout(self.config.dropout)

    @property
    def classes(self) -> int:
        return self.head.out_features

    def spectra(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        """The two views of raw windows (batch, window); this part learns nothing."""
        shape, window = tuple(windows.shape), self.config.window
        if windows.ndim != 2 or shape[1] != window:
            raise ConfigError(f"windows of shape {shape} were given; this network takes (batch, {window})")
        return aligned_spectra(windows, self.config)

    def classify(self, short: Tensor, long: Tensor) -> Tensor:
        """The two views to logits, (batch, classes)."""
        logits: Tensor = self.head(self.dropout(self.encoder(short, long)))
        return logits

    def forward(self, windows: Tensor) -> Tensor:
        """Raw windows (batch, window) to logits (batch, classes)."""
        return self.classify(*self.spectra(windows))

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """A value that changes whenever parameters change, unless somebody writes to them through `.data`."""
        return stamp_of(self)

    def parameters_in_spec_order(self) -> Iterator[Tensor]:
        """All tensors in the order of the paper's table of shapes, weight before bias."""
        encoder, memory = self.encoder, self.encoder.memory
        maps = (memory.write_in, memory.damping, memory.write, memory.read)
        for module in (encoder.short, encoder.long, encoder.norm, *maps):
            yield from (module.weight, module.bias)
        yield from (memory.log_rate, memory.pitch)
        for module in (encoder.mix, encoder.gate, self.head):
            yield from (module.weight, module.bias)


def stamp_of(network: nn.Module) -> tuple[tuple[int, int], ...]:
    """A value that changes whenever parameters change, unless somebody writes to them through `.data`."""
    return tuple((p.data_ptr(), 0 if p.is_inference() else p._version) for p in network.parameters())
