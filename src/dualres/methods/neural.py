"""A neural method: a network, which is all that the training and the scoring ask for, and the recipe they all share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
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
from dualres.learn.train import training
from dualres.machinery.cuda_graphs import CapturedForward, full_precision
from dualres.machinery.side_by_side import AT_ONCE, Ended, SideBySide, Steps
from dualres.machinery.spent import Spent
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

    def logits(self, windows: Windows, forward: Callable[..., Tensor] | None = None) -> Floats:
        """The network as it is now, from raw windows (n, window), which may be read-only views, to (n, classes).

        `forward` takes the views and draws to logits as the network itself does, which does it by default.
        """
        device, size = next(self.parameters()).device, self.microbatch
        parts = (torch.from_numpy(np.array(windows[i : i + size])).to(device) for i in range(0, len(windows), size))
        logits = torch.cat([(forward or self)(*self.views(part), *self.draws()) for part in parts])
        return np.asarray(logits.cpu().numpy())


@dataclass(frozen=True)
class Learned:
    """What a fit leaves behind."""

    networks: dict[int, Network]  # as they were after the updates that were asked for, the last one included
    history: list[Step]


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
        """One fit for each task, all on the same device, on a GPU side by side: what `fitted` makes of each."""
        fits: SideBySide[Learned] = SideBySide(tasks[0].device, AT_ONCE if _on_gpu(tasks[0]) else 1)
        for number, task in enumerate(tasks):
            fits.begin(number, task.seed, partial(self.learning, task))
        fitted = {ended.name: self.fitted(tasks[ended.name], ended) for ended in fits.ended()}
        return [fitted[number] for number in range(len(tasks))]

    def learning(self, task: Task) -> Steps[Learned]:
        """A fit in steps, from scratch. Those that follow each other draw from generators that have the task's seed."""
        stages: dict[int, Network] = {}
        network = self.build(task.classes, task.seed).to(task.device)
        check_support(task.windows, task.labels, task.classes, network.window)
        network.learn_constants(torch.from_numpy(task.windows))
        support: TrainingSupport
        if self.recipe.augments:
            support = AugmentedWindows(task, network.views_of_normalised, self.recipe, network.microbatch)
        else:
            views, targets = views_of(network.views, task.windows, task.device), torch.from_numpy(task.labels)
            support = PlainSupport(views, targets.to(task.device), seed=task.seed, microbatch=network.microbatch)
        how: Any = {"draws": network.draws, "keep": keeping(network, task.stages, stages), "progress": task.progress}
        history = yield from training(network, network, support, self.recipe, **how)
        return Learned(stages | {self.recipe.updates: network}, history)

    def fitted(self, task: Task, ended: Ended[Learned]) -> list[FittedNeural]:
        """The network after each of the task's stages, and at last after the last update, each with its share of what
        was spent; what the fit failed of is raised."""
        if isinstance(ended.result, Exception):
            raise ended.result
        networks = ended.result.networks
        cost = cost_of(ended.spent, networks[self.recipe.updates], len(networks))
        return self._fitted(task, networks, ended.result.history, cost)

    def _fitted(
        self, task: Task, networks: Mapping[int, Network], history: list[Step], cost: Cost
    ) -> list[FittedNeural]:
        """What one fit gave, by the number of updates."""
        fitted = []
        for updates, network in networks.items():
            shorter = replace(self, recipe=replace(self.recipe, updates=updates))
            forward = CapturedForward(network) if _on_gpu(task) else None
            its: Any = (task.classes, task.seed, cost, history[:updates], network.constants, network, forward)
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
        return FittedNeural(self, classes, 0, cost_of(Spent(), network), [], network.constants, network)

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
    forward: Callable[..., Tensor] | None = field(
        default=None, repr=False
    )  # what it judges by, in place of the network

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
        return np.asarray(softmax(self.network.logits(windows, self.forward).astype(np.float64), axis=1))


def trained(network: Callable[[int], Network]) -> Callable[[Entry, Recipe | None], NeuralMethod]:
    """How to make a method of a kind of network, given the number of classes: the paper's recipe is its default."""

    def make(entry: Entry, recipe: Recipe | None) -> NeuralMethod:
        return NeuralMethod(entry.name, entry.family, lambda classes, seed: network(classes), recipe or Recipe())

    return make


def _on_gpu(task: Task) -> bool:
    return task.device.startswith("cuda")


def cost_of(spent: Spent, network: Network, stages: int = 1, fits: int = 1) -> Cost:
    """Of one network at one of its stages; its gradients are counted and let go.

    Fits that were done as one share all evenly; a fit's stages share its time, and each needs its memory.
    """
    counted = sizes(network)
    network.zero_grad()
    peak = None if spent.peak_bytes is None else spent.peak_bytes // fits
    return Cost(*counted, spent.seconds / (fits * stages), peak)


def sizes(network: Network) -> tuple[int, int, int]:
    """Parameters, those of them that hold a gradient, and the bytes of parameters and buffers."""
    parameters = list(network.parameters())
    registered = sum(p.numel() for p in parameters)
    active = sum(p.numel() for p in parameters if p.grad is not None)
    return registered, active, sum(t.nbytes for t in (*parameters, *network.buffers()))
