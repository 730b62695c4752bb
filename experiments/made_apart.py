"""Data that has nothing in common with the simulators: features of recordings, drawn from five laws.

Each world has classes, components of them and recordings of these. A law says how features of one class scatter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dualres.recordings.recording import Recording
from dualres.utils.arrays import Exact

FEATURES = 6

Rng = np.random.Generator
Scatter = Callable[[Rng, int, int], Exact]  # of so many recordings of one component, of so many features


@dataclass(frozen=True)
class Law:
    """How recordings of one component scatter around what is usual for its class."""

    scatter: Scatter
    sizes: Callable[[Rng], list[int]]  # components of each class
    apart: float  # how far classes lie from each other


@dataclass(frozen=True)
class Made:
    """A recording without samples, whose features are known at once."""

    recording: Recording
    features: Exact


def worlds(law: Law, seed: int, *, each: int = 4, judged: int = 2, new: int = 2) -> dict[str, list[Made]]:
    """What is labelled, `each` recordings of a component, `judged` further ones of the same, and unseen components."""
    rng = np.random.default_rng(seed)
    sizes = law.sizes(rng)
    found: dict[str, list[Made]] = {"labelled": [], "known": [], "unseen": []}
    for number, size in enumerate(sizes):
        middle = law.apart * rng.standard_normal(FEATURES)
        for component in range((1 + new) * size):
            drawn = middle + law.scatter(rng, each + judged, FEATURES)
            labelled = set(rng.permutation(each + judged)[:each].tolist())
            for turn, features in enumerate(drawn):
                kind = "unseen" if component >= size else "labelled" if turn in labelled else "known"
                name = f"{number}-{component}"
                made = Recording(f"{name}-{turn}", nothing, Fraction(1), f"class {number}", component=name)
                found[kind].append(Made(made, features))
    return found


def nothing() -> np.ndarray:
    return np.zeros(1, np.float32)


def _unit_effects(rng: Rng, count: int, features: int) -> Exact:
    return rng.standard_normal(features) + 0.6 * rng.standard_normal((count, features))


def _heavy_tails(rng: Rng, count: int, features: int) -> Exact:
    return 0.6 * rng.standard_t(2, features) + 0.4 * rng.standard_t(2, (count, features))


def _uneven_noise(rng: Rng, count: int, features: int) -> Exact:
    """Some components are steady, and others anything but that."""
    scale = np.exp(0.8 * rng.standard_normal())
    return 0.5 * rng.standard_normal(features) + 0.7 * scale * rng.standard_normal((count, features))


def _drift(rng: Rng, count: int, features: int) -> Exact:
    """Each recording goes on from the one before."""
    return np.asarray(0.7 * rng.standard_normal(features) + np.cumsum(0.5 * rng.standard_normal((count, features)), 0))


def _alike(rng: Rng) -> list[int]:
    return [int(rng.integers(4, 10))] * 5


def _uneven_sizes(rng: Rng) -> list[int]:
    """Two common classes, three that are rare, and in one world of three a class with a single component."""
    return [24, 12, 4, 3, 1 if rng.random() < 1 / 3 else 2]


def _many(rng: Rng) -> list[int]:
    return [int(rng.integers(10, 16))] * 5


LAWS = {
    "unit effects": Law(_unit_effects, _alike, 1.0),
    "heavy tails": Law(_heavy_tails, _alike, 1.0),
    "rare classes": Law(_unit_effects, _uneven_sizes, 1.0),
    "uneven noise": Law(_uneven_noise, _alike, 1.0),
    "drift": Law(_drift, _alike, 0.8),
}
MANY = {name: replace(law, sizes=_many) for name, law in LAWS.items() if law.sizes is _alike}  # ten components a class
MISTAKEN, TAKEN_FOR = "class 4", "class 0"


def mistaken(world: dict[str, list[Made]]) -> dict[str, list[Made]]:
    """A third of the components of one class are said to be of another."""

    def told(one: Made) -> Made:
        number, component = str(one.recording.component).split("-")
        if f"class {number}" != TAKEN_FOR or int(component) % 3:
            return one
        return replace(one, recording=replace(one.recording, label=MISTAKEN))

    return {kind: [told(one) for one in some] for kind, some in world.items()}


class Classes:
    """Gaussian classes with one covariance, shrunk: what stands between features and probabilities."""

    def __init__(self, made: Sequence[Made]) -> None:
        labels = [str(one.recording.label) for one in made]
        self.names = tuple(sorted(set(labels)))
        x, y = np.array([one.features for one in made]), np.array([self.names.index(label) for label in labels])
        self._means = np.array([x[y == number].mean(0) for number in range(len(self.names))])
        off = x - self._means[y]
        within = off.T @ off / len(x)
        self._precision = np.linalg.inv(0.7 * within + 0.3 * np.eye(x.shape[1]) * np.trace(within) / x.shape[1])

    def probabilities(self, one: Made) -> list[float]:
        off = one.features - self._means
        logits = -0.5 * np.einsum("ci,ij,cj->c", off, self._precision, off)
        shares = np.exp(logits - logits.max())
        return list(map(float, shares / shares.sum()))
