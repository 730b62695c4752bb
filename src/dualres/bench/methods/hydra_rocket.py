"""Hydra with MultiRocket: two transforms by dilated kernels, and scikit-learn's ridge on both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dualres.bench.methods.catalog import MethodEntry
from dualres.bench.methods.hydra_transform import (
    KINDS,
    ROCKET_FEATURES,
    hydra_features,
    hydra_kernels,
    rocket_features,
    rocket_levels,
)
from dualres.bench.methods.method import Constants, Cost, FittedMethod, Method
from dualres.bench.methods.minirocket import ALPHAS, RIDGE
from dualres.bench.methods.neural import WINDOW
from dualres.bench.methods.resources import measured
from dualres.errors import ConfigError
from dualres.judge.backends import Scores, Windows
from dualres.kernel.gpu.cuda_graphs import full_precision
from dualres.learn.support import check_support
from dualres.learn.trained.task import Task
from dualres.model.spectra import normalise
from dualres.model_file.integrity import Arrays
from dualres.utils.arrays import Exact, Floats

AT_ONCE = {"cpu": 2, "cuda": 24}  # windows; PyTorch holds 11 MB of responses of each at a dilation
SPARSE = 4  # power of the share of zeros that a feature of Hydra is damped by, as aeon has it
FLOOR = 1e-8  # of that, and of a deviation
MOST_WINDOWS = 4  # of a judged recording, to keep a study of thousands of recordings to hours
SETTINGS = (
    "Each window is centred and divided by its RMS. aeon's MultiRocketHydraClassifier by its defaults: Hydra with 64 "
    "groups of 8 kernels, MultiRocket with 6,250 kernels of 4 features, and a ridge with leave-one-out choice among "
    f"ten penalties. Transforms are this package's, held to aeon's. The first {MOST_WINDOWS} windows of a judged "
    "recording count."
)
NAMED = "hydra-multirocket", "Hydra + MultiRocket", "kernels, ridge"


@dataclass(frozen=True)
class HydraRocket(Method):
    """Random in Hydra's kernels, and in which support windows set the levels of MultiRocket."""

    name, _, family = NAMED
    recipe = None

    def learn(self, task: Task) -> FittedHydraRocket:
        from sklearn.linear_model import RidgeClassifierCV

        check_support(task.windows, task.labels, task.classes, WINDOW)
        with measured(task.device) as spent:
            signals = normalise(torch.from_numpy(task.windows)).to(task.device)
            learned: Arrays = {
                "kernels": hydra_kernels(WINDOW, task.seed).numpy(),
                "levels": rocket_levels(signals, task.seed),
                "difference_levels": rocket_levels(signals.diff(), task.seed),
            }
            hydra, rocket = transformed(task.windows, learned, task.device)
            learned = {**learned, **_scaling(hydra, rocket)}
            ridge = RidgeClassifierCV(alphas=ALPHAS).fit(_scaled(hydra, rocket, learned), task.labels)
        found = {"coefficients": np.ascontiguousarray(np.atleast_2d(ridge.coef_)), "intercept": ridge.intercept_}
        learned = {**learned, **found}
        cost = _cost(learned, spent.seconds, spent.peak_bytes)
        return FittedHydraRocket(
            self, task.classes, task.seed, cost, [], {"alpha": float(ridge.alpha_)}, learned, task.device
        )

    def restore(self, state: Arrays, constants: Constants, classes: int, *, seed: int, cost: Cost) -> FittedHydraRocket:
        wanted, found = self.shapes(classes), {name: array.shape for name, array in state.items()}
        if found != wanted:
            raise ValueError(f"the state of {self.name} for {classes} classes holds {wanted}, not {found}")
        return FittedHydraRocket(self, classes, seed, cost, [], dict(constants), dict(state))

    def blank(self, classes: int) -> FittedHydraRocket:
        learned: Arrays = {name: np.ones(shape, np.float32) for name, shape in self.shapes(classes).items()}
        return FittedHydraRocket(self, classes, 0, _cost(learned, 0.0), [], {}, learned)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        kernels, levels = hydra_kernels(WINDOW, 0).shape, (ROCKET_FEATURES,)
        hydra, rocket = (2 * int(np.prod(kernels[:3])),), (2 * KINDS * ROCKET_FEATURES,)
        rows = 1 if classes == 2 else classes
        return {
            "kernels": tuple(kernels),
            "levels": levels,
            "difference_levels": levels,
            "hydra_mean": hydra,
            "hydra_scale": hydra,
            "rocket_mean": rocket,
            "rocket_scale": rocket,
            "coefficients": (rows, hydra[0] + rocket[0]),
            "intercept": (rows,),
        }


@dataclass(frozen=True)
class FittedHydraRocket(FittedMethod):
    """Its scores are the ridge classifier's decision values."""

    learned: Arrays
    device: str = "cpu"
    trained = RIDGE

    def state(self) -> Arrays:
        return self.learned

    def scores(self, windows: Windows) -> Scores:
        if windows.ndim != 2 or windows.shape[1] != WINDOW:
            raise ConfigError(f"windows have shape {windows.shape}; (n, {WINDOW}) is needed")
        if not len(windows):
            return np.empty((0, self.classes))
        scaled = _scaled(*transformed(windows, self.learned, self.device), self.learned)
        decisions = scaled @ self.learned["coefficients"].T + self.learned["intercept"]
        # Between two classes there is one value, positive for the second.
        return np.asarray(np.hstack([-decisions, decisions]) if self.classes == 2 else decisions, np.float64)


@torch.inference_mode()
@full_precision()
def transformed(windows: Windows, learned: Arrays, device: str) -> tuple[Floats, Floats]:
    """Features of Hydra and of MultiRocket, (n, features) each."""
    kernels, levels, difference_levels = (
        torch.from_numpy(np.array(learned[name])).to(device) for name in ("kernels", "levels", "difference_levels")
    )

    def look(signals: Tensor) -> tuple[Tensor, Tensor]:
        rocket = (
            rocket_features(signals, levels, differences=False),
            rocket_features(signals.diff(), difference_levels, differences=True),
        )
        return hydra_features(signals, kernels), torch.cat(rocket, dim=1)

    size = AT_ONCE[device.partition(":")[0]]
    parts = [
        look(normalise(torch.from_numpy(np.array(windows[i : i + size]))).to(device))
        for i in range(0, len(windows), size)
    ]
    hydra, rocket = (torch.cat(each).cpu().numpy() for each in zip(*parts, strict=True))
    return hydra, rocket


def _scaling(hydra: Floats, rocket: Floats) -> Arrays:
    roots = np.sqrt(np.maximum(hydra, 0))
    spread = rocket.std(0, dtype=np.float64)
    return {
        "hydra_mean": roots.mean(0),
        "hydra_scale": roots.std(0, ddof=1) + ((roots == 0).mean(0) ** SPARSE + FLOOR).astype(np.float32),
        "rocket_mean": rocket.mean(0, dtype=np.float64),
        "rocket_scale": np.where(spread < FLOOR, 1.0, spread),
    }


def _scaled(hydra: Floats, rocket: Floats, learned: Arrays) -> Exact:
    """As the ridge takes both, (n, features); a feature of Hydra that is zero stays so."""
    roots = np.sqrt(np.maximum(hydra, 0))
    first = (roots - learned["hydra_mean"]) * (roots != 0) / learned["hydra_scale"]
    second = (rocket - learned["rocket_mean"]) / learned["rocket_scale"]
    return np.concatenate([first, second], axis=1, dtype=np.float64)


def _cost(learned: Arrays, seconds: float, peak_bytes: int | None = None) -> Cost:
    parameters = sum(learned[name].size for name in RIDGE)
    return Cost(parameters, parameters, sum(array.nbytes for array in learned.values()), seconds, peak_bytes)


ENTRIES = (
    MethodEntry(
        *NAMED,
        lambda *_: HydraRocket(),
        nominal_ms=(200.0, 100.0),
        trains=False,
        on_gpu=True,
        most_windows=MOST_WINDOWS,
        settings=SETTINGS,
    ),
)
