"""DualRes and its controls as methods among the others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from dualres.config import ModelConfig
from dualres.learn.batches import WINDOWS_AT_ONCE
from dualres.learn.fit import fit_networks
from dualres.learn.history import Progress
from dualres.methods.method import Cost, Labels, Windows
from dualres.methods.network import Network
from dualres.methods.neural import FittedNeural, NeuralMethod, sizes
from dualres.model.network import DualRes
from dualres.scorers import Scorer, scorer

CONTROLS = {
    "dualres/short": ModelConfig(branches="short"),
    "dualres/long": ModelConfig(branches="long"),
    "dualres/no-rotation": ModelConfig(rotation=False),
    "dualres/no-jitter": ModelConfig(jitter=0.0),
}
FURTHER_CONTROLS = {  # that the paper does not have
    "dualres/no-memory": ModelConfig(memory=False),
}


class DualResNetwork(Network):
    """DualRes, cut where its learned part begins: the two spectra are its views."""

    microbatch = WINDOWS_AT_ONCE  # no batch statistics, so that larger is only faster

    def __init__(self, model: DualRes) -> None:
        super().__init__()
        self.model = model
        self.window = model.config.window

    def views(self, windows: Tensor) -> tuple[Tensor, Tensor]:
        return self.model.spectra(windows)

    def forward(self, short: Tensor, long: Tensor) -> Tensor:
        return self.model.classify(short, long)

    def scorer(self) -> Scorer:
        return scorer(self.model)

    def parameters_in_spec_order(self) -> Iterator[Tensor]:
        return self.model.parameters_in_spec_order()


@dataclass(frozen=True)
class DualResMethod(NeuralMethod):
    """DualRes with given sizes; on a GPU fits of equal shape can be done all at once."""

    config: ModelConfig = field(default_factory=ModelConfig)

    def fit(
        self,
        windows: Windows,
        labels: Labels,
        classes: int,
        *,
        seed: int = 41,
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> FittedNeural:
        return self.fit_together([windows], [labels], classes, seeds=[seed], device=device, progress=progress)[0]

    def fit_together(
        self,
        supports: Sequence[Windows],
        labels: Sequence[Labels],
        classes: int,
        *,
        seeds: Sequence[int],
        device: str,
        progress: Progress | None = None,
    ) -> list[FittedNeural]:
        """One fit for each support and seed, on a GPU all at once; time and memory are shared out evenly among them."""
        on_gpu = device.startswith("cuda")
        before = torch.cuda.memory_allocated(device) if on_gpu else 0
        if on_gpu:
            torch.cuda.reset_peak_memory_stats(device)
        begin = time.perf_counter()
        fitted = fit_networks(
            supports,
            labels,
            classes,
            seeds=seeds,
            config=self.config,
            recipe=self.recipe,
            device=device,
            progress=progress,
        )
        fit_s = (time.perf_counter() - begin) / len(fitted)
        peak = (torch.cuda.max_memory_allocated(device) - before) // len(fitted) if on_gpu else None
        methods = []
        for one, seed in zip(fitted, seeds, strict=True):
            network = DualResNetwork(one.network)
            cost = Cost(*sizes(network), fit_s, peak)
            network.zero_grad()
            methods.append(FittedNeural(self, network.eval(), classes, seed, cost, one.history))
        return methods
