"""What the kinds of networks have in common in PyTorch."""

from typing import ClassVar

from torch import Tensor, nn

from dualres.config import LARGEST_SIZE, ModelConfig
from dualres.errors import ConfigError


class TorchNetwork(nn.Module):
    """A classifier of raw windows (batch, window) at `config.rate`, (batch, classes)."""

    kind: ClassVar[str]  # what cards call it

    def __init__(self, classes: int, config: ModelConfig | None, most_tokens: int = LARGEST_SIZE) -> None:
        super().__init__()
        if classes < 2:
            raise ConfigError(f"classes={classes}: at least two classes are needed to tell apart")
        self.config, self.classes = config or ModelConfig(), classes
        self.config.check_pass(most_tokens)

    def check_windows(self, windows: Tensor) -> None:
        """An error for what are no raw windows (batch, window)."""
        shape, window = tuple(windows.shape), self.config.window
        if windows.ndim != 2 or shape[1] != window:
            raise ConfigError(f"windows of shape {shape} were given; this network takes (batch, {window})")

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """A value that changes whenever parameters change, unless somebody writes to them through `.data`."""
        return tuple((p.data_ptr(), 0 if p.is_inference() else p._version) for p in self.parameters())
