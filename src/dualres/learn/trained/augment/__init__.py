"""Showing a network more than its support: random gains over frequency, mixtures of windows, standardised spectra.

A fault's signature reaches the sensor through a path that differs from machine to machine. A network that meets every
window through another path at every update learns less of paths, and more of faults.

Recipes may name further augmentations, by the names under which `register` makes them known. They are of the kind that
transfer paths are: a random gain over frequency, another one for every window at every update. Their log-gains are
added to those of the paths. They act where paths do: on the magnitudes of both views of DualRes, and as a filter
without delay on the waveforms of other networks.
"""

from typing import Any, Protocol

import numpy as np
from torch import Tensor

from dualres.config import Recipe
from dualres.utils.registry import Registry


class Augmentation(Protocol):
    """A random gain over frequency. `register(it)`, then `Recipe(more=(("its name", strength),))`."""

    @property
    def name(self) -> str: ...

    def draw(self, chance: np.random.Generator, windows: int, strength: float) -> Any:
        """What chance decides for each of `windows` windows at one update; all numbers come from `chance`."""

    def curves(self, drawn: Any, frequencies: Tensor) -> Tensor:
        """Log-gains in nats, (windows, n), at frequencies (n,), float64 in units of f_N, on their device."""


_known: Registry[Augmentation] = Registry(
    "augmentation",
    taken="an {kind} named {name!r} is registered already; choose another name",
    unknown="{kind} {name!r} is not registered; there are {known}",
)


def register(augmentation: Augmentation) -> None:
    """Let recipes name it."""
    name = augmentation.name
    Recipe(more=((name, 1.0),))  # refuses what is no name
    if _known.get(name) is not augmentation:
        _known.register(name, augmentation)


def find(name: str) -> Augmentation:
    """The augmentation of that name; an error if none was registered."""
    return _known.find(name)
