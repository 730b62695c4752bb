"""DualRes and its controls as methods among the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from dualres.config import ModelConfig, Recipe
from dualres.learn.batches import MICROBATCH
from dualres.learn.fit import fit_networks
from dualres.learn.history import OnStep
from dualres.methods.catalogue import Entry, Look
from dualres.methods.method import Labels, Task, Windows
from dualres.methods.network import Network
from dualres.methods.neural import FittedNeural, NeuralMethod, measured_cost
from dualres.model.network import DualRes
from dualres.scorers import Scorer, scorer


class DualResNetwork(Network):
    """DualRes, cut where its learned part begins: the two spectra are its views."""

    microbatch = MICROBATCH  # no batch statistics, so that larger is only faster

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

    def learn(self, task: Task) -> FittedNeural:
        how: Any = {"seeds": [task.seed], "device": task.device, "progress": task.progress}
        return self.fit_together([task.windows], [task.labels], task.classes, **how)[0]

    def fit_together(
        self,
        supports: Sequence[Windows],
        labels: Sequence[Labels],
        classes: int,
        *,
        seeds: Sequence[int],
        device: str,
        progress: OnStep | None = None,
    ) -> list[FittedNeural]:
        """One fit for each support and seed, on a GPU all at once; time and memory are shared out evenly among them."""
        how: Any = {"config": self.config, "recipe": self.recipe, "device": device, "progress": progress}
        with measured_cost(device) as spent:
            fitted = fit_networks(supports, labels, classes, seeds=seeds, **how)
        methods = []
        for one, seed in zip(fitted, seeds, strict=True):
            network = DualResNetwork(one.network)
            cost = spent.cost(network, shared_by=len(fitted))
            methods.append(FittedNeural(self, network.eval(), classes, seed, cost, one.history))
        return methods


def _entry(name: str, title: str, config: ModelConfig, *, control: bool = True, paper: bool = True) -> Entry:
    def make(entry: Entry, recipe: Recipe | None) -> DualResMethod:
        def build(classes: int, seed: int | None) -> DualResNetwork:
            return DualResNetwork(DualRes(classes, config, seed))

        return DualResMethod(entry.name, entry.family, build, recipe or Recipe(), config)

    look = Look() if control else Look("#14566f", "o", "-", "")
    return Entry(name, title, "state space", make, look, (1.1, 0.6), fits_together=True, control=control, paper=paper)


ENTRY = _entry("dualres", "DualRes", ModelConfig(), control=False)
CONTROLS = (
    _entry("dualres/short", "Short only", ModelConfig(branches="short")),
    _entry("dualres/long", "Long only", ModelConfig(branches="long")),
    _entry("dualres/no-rotation", "No rotation", ModelConfig(rotation=False)),
    _entry("dualres/no-jitter", "No jitter", ModelConfig(jitter=0.0)),
    _entry("dualres/no-memory", "No memory", ModelConfig(memory=False), paper=False),
)
