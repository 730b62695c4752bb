"""DualRes and its controls as methods among the others."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from dualres.config import ModelConfig
from dualres.fit import WINDOWS_AT_ONCE
from dualres.kernel.score import Kernel
from dualres.methods.network import Network
from dualres.model.network import DualRes

CONTROLS = {
    "dualres/short": ModelConfig(branches="short"),
    "dualres/long": ModelConfig(branches="long"),
    "dualres/no-rotation": ModelConfig(rotation=False),
    "dualres/no-jitter": ModelConfig(jitter=0.0),
}


class DualResNetwork(Network):
    """DualRes, cut where its learned part begins: the two spectra are its views."""

    microbatch = WINDOWS_AT_ONCE  # no batch statistics, so that larger is only faster

    def __init__(self, classes: int, config: ModelConfig | None = None, seed: int | None = None) -> None:
        super().__init__()
        self.model = DualRes(classes, config, seed)
        self.window = self.model.config.window

    def views(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        return self.model.spectra(windows)

    def forward(self, short: Tensor, long: Tensor) -> Tensor:
        return self.model.classify(short, long)

    def kernel(self) -> Kernel | None:
        return Kernel.of(self.model)

    def parameters_in_spec_order(self) -> Iterator[Tensor]:
        return self.model.parameters_in_spec_order()
