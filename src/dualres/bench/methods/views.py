"""Networks that are fitted in closed form as methods among the others: no recipe, no updates, nothing drawn."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.judge.backends import Scores, Windows, scores
from dualres.learn.closed_form import fit_order_tasks, fit_tasks
from dualres.learn.trained.task import Task
from dualres.model.check import check_windows
from dualres.model.torch_network import TorchNetwork
from dualres.model.views.network import ViewsNetwork
from dualres.model.views.order_network import OrdersNetwork
from dualres.model_file.integrity import Arrays

FAMILY = "closed form"
Build = Callable[[int], TorchNetwork]  # for a number of classes
Fit = Callable[..., list[Any]]  # of tasks, as kinds of networks have it


class ClosedFormMethod(Method):
    """A network that is fitted in closed form, by its name and class and by how it is fitted."""

    family, recipe = FAMILY, None

    def __init__(self, name: str, network: Build, fit: Fit, *, knows_speeds: bool = True) -> None:
        self.name, self._network, self._fit, self._knows_speeds = name, network, fit, knows_speeds

    def learn(self, task: Task) -> "FittedViews":
        begin = time.perf_counter()
        given = task if self._knows_speeds else replace(task, hz=None)
        network = self._fit([given], self._network(2).config, None)[0].network
        return self._fitted(network, task.seed, time.perf_counter() - begin)

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> "FittedViews":
        network = self._network(classes)
        network.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
        return FittedViews(self, classes, seed, cost, [], dict(constants), network.eval())

    def blank(self, classes: int) -> "FittedViews":
        """Of one check window per class, none of them alike."""
        windows = check_windows(2, self._network(2).config.window)
        every = np.stack([windows[i % 2] * (i + 1) for i in range(classes)])
        return self.learn(Task(every, np.arange(classes), classes, 0))

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: tuple(tensor.shape) for name, tensor in self._network(classes).state_dict().items()}

    def _fitted(self, network: TorchNetwork, seed: int, seconds: float) -> "FittedViews":
        count = sum(p.numel() for p in network.parameters())
        cost = Cost(count, count, sum(p.nbytes for p in network.parameters()), seconds)
        return FittedViews(self, network.classes, seed, cost, [], {}, network)


@dataclass(frozen=True)
class FittedViews(FittedMethod):
    """A fitted network; its scores are probabilities."""

    network: TorchNetwork

    @property
    def trained(self) -> Collection[str]:
        return {name for name, _ in self.network.named_parameters()}

    @property
    def own_network(self) -> TorchNetwork:
        return self.network

    def state(self) -> Arrays:
        return {name: tensor.cpu().numpy() for name, tensor in self.network.state_dict().items()}

    def scores(self, windows: Windows) -> Scores:
        return scores(self.network, windows)


def _entry(name: str, title: str, network: Build, fit: Fit, *, knows_speeds: bool = True) -> MethodEntry:
    def make(*_: object) -> Method:
        return ClosedFormMethod(name, network, fit, knows_speeds=knows_speeds)

    return MethodEntry(name, title, FAMILY, make, nominal_ms=(6.0, 3.0), trains=False, control=True)


ENTRIES = (
    _entry("dualres/views", "Views", ViewsNetwork, fit_tasks),
    _entry("dualres/orders", "Orders", OrdersNetwork, fit_order_tasks),
    _entry("dualres/orders-no-speed", "Orders, no speed", OrdersNetwork, fit_order_tasks, knows_speeds=False),
)
