"""MiniRocket: how often fixed short kernels, dilated, exceed learned levels; and a ridge classifier on that.

Per dilation and kernel C = kernel * window, and a feature is the share of C above a level, which is a quantile of the C
of one support window. aeon, an optional dependency, picks the levels and counts; the classifier is scikit-learn's.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from dualres.errors import ConfigError, DualResError
from dualres.learn.batches import MICROBATCH, check_support, views_of
from dualres.learn.history import Task
from dualres.methods.catalogue import Entry, Look
from dualres.methods.method import Arrays, Constants, Cost, Fitted, Method
from dualres.methods.neural import WINDOW
from dualres.model.spectra import normalise
from dualres.scorers import Scores, Windows

TAPS = 9
KERNELS = math.comb(TAPS, 3)  # weight 2 on three of the taps, -1 on the others
FEATURES_REQUESTED = 10_000
FEATURES_PER_KERNEL = FEATURES_REQUESTED // KERNELS
FEATURES = KERNELS * FEATURES_PER_KERNEL
MOST_DILATIONS = 32
SMALLEST_SCALE = 1e-12  # a feature whose norm is below does not vary
ALPHAS = np.logspace(-3, 3, 10)  # strengths of the ridge penalty to choose from

RIDGE = frozenset({"coefficients", "intercept"})  # what is trained; all else is the transform's

Integers = npt.NDArray[np.int32]
Features = npt.NDArray[np.float32]
Reals = npt.NDArray[np.float64]


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
        _compile()
        (signals,) = views_of(lambda part: (normalise(part),), task.windows, "cpu")
        begin = time.perf_counter()
        biases = _fit_biases(signals.numpy(), task.seed)
        features = _features(signals.numpy(), biases)
        mean, scale = scaling(features)
        ridge = RidgeClassifierCV(alphas=ALPHAS).fit((features - mean) / scale, task.labels)
        fit_s = time.perf_counter() - begin
        parts = biases, mean, scale, np.ascontiguousarray(np.atleast_2d(ridge.coef_)), ridge.intercept_
        learned = dict(zip(_layout(task.classes), parts, strict=True))
        cost, alpha = _cost(learned, fit_s), {"alpha": float(ridge.alpha_)}
        return FittedMiniRocket(self, task.classes, task.seed, cost, [], alpha, learned)

    def restore(self, state: Arrays, constants: Constants, classes: int, seed: int, cost: Cost) -> FittedMiniRocket:
        """A fitted one that scores as the one whose state it is, to the last bit."""
        wanted = _layout(classes)
        found = {name: (array.dtype, array.shape) for name, array in state.items()}
        if found != wanted:
            raise ValueError(f"the state of a MiniRocket for {classes} classes holds {wanted}, not {found}")
        # Copied, because numba would compile once more for an array that must not be written to.
        learned = {name: array.copy() for name, array in state.items()}
        return FittedMiniRocket(self, classes, seed, cost, [], dict(constants), learned)

    def blank(self, classes: int) -> FittedMiniRocket:
        """Full of ones; for this aeon need not be there."""
        learned = {name: np.ones(shape, dtype) for name, (dtype, shape) in _layout(classes).items()}
        return FittedMiniRocket(self, classes, 0, _cost(learned, 0.0), [], {}, learned)

    def shapes(self, classes: int) -> dict[str, tuple[int, ...]]:
        return {name: shape for name, (_, shape) in _layout(classes).items()}


@dataclass(frozen=True)
class FittedMiniRocket(Fitted):
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
        features = _features(normalise(torch.from_numpy(np.array(windows))).numpy(), learned["biases"])
        decisions = (features - learned["mean"]) / learned["scale"] @ learned["coefficients"].T + learned["intercept"]
        # Between two classes there is one value, positive for the second.
        return np.hstack([-decisions, decisions]) if self.classes == 2 else decisions


def dilations() -> tuple[Integers, Integers]:
    """The samples between two taps, ascending, and for each how many features a kernel has there."""
    widest = math.log2((WINDOW - 1) / (TAPS - 1))
    spread = np.logspace(0, widest, MOST_DILATIONS, base=2).astype(np.int32)
    distinct, multiplicity = np.unique(spread, return_counts=True)
    counts = (multiplicity * (FEATURES_PER_KERNEL / MOST_DILATIONS)).astype(np.int32)
    counts[: FEATURES_PER_KERNEL - counts.sum()] += 1
    return distinct, counts


def scaling(features: Features) -> tuple[Reals, Reals]:
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


def _fit_biases(signals: Features, seed: int) -> Features:
    """The level of each feature, (features,), from normalised windows (n, window)."""
    transformer = _transformer(seed)
    before = np.random.get_state()  # noqa: NPY002
    try:
        biases: Features = transformer.fit(signals[:, None]).parameters[-1]
    finally:
        np.random.set_state(before)  # noqa: NPY002, for aeon seeds the generator that everybody shares
    return biases


def _features(signals: Features, biases: Features) -> Features:
    """Normalised windows (n, window) to features (n, features): dilation by dilation, then kernel, then level."""
    transformer = _transformer(None)
    distinct, counts = dilations()
    # aeon's parameters, as a fit leaves them; the first two say which channels a kernel sees, and there is but one.
    combinations = KERNELS * len(distinct)
    channels = np.ones(combinations, np.int32), np.zeros(combinations, np.int32)
    transformer.parameters = (*channels, distinct, counts, biases)
    transformer._n_jobs = transformer.n_jobs
    transformer.is_fitted = True
    features: Features = transformer.transform(signals[:, None])
    return features


def _compile() -> None:
    """Have numba compile for the types used here, or read its cache: that is no part of what a fit takes."""
    signals = np.sin(np.arange(WINDOW, dtype=np.float32))[None]
    _features(signals, np.zeros(FEATURES, np.float32))
    _fit_biases(signals[:, :TAPS], 0)


def _transformer(seed: int | None) -> Any:
    """aeon's transformer, on as many threads as PyTorch has."""
    try:
        import numba
        from aeon.transformations.collection.convolution_based import MiniRocket as Transformer
    except ImportError as error:
        raise DualResError(f"MiniRocket needs an extra ({error}): pip install 'dualres[bench]'") from error
    threads = min(torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS)
    return Transformer(FEATURES_REQUESTED, MOST_DILATIONS, n_jobs=threads, random_state=seed)


LOOK = Look("#7d7d7d", "^", (0, (1, 1.2)), "....")
ENTRY = Entry(
    MiniRocket.name,
    "MiniRocket",
    MiniRocket.family,
    lambda *_: MiniRocket(),
    LOOK,
    (70.0, 70.0),
    trains=False,
    paper=True,
)
