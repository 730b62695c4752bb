"""MiniRocket: how often fixed short kernels, dilated, exceed learned levels; and scikit-learn's ridge on that."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from dualres.bench.methods.catalog import MethodEntry, MethodStyle
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.rocket import FEATURES, Features, features, fit_levels
from dualres.errors import ConfigError
from dualres.judge.backends import Scores, Windows
from dualres.learn.support import MICROBATCH, check_support, views_of
from dualres.learn.trained.task import Task
from dualres.model.spectra import normalise
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact

SMALLEST_SCALE = 1e-12  # a feature whose norm is below does not vary
ALPHAS = np.logspace(-3, 3, 10)  # strengths of the ridge penalty to choose from
RIDGE = frozenset({"coefficients", "intercept"})  # what is trained; all else is the transform's


@dataclass(frozen=True)
class MiniRocket(Method):
    """Random only in which support window sets the levels of which dilation and kernel."""

    name = "minirocket"
    family = "kernels, ridge"
    recipe = None

    def learn(self, task: Task) -> FittedMiniRocket:
        """Set the levels, then solve for the coefficients, on the CPU whatever the device; there are no updates."""
        from sklearn.linear_model import RidgeClassifierCV  # only here: it takes longer to load than all other methods

        check_support(task.windows, task.labels, task.classes, WINDOW)
        (signals,) = views_of(lambda part: (normalise(part),), task.windows, "cpu")
        begin = time.perf_counter()
        biases = fit_levels(signals.numpy(), task.seed)
        found = features(signals.numpy(), biases)
        mean, scale = scaling(found)
        ridge = RidgeClassifierCV(alphas=ALPHAS).fit((found - mean) / scale, task.labels)
        fit_s = time.perf_counter() - begin
        parts = biases, mean, scale, np.ascontiguousarray(np.atleast_2d(ridge.coef_)), ridge.intercept_
        learned = dict(zip(_layout(task.classes), parts, strict=True))
        cost, alpha = _cost(learned, fit_s), {"alpha": float(ridge.alpha_)}
        return FittedMiniRocket(self, task.classes, task.seed, cost, [], alpha, learned)

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedMiniRocket:
        """A fitted one that scores as the one whose state it is, to the last bit."""
        wanted = _layout(classes)
        found = {name: (array.dtype, array.shape) for name, array in state.items()}
        if found != wanted:
            raise ValueError(f"the state of a MiniRocket for {classes} classes holds {wanted}, not {found}")
        return FittedMiniRocket(self, classes, seed, cost, [], dict(constants), dict(state))

    def blank(self, classes: int) -> FittedMiniRocket:
        learned = {name: np.ones(shape, dtype) for name, (dtype, shape) in _layout(classes).items()}
        return FittedMiniRocket(self, classes, 0, _cost(learned, 0.0), [], {}, learned)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: shape for name, (_, shape) in _layout(classes).items()}


@dataclass(frozen=True)
class FittedMiniRocket(FittedMethod):
    """Levels, the features' scaling and a linear map; its scores are the ridge classifier's decision values."""

    learned: Arrays
    trained = RIDGE

    def state(self) -> Arrays:
        return self.learned

    def scores(self, windows: Windows) -> Scores:
        if windows.ndim != 2 or windows.shape[1] != WINDOW:
            raise ConfigError(f"windows have shape {windows.shape}; (n, {WINDOW}) is needed")
        parts = [self._decisions(windows[i : i + MICROBATCH]) for i in range(0, len(windows), MICROBATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.classes))

    def _decisions(self, windows: Windows) -> Scores:
        learned = self.learned
        found = features(normalise(torch.from_numpy(np.array(windows))).numpy(), learned["biases"])
        decisions = (found - learned["mean"]) / learned["scale"] @ learned["coefficients"].T + learned["intercept"]
        # Between two classes there is one value, positive for the second.
        return np.hstack([-decisions, decisions]) if self.classes == 2 else decisions


def scaling(features: Features) -> tuple[Exact, Exact]:
    """What to subtract from features (n, features) and to divide them by: the mean and the norm around it."""
    mean = features.mean(0, dtype=np.float64)
    norm = np.linalg.norm(features - mean, axis=0)
    return mean, np.where(norm < SMALLEST_SCALE, 1.0, norm)


def _cost(learned: Arrays, fit_s: float) -> Cost:
    parameters = sum(learned[name].size for name in RIDGE)
    return Cost(parameters, parameters, sum(array.nbytes for array in learned.values()), fit_s)


def _layout(classes: int) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """Type and shape of everything that is learned."""
    rows = 1 if classes == 2 else classes
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    return {
        "biases": (single, (FEATURES,)),
        "mean": (double, (FEATURES,)),
        "scale": (double, (FEATURES,)),
        "coefficients": (double, (rows, FEATURES)),
        "intercept": (double, (rows,)),
    }


LOOK = MethodStyle("#7d7d7d", "^", (0, (1, 1.2)), "....")
NAMED = MiniRocket.name, "MiniRocket", MiniRocket.family
ENTRY = MethodEntry(*NAMED, lambda *_: MiniRocket(), LOOK, (15.0, 13.0), trains=False, paper=True)
