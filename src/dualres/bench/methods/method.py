"""What every method is to the benchmark: something that learns from labelled windows and then scores others."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dualres.config import Recipe
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels
from dualres.learn.trained.task import OnStep, Step, Task, by_step
from dualres.model.torch_network import TorchNetwork
from dualres.model_file.integrity import Arrays

Constants = Mapping[str, float]


@dataclass(frozen=True)
class Cost:
    """What a fitted method weighs, and what its fit took."""

    registered: int  # parameters it holds
    active: int  # parameters that received a gradient
    state_bytes: int  # of parameters and buffers
    fit_s: float  # from raw windows in memory to the trained method; an even share where fits were done together
    peak_bytes: int | None = None  # most memory allocated on the GPU during the fit, likewise; None on a CPU


@dataclass(frozen=True)
class FittedMethod(ABC):
    """A method after its fit. It holds nothing of the support but what it learned."""

    method: "Method"
    classes: int
    seed: int
    cost: Cost
    history: list[Step]  # every update of an iterative fit; empty for others, and after loading
    constants: Constants  # numbers that belong to the state but are no tensors

    @property
    @abstractmethod
    def trained(self) -> Collection[str]:
        """What of the state the number of parameters counts, by name; the rest was taken from the support or fixed."""

    @property
    def own_network(self) -> TorchNetwork | None:
        """The network, where it is of a kind that the package knows; None for a comparator."""
        return None

    @abstractmethod
    def state(self) -> Arrays:
        """Everything that was learned, by name."""

    @abstractmethod
    def scores(self, windows: Windows) -> Scores:
        """One score per class for raw windows (n, window): (n, classes). The caller averages them per recording.

        Windows may be read-only views into one signal.
        """


class Method(ABC):
    """One way to learn, with its settings."""

    name: str
    family: str
    recipe: Recipe | None  # how it is trained; None where there is nothing to choose

    def fit(
        self,
        windows: Windows,
        labels: Labels,
        classes: int,
        *,
        seed: int = 41,
        device: str = "cpu",
        progress: OnStep | None = None,
    ) -> FittedMethod:
        """Learn from raw windows (n, window) at 64 kHz with labels 0 .. classes - 1."""
        return self.learn(Task(windows, labels, classes, seed, device, by_step(progress)))

    @abstractmethod
    def learn(self, task: Task) -> FittedMethod:
        """A function of the task."""

    @abstractmethod
    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedMethod:
        """A fitted method from what its `state` and `constants` gave; ValueError or RuntimeError if it is
        not one of this method's."""

    @abstractmethod
    def blank(self, classes: int) -> FittedMethod:
        """One that has learned nothing worth asking for, but weighs what a fitted one weighs."""

    @abstractmethod
    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        """The shapes of everything in `FittedMethod.state`."""
