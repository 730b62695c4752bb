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
RATE = "native_rate"  # the constant that holds it


class FeatureMethod(Method):
    """A function of the support and the seed. Where it asks for the speed, its features know the shaft's rate."""

    recipe = None
    blank_width: int | None = None  # features of a blank one, where what is learned is no larger with more of them
    asks_for_rate = False  # whether features depend on the rate that recordings had

    def __init__(self, entry: MethodEntry, *, asks_for_speed: bool = False) -> None:
        self.name, self.family, self.asks_for_speed = entry.name, entry.family, asks_for_speed

    @abstractmethod
    def features(self, windows: Windows, hz: Exact | None) -> Exact:
        """Of raw windows (n, window) of shafts at `hz` (n,): (n, features)."""

    def features_at(self, windows: Windows, hz: Exact | None, rate: float | None) -> Exact:
        """The same of windows of recordings that had this rate, in Hz, before they were resampled."""
        return self.features(windows, hz)

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
        known = {RATE: task.native_rate} if self.asks_for_rate and task.native_rate else {}
        found = self._in_parts(task.windows, task.hz, known)
        learned = self.classifier(found, task.labels, task.classes, task.seed)
        cost = self._cost(learned, time.perf_counter() - begin)
        return FittedFeatures(self, task.classes, task.seed, cost, [], known, learned)

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedFeatures:
        fitted = FittedFeatures(self, classes, seed, cost, [], dict(constants), dict(state))
        fitted.scores(check_windows(1, WINDOW))  # an error where the arrays do not fit each other
        return fitted

    def blank(self, classes: int) -> FittedFeatures:
        """Of features that say nothing, two windows per class."""
        width = self.blank_width or self.features(check_windows(1, WINDOW), None).shape[1]
        noise = np.random.default_rng(0).standard_normal((2 * classes, width))
        learned = self.classifier(noise, np.arange(2 * classes) // 2, classes, 0)
        return FittedFeatures(self, classes, 0, self._cost(learned, 0.0), [], {}, learned)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: array.shape for name, array in self.blank(classes).learned.items()}

    def scored(self, fitted: FittedFeatures, windows: Windows, hz: Exact | None) -> Scores:
        if windows.ndim != 2 or windows.shape[1] != WINDOW:
            raise ConfigError(f"windows have shape {windows.shape}; (n, {WINDOW}) is needed")
        if not len(windows):
            return np.empty((0, fitted.classes))
        return self.decide(fitted.learned, self._in_parts(windows, hz, fitted.constants), fitted.classes)

    def _in_parts(self, windows: Windows, hz: Exact | None, constants: Constants) -> Exact:
        told = hz if self.asks_for_speed else None
        starts, rate = range(0, len(windows), AT_ONCE), constants.get(RATE)
        parts = [(windows[i : i + AT_ONCE], None if told is None else told[i : i + AT_ONCE]) for i in starts]
        return np.concatenate([self.features_at(*part, rate) for part in parts])

    def _cost(self, learned: Arrays, seconds: float) -> Cost:
        count = sum(learned[name].size for name in self.counted(learned))
        return Cost(count, count, sum(array.nbytes for array in learned.values()), seconds)


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
        return self.method.scored(self, windows, hz)
