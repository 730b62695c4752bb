"""What chance decides in an augmented fit, apart from PyTorch's draws of weights, dropout and jitter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import count
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.gpu.draws import Drawn
from dualres.learn.augment.mixup import Mixture, draw_mixture, no_mixture
from dualres.learn.augment.paths import Curve, Paths, curves, draw_paths
from dualres.learn.augment.registry import Augmentation, find
from dualres.learn.batches import Batch, Labels, support_order


class Draw(NamedTuple):
    """Of one update: what each of the support's windows goes through."""

    paths: Paths | None  # None where the recipe has none
    mixture: Mixture
    more: tuple[Curve, ...] = ()  # log-gains of further augmentations

    @property
    def curve(self) -> Curve | None:
        """The log-gains of all that raises and lowers frequencies, added; None where nothing does."""
        parts = self.more
        if self.paths is not None:
            parts = (partial(curves, self.paths), *parts)
        return (lambda frequencies: reduce(add, (part(frequencies) for part in parts))) if parts else None


class AugmentedSupport(ABC):
    """Checked windows with labels 0 .. classes - 1, each microbatch of them shown as `recipe` has it drawn."""

    def __init__(self, labels: Labels, classes: int, recipe: Recipe, seed: int, microbatch: int, device: str) -> None:
        self.order = support_order(seed, len(labels))
        self.windows, self.device, self._microbatch = len(labels), torch.device(device), microbatch
        self._draws = draws(recipe, len(labels), seed)
        self._targets = one_hot(torch.from_numpy(labels[self.order]), classes).float().to(self.device)

    def batches(self) -> Iterator[Batch]:
        """The windows of the next update. A batch may be overwritten by the next one."""
        drawn = next(self._draws)
        targets, views = drawn.mixture.blended(self._targets), self.shown(drawn)
        for first in range(0, self.windows, self._microbatch):
            rows = slice(first, min(first + self._microbatch, self.windows))
            yield *views(rows), targets[rows]

    @abstractmethod
    def shown(self, drawn: Draw) -> Callable[[slice], tuple[Tensor, ...]]:
        """What a network takes of some of the windows in one update; they are in `order`."""


def draws(recipe: Recipe, windows: int, seed: int) -> Iterator[Draw]:
    """A draw for each update, for windows in the order in which the support is trained on.

    All numbers of the recipe's own augmentations come from one generator, so that they are the same on every device,
    and in this order, update by update: amplitudes and phases of the paths, shares, partners. What a recipe does
    without is not drawn. Each further augmentation has a generator of its own.
    """
    chance = np.random.default_rng(2000 + seed)
    further = [
        (find(name), strength, np.random.default_rng([3000 + seed, position]))
        for position, (name, strength) in enumerate(recipe.more)
    ]

    def draw() -> Draw:
        paths = draw_paths(chance, windows, recipe.path_sigma, recipe.path_waves) if recipe.path_sigma else None
        mixture = draw_mixture(chance, windows) if recipe.mixup else no_mixture(windows)
        more = [(augmentation, augmentation.draw(own, windows, strength)) for augmentation, strength, own in further]
        return Draw(paths, mixture, tuple(partial(_checked_curves, *drawn, windows) for drawn in more))

    return (draw() for _ in count())


def _checked_curves(augmentation: Augmentation, drawn: Any, windows: int, frequencies: Tensor) -> Tensor:
    found = augmentation.curves(drawn, frequencies).to(frequencies)
    if found.shape != (windows, len(frequencies)) or not torch.isfinite(found).all():
        raise ConfigError(
            f"augmentation {augmentation.name!r} gave log-gains of shape {tuple(found.shape)}; finite ones of shape "
            f"{(windows, len(frequencies))} are needed"
        )
    return found


def in_own_order(source: Iterator[Draw], order: npt.NDArray[np.int64]) -> Iterator[Drawn]:
    """Paths and mixtures for windows as they come, not in the `order` in which they are trained on.

    Amplitudes and phases (windows, waves), with no waves where there are no paths; partners and shares (windows,).
    """
    back = np.argsort(order)
    none = np.zeros((len(order), 0))
    for drawn in source:
        amplitudes, phases = drawn.paths or (none, none)
        partners, shares = drawn.mixture
        yield amplitudes[back], phases[back], order[partners][back], shares[back]
