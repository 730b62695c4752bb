"""A neural method: a network, which is all that the training and the scoring ask for, and the recipe they all share."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from scipy.special import softmax
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.config import Recipe
from dualres.kernel.pack import Floats
from dualres.learn.augment.supports import AugmentedWindows
from dualres.learn.batches import PlainSupport, TrainingSupport, check_support, views_of
from dualres.learn.history import Step, Task, keeping
from dualres.learn.train import train
from dualres.machinery.cuda_graphs import full_precision
from dualres.machinery.seeding import seeded
from dualres.methods.catalogue import Entry
from dualres.methods.method import Arrays, Constants, Cost, Fitted, Method
from dualres.model.check import check_window
from dualres.model.spectra import normalise
from dualres.scorers import Scores, Windows

WINDOW = 32_768  # samples; the comparators' shapes, and with them their parameter counts, hold for this length


class Network(nn.Module):
    """A classifier of raw windows in two stages.

    `views` is what no gradient passes through, computed once per fit; `forward` takes the views, and after them
    the draws of the moment, to logits (batch, classes). Tensors are registered in the specification's order.
    """

    microbatch = 4  # windows; batch statistics and draws are per microbatch
    window = WINDOW

    def __init__(self) -> None:
        super().__init__()
        self.constants: dict[str, float] = {}  # of the views; learned from the support, stored beside the weights

    def learn_constants(self, windows: Tensor) -> None:
        """Take from the support (n, window) what the views need to know; most need nothing."""

    def views(self, windows: Tensor) -> tuple[Tensor, ...]:
        """What `forward` takes, from raw windows (batch, window), batch first."""
        return self.views_of_normalised(normalise(windows))

    def views_of_normalised(self, windows: Tensor) -> tuple[Tensor, ...]:
        """The same from windows that were normalised, and perhaps filtered and blended since."""
        return (windows,)

    def draws(self) -> tuple[Tensor, ...]:
        """Random choices made once per forward pass, outside of PyTorch's generator; most make none."""
        return ()

    def logits(self, windows: Windows) -> Floats:
        """The network as it is now, from raw windows (n, window), which may be read-only views, to (n, classes)."""
        device, size = next(self.parameters()).device, self.microbatch
        parts = (torch.from_numpy(np.array(windows[i : i + size])).to(device) for i in range(0, len(windows), size))
        return np.concatenate([self(*self.views(part), *self.draws()).cpu().numpy() for part in parts])


Build = Callable[[int, int | None], Network]  # from the number of classes and a seed, if the network sets its own


@dataclass(frozen=True)
class NeuralMethod(Method):
    """A kind of network, trained by the shared recipe."""

    name: str
    family: str
    build: Build = field(repr=False)
    recipe: Recipe = field(default_factory=Recipe)

    def learn(self, task: Task) -> FittedNeural:
        """Train from scratch; the weights after the last update are the result."""
        return self.learn_together([task])[0][-1]

    def learn_together(self, tasks: Sequence[Task]) -> list[list[FittedNeural]]:
        """One fit for each task: the network after each of its stages, and at last after the last update.

        What several share is shared out evenly in their costs: the time of a fit among its stages, and where tasks are
        fitted at once, time and memory among them.
        """
        return [self._learn_stages(task) for task in tasks]

    def _learn_stages(self, task: Task) -> list[FittedNeural]:
        stages: dict[int, Network] = {}
        with measured_cost(task.device) as spent, seeded(task.seed), full_precision():
            network = self.build(task.classes, task.seed).to(task.device)
            check_support(task.windows, task.labels, task.classes, network.window)
            network.learn_constants(torch.from_numpy(task.windows))
            support: TrainingSupport
            if self.recipe.augments:
                support = AugmentedWindows(task, network.views_of_normalised, self.recipe, network.microbatch)
            else:
                views, targets = views_of(network.views, task.windows, task.device), torch.from_numpy(task.labels)
                support = PlainSupport(views, targets.to(task.device), seed=task.seed, microbatch=network.microbatch)
            how: Any = {"draws": network.draws, "progress": keeping(network, task, stages)}
            history = train(network, network, support, self.recipe, **how)
        cost = spent.cost(network, len(stages) + 1)
        return self._fitted(task, stages | {self.recipe.updates: network}, history, cost)

    def _fitted(
        self, task: Task, networks: Mapping[int, Network], history: list[Step], cost: Cost
    ) -> list[FittedNeural]:
        """What one fit gave, by the number of updates."""
        fitted = []
        for updates, network in networks.items():
            shorter = replace(self, recipe=replace(self.recipe, updates=updates))
            its: Any = (task.classes, task.seed, cost, history[:updates], network.constants, network)
            fitted.append(FittedNeural(shorter, *its))
        return fitted

    def restore(self, state: Arrays, constants: Constants, classes: int, seed: int, cost: Cost) -> FittedNeural:
        """The network with the given weights, on the CPU."""
        network = self._outline(classes)
        network.load_state_dict({name: torch.tensor(a) for name, a in state.items()}, assign=True)
        network.constants = dict(constants)
        return FittedNeural(self, classes, seed, cost, [], network.constants, network.eval())

    def blank(self, classes: int) -> FittedNeural:
        """After one gradient from two windows, which tells the parameters that take part from those that do not."""
        with torch.random.fork_rng():
            network = self.build(classes, None).train()
            windows = torch.from_numpy(np.stack([check_window(i, network.window) for i in (0, 1)]))
            network.learn_constants(windows)
            cross_entropy(network(*network.views(windows), *network.draws()), torch.tensor([0, 1])).backward()
        return FittedNeural(self, classes, 0, Spent().cost(network), [], network.constants, network)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: tuple(tensor.shape) for name, tensor in self._outline(classes).state_dict().items()}

    def _outline(self, classes: int) -> Network:
        """The network's shapes without their content, which cost nothing."""
        with torch.device("meta"):
            return self.build(classes, None)


@dataclass(frozen=True)
class FittedNeural(Fitted):
    """A trained network; its scores are probabilities."""

    network: Network

    @property
    def trained(self) -> Collection[str]:
        return {name for name, _ in self.network.named_parameters()}

    def state(self) -> Arrays:
        return {name: t.detach().cpu().numpy() for name, t in self.network.state_dict().items()}

    @torch.inference_mode()
    @full_precision()
    def scores(self, windows: Windows) -> Scores:
        if not len(windows):
            return np.empty((0, self.classes))
        return np.asarray(softmax(self.network.logits(windows).astype(np.float64), axis=1))


def trained(network: Callable[[int], Network]) -> Callable[[Entry, Recipe | None], NeuralMethod]:
    """How to make a method of a kind of network, given the number of classes: the paper's recipe is its default."""

    def make(entry: Entry, recipe: Recipe | None) -> NeuralMethod:
        return NeuralMethod(entry.name, entry.family, lambda classes, seed: network(classes), recipe or Recipe())

    return make


@dataclass
class Spent:
    """What fits took that were done together."""

    seconds: float = 0.0
    peak_bytes: int | None = None  # most memory allocated on the GPU beyond what had been before; None on a CPU

    def cost(self, network: Network, stages: int = 1, fits: int = 1) -> Cost:
        """Of one network at one of its stages; its gradients are counted and let go.

        Fits that were done together share all evenly; a fit's stages share its time, and each needs its memory.
        """
        counted = sizes(network)
        network.zero_grad()
        peak = None if self.peak_bytes is None else self.peak_bytes // fits
        return Cost(*counted, self.seconds / (fits * stages), peak)


@contextmanager
def measured_cost(device: str) -> Iterator[Spent]:
    """What is done within it; known when it is over."""
    on_gpu, spent = device.startswith("cuda"), Spent()
    before = torch.cuda.memory_allocated(device) if on_gpu else 0
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(device)
    begin = time.perf_counter()
    yield spent
    spent.seconds = time.perf_counter() - begin
    spent.peak_bytes = torch.cuda.max_memory_allocated(device) - before if on_gpu else None


def sizes(network: Network) -> tuple[int, int, int]:
    """Parameters, those of them that hold a gradient, and the bytes of parameters and buffers."""
    parameters = list(network.parameters())
    registered = sum(p.numel() for p in parameters)
    active = sum(p.numel() for p in parameters if p.grad is not None)
    return registered, active, sum(t.nbytes for t in (*parameters, *network.buffers()))
