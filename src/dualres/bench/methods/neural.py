"""A neural method: a network, which is all that the training and the scoring ask for, and the recipe they all share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from scipy.special import softmax
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.bench.methods.resources import Spent, measured
from dualres.config import Recipe
from dualres.judge.backends import Scores, Windows
from dualres.kernel.gpu.cuda_graphs import CapturedForward, full_precision
from dualres.learn.support import check_support, views_of
from dualres.learn.trained.augment.supports import AugmentedWindows
from dualres.learn.trained.task import Step, Task, in_turn, keeping
from dualres.learn.trained.train import PlainSupport, TrainingSupport, seeded, train
from dualres.model.check import check_window
from dualres.model.spectra import normalise
from dualres.model.torch_network import TorchNetwork
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Floats

WINDOW = 32_768  # samples; the comparators' shapes, and with them their parameter counts, hold for this length
WINDOWS_AT_ONCE = 96  # at most, on a GPU, which a microbatch would leave idle
# Of its memory for each of them. Four processes share a GPU; MambaSL takes 84 MB for a window that it learns from. By a
# count of its tensors it then keeps half of that for one that it judges, and does so for each axis.
GPU_BYTES = 800 << 20


class Network(nn.Module):
    """A classifier of raw windows in two stages.

    `views` is what no gradient passes through, computed once per fit; `forward` takes the views, and after them
    the draws of the moment, to logits (batch, classes). Tensors are registered in the specification's order.
    """

    own_network: TorchNetwork | None = None  # of a kind that the package knows, where this is only its shell
    microbatch = 4  # windows; batch statistics and draws are per microbatch
    joins = False  # whether windows of several microbatches may pass at once, each as it does with its own microbatch
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

    def draws(self, windows: int) -> tuple[Tensor, ...]:
        """Random choices outside of PyTorch's generator for a pass of so many windows, (microbatches, ...) each."""
        return ()

    def at_once(self, device: torch.device) -> int:
        """How many windows pass together; on a CPU caches hold few. The same kind of GPU always takes as many."""
        if not self.joins or device.type != "cuda":
            return self.microbatch
        memory = torch.cuda.get_device_properties(device).total_memory
        microbatches = min(WINDOWS_AT_ONCE, memory // GPU_BYTES) // self.microbatch
        return max(1, microbatches) * self.microbatch

    def logits(self, windows: Windows, forward: Callable[..., Tensor] | None = None) -> Floats:
        """The network as it is now, from raw windows (n, window), which may be read-only views, to (n, classes).

        `forward` takes the views and draws to logits as the network itself does, which does it by default.
        """
        device = next(self.parameters()).device
        size = self.at_once(device)
        parts = (torch.from_numpy(np.array(windows[i : i + size])).to(device) for i in range(0, len(windows), size))
        logits = torch.cat([(forward or self)(*self.views(part), *self.draws(len(part))) for part in parts])
        return np.asarray(logits.cpu().numpy())


# From the number of classes and a seed, if the network sets its own.
NetworkBuilder = Callable[[int, int | None], Network]


@dataclass(frozen=True)
class NeuralMethod(Method):
    """A kind of network, trained by the shared recipe."""

    name: str
    family: str
    build: NetworkBuilder = field(repr=False)
    recipe: Recipe = field(default_factory=Recipe)

    def learn(self, task: Task) -> FittedNeural:
        """Train from scratch; the weights after the last update are the result."""
        return self.learn_together([task])[0][-1]

    def learn_together(self, tasks: Sequence[Task]) -> list[list[FittedNeural]]:
        """One fit for each task: the network after each of its stages, and at last after the last update.

        What several share is shared out evenly in their costs: the time of a fit among its stages, and where tasks are
        fitted at once, time and memory among them.
        """
        return [self._learn_stages(task) for task in in_turn(tasks)]

    def _learn_stages(self, task: Task) -> list[FittedNeural]:
        stages: dict[int, Network] = {}
        with measured(task.device) as spent, seeded(task.seed), full_precision():
            network = self.build(task.classes, task.seed).to(task.device)
            check_support(task.windows, task.labels, task.classes, network.window)
            network.learn_constants(torch.from_numpy(task.windows))
            support, keep = self._support(network, task), keeping(network, task.stages, stages)
            history = train(
                network, network, support, self.recipe, draws=network.draws, keep=keep, progress=task.progress
            )
        cost = cost_of(spent, network, len(stages) + 1)
        return self._fitted(task, stages | {self.recipe.updates: network}, history, cost)

    def _support(self, network: Network, task: Task) -> TrainingSupport:
        at_once = network.at_once(torch.device(task.device))
        if self.recipe.augments:
            return AugmentedWindows(task, network.views_of_normalised, self.recipe, at_once)
        views, targets = views_of(network.views, task.windows, task.device), torch.from_numpy(task.labels)
        return PlainSupport(views, targets.to(task.device), seed=task.seed, microbatch=at_once)

    def _fitted(
        self, task: Task, networks: Mapping[int, Network], history: list[Step], cost: Cost
    ) -> list[FittedNeural]:
        """What one fit gave, by the number of updates."""
        fitted = []
        for updates, network in networks.items():
            shorter = replace(self, recipe=replace(self.recipe, updates=updates))
            forward = CapturedForward(network) if task.device.startswith("cuda") else None
            known = history[:updates], network.constants
            fitted.append(FittedNeural(shorter, task.classes, task.seed, cost, *known, network, forward))
        return fitted

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedNeural:
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
            cross_entropy(network(*network.views(windows), *network.draws(2)), torch.tensor([0, 1])).backward()
        return FittedNeural(self, classes, 0, cost_of(Spent(), network), [], network.constants, network)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: tuple(tensor.shape) for name, tensor in self._outline(classes).state_dict().items()}

    def _outline(self, classes: int) -> Network:
        """The network's shapes without their content, which cost nothing."""
        with torch.device("meta"):
            return self.build(classes, None)


@dataclass(frozen=True)
class FittedNeural(FittedMethod):
    """A trained network; its scores are probabilities."""

    network: Network
    forward: Callable[..., Tensor] | None = field(default=None, repr=False)  # judges in place of the network

    @property
    def trained(self) -> Collection[str]:
        return {name for name, _ in self.network.named_parameters()}

    @property
    def own_network(self) -> TorchNetwork | None:
        return self.network.own_network

    def state(self) -> Arrays:
        return {name: t.detach().cpu().numpy() for name, t in self.network.state_dict().items()}

    @torch.inference_mode()
    @full_precision()
    def scores(self, windows: Windows) -> Scores:
        if not len(windows):
            return np.empty((0, self.classes))
        return np.asarray(softmax(self.network.logits(windows, self.forward).astype(np.float64), axis=1))


def trained(network: Callable[[int], Network]) -> Callable[[MethodEntry, Recipe | None], NeuralMethod]:
    """How to make a method of a kind of network, given the number of classes: the paper's recipe is its default."""

    def make(entry: MethodEntry, recipe: Recipe | None) -> NeuralMethod:
        return NeuralMethod(entry.name, entry.family, lambda classes, seed: network(classes), recipe or Recipe())

    return make


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
