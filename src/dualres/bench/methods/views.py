"""The network of views as a method among the others: no recipe, no updates, nothing drawn."""

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.judge.backends import Scores, Windows, scores
from dualres.learn.closed_form import fit_views
from dualres.learn.trained.task import Task
from dualres.model.check import check_windows
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.integrity import Arrays


class ViewsMethod(Method):
    name, family, recipe = "dualres/views", "closed form", None

    def learn(self, task: Task) -> "FittedViews":
        begin = time.perf_counter()
        network = fit_views(task.windows, task.labels, task.classes, device=task.device)
        return self._fitted(network, task.seed, time.perf_counter() - begin)

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> "FittedViews":
        network = ViewsNetwork(classes)
        network.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
        return FittedViews(self, classes, seed, cost, [], dict(constants), network.eval())

    def blank(self, classes: int) -> "FittedViews":
        """Of one check window per class, none of them alike."""
        windows = check_windows(2, ViewsNetwork(2).config.window)
        every = np.stack([windows[i % 2] * (i + 1) for i in range(classes)])
        return self.learn(Task(every, np.arange(classes), classes, 0))

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: tuple(tensor.shape) for name, tensor in ViewsNetwork(classes).state_dict().items()}

    def _fitted(self, network: ViewsNetwork, seed: int, seconds: float) -> "FittedViews":
        count = sum(p.numel() for p in network.parameters())
        cost = Cost(count, count, sum(p.nbytes for p in network.parameters()), seconds)
        return FittedViews(self, network.classes, seed, cost, [], {}, network)


@dataclass(frozen=True)
class FittedViews(FittedMethod):
    """A fitted network of views; its scores are probabilities."""

    network: ViewsNetwork

    @property
    def trained(self) -> Collection[str]:
        return {name for name, _ in self.network.named_parameters()}

    @property
    def own_network(self) -> ViewsNetwork:
        return self.network

    def state(self) -> Arrays:
        return {name: tensor.cpu().numpy() for name, tensor in self.network.state_dict().items()}

    def scores(self, windows: Windows) -> Scores:
        return scores(self.network, windows)


NAMED = ViewsMethod.name, "Views", ViewsMethod.family
ENTRY = MethodEntry(*NAMED, lambda *_: ViewsMethod(), nominal_ms=(6.0, 3.0), trains=False, control=True)
