"""A method in two steps, each a plain function: features of a window, and a classifier of features as arrays."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.bench.methods.neural import WINDOW
from dualres.errors import ConfigError
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import Labels, check_support
from dualres.learn.trained.task import Task
from dualres.model.check import check_windows
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact

AT_ONCE = 64  # windows whose features are in memory together


class FeatureMethod(Method):
    """A function of the support and the seed. Where it asks for the speed, its features know the shaft's rate."""

    recipe = None

    def __init__(self, entry: MethodEntry, *, asks_for_speed: bool = False) -> None:
        self.name, self.family, self.asks_for_speed = entry.name, entry.family, asks_for_speed

    @abstractmethod
    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        """Of raw windows (n, window) of shafts at `hz` (n,): (n, features)."""

    @abstractmethod
    def classifier(self, features: Exact, labels: Labels, classes: int, seed: int) -> Arrays:
        """What is learned of the features of the support."""

    @abstractmethod
    def decide(self, learned: Arrays, features: Exact, classes: int) -> Scores:
        """Probabilities of every class, (n, classes)."""

    def counted(self, learned: Arrays) -> Collection[str]:
        """Names of the arrays that the number of parameters counts."""
        return set(learned)

    def learn(self, task: Task) -> FittedFeatures:
        check_support(task.windows, task.labels, task.classes, WINDOW)
        begin = time.perf_counter()
        found = self._in_parts(task.windows, task.hz)
        learned = self.classifier(found, task.labels, task.classes, task.seed)
        return self._fitted(learned, task.classes, task.seed, time.perf_counter() - begin)

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedFeatures:
        fitted = FittedFeatures(self, classes, seed, cost, [], dict(constants), dict(state))
        fitted.scores(check_windows(1, WINDOW))  # an error where the arrays do not fit each other
        return fitted

    def blank(self, classes: int) -> FittedFeatures:
        """Of two check windows per class, none of them alike."""
        labels = np.arange(2 * classes) // 2
        windows = check_windows(2, WINDOW)[np.arange(2 * classes) % 2] * (1 + labels[:, None].astype(np.float32))
        return self.learn(Task(windows, labels, classes, 0))

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: array.shape for name, array in self.blank(classes).learned.items()}

    def scored(self, learned: Arrays, windows: Windows, hz: Exact | None, classes: int) -> Scores:
        if windows.ndim != 2 or windows.shape[1] != WINDOW:
            raise ConfigError(f"windows have shape {windows.shape}; (n, {WINDOW}) is needed")
        if not len(windows):
            return np.empty((0, classes))
        return self.decide(learned, self._in_parts(windows, hz), classes)

    def _in_parts(self, windows: Windows, hz: Exact | None) -> Exact:
        told = hz if self.asks_for_speed else None
        starts = range(0, len(windows), AT_ONCE)
        parts = [(windows[i : i + AT_ONCE], None if told is None else told[i : i + AT_ONCE]) for i in starts]
        return np.concatenate([self.features(*part) for part in parts])

    def _fitted(self, learned: Arrays, classes: int, seed: int, seconds: float) -> FittedFeatures:
        count = sum(learned[name].size for name in self.counted(learned))
        cost = Cost(count, count, sum(array.nbytes for array in learned.values()), seconds)
        return FittedFeatures(self, classes, seed, cost, [], {}, learned)


@dataclass(frozen=True)
class FittedFeatures(FittedMethod):
    """What the classifier learned."""

    method: FeatureMethod
    learned: Arrays

    @property
    def asks_for_speed(self) -> bool:
        return self.method.asks_for_speed

    @property
    def trained(self) -> Collection[str]:
        return self.method.counted(self.learned)

    def state(self) -> Arrays:
        return self.learned

    def scores(self, windows: Windows, hz: Exact | None = None) -> Scores:
        return self.method.scored(self.learned, windows, hz, self.classes)
