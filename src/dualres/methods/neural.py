"""A neural method: a network, and the recipe they all share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from scipy.special import softmax

from dualres.config import Recipe
from dualres.learn.augment.windows import AugmentedWindows
from dualres.learn.batches import PlainSupport, TrainingSupport, check_support, views_of
from dualres.learn.history import Progress, Step
from dualres.learn.train import train
from dualres.machinery.cuda_graphs import full_precision
from dualres.machinery.seeding import seeded
from dualres.methods.method import Arrays, Cost, Labels, Scores, Windows
from dualres.methods.network import Network

Build = Callable[[int, int | None], Network]  # from the number of classes and a seed, if the network sets its own


@dataclass(frozen=True)
class NeuralMethod:
    """A kind of network, trained by the shared recipe."""

    name: str
    family: str
    build: Build = field(repr=False)
    recipe: Recipe = field(default_factory=Recipe)

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
        """Train from scratch; the weights after the last update are the result."""
        on_gpu = device.startswith("cuda")
        before = torch.cuda.memory_allocated(device) if on_gpu else 0
        if on_gpu:
            torch.cuda.reset_peak_memory_stats(device)
        begin = time.perf_counter()
        with seeded(seed), full_precision():
            network = self.build(classes, seed).to(device)
            check_support(windows, labels, classes, network.window)
            network.learn_constants(torch.from_numpy(windows))
            support = self._support(network, windows, labels, classes, seed, device)
            history = train(network, network, support, self.recipe, draws=network.draws, progress=progress)
            fit_s = time.perf_counter() - begin
        peak = torch.cuda.max_memory_allocated(device) - before if on_gpu else None
        cost = Cost(*sizes(network), fit_s, peak)
        network.zero_grad()
        return FittedNeural(self, network, classes, seed, cost, history)

    def _support(
        self, network: Network, windows: Windows, labels: Labels, classes: int, seed: int, device: str
    ) -> TrainingSupport:
        """As the recipe shows it."""
        if self.recipe.augments:
            views, size = network.views_of_normalised, network.microbatch
            return AugmentedWindows(
                windows, labels, classes, views, self.recipe, seed=seed, microbatch=size, device=device
            )
        targets = torch.from_numpy(labels).to(device)
        inputs = views_of(network.views, windows, device)
        return PlainSupport(inputs, targets, seed=seed, microbatch=network.microbatch)

    def restore(
        self, state: Arrays, constants: Mapping[str, float], classes: int, seed: int, cost: Cost
    ) -> FittedNeural:
        """The network with the given weights, on the CPU."""
        with torch.device("meta"):  # it costs nothing until its shapes have been compared
            network = self.build(classes, None)
        network.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in state.items()}, assign=True)
        network.constants = dict(constants)
        return FittedNeural(self, network.eval(), classes, seed, cost, [])


@dataclass(frozen=True)
class FittedNeural:
    """A trained network; its scores are probabilities."""

    method: NeuralMethod
    network: Network
    classes: int
    seed: int
    cost: Cost
    history: list[Step]

    @property
    def constants(self) -> Mapping[str, float]:
        return self.network.constants

    def state(self) -> Arrays:
        return {name: t.detach().cpu().numpy() for name, t in self.network.state_dict().items()}

    @torch.inference_mode()
    @full_precision()
    def scores(self, windows: Windows) -> Scores:
        if not len(windows):
            return np.empty((0, self.classes))
        logits = self.network.scorer()(windows)
        return np.asarray(softmax(logits.astype(np.float64), axis=1))


def sizes(network: Network) -> tuple[int, int, int]:
    """Parameters, those of them that hold a gradient, and the bytes of parameters and buffers."""
    parameters = list(network.parameters())
    registered = sum(p.numel() for p in parameters)
    active = sum(p.numel() for p in parameters if p.grad is not None)
    return registered, active, sum(t.nbytes for t in (*parameters, *network.buffers()))
