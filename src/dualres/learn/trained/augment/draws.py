"""What chance decides in an augmented fit, apart from PyTorch's draws of weights, dropout and jitter."""

from collections.abc import Iterator
from functools import partial, reduce
from itertools import count
from operator import add
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import Recipe
from dualres.errors import ConfigError
from dualres.kernel.gpu.draws import DrawnArrays
from dualres.learn.trained.augment import Augmentation, find
from dualres.learn.trained.augment.paths import GainCurve, Paths, curves, draw_paths


class Mixture(NamedTuple):
    """Of one update: what each window is blended with."""

    partners: npt.NDArray[np.int64]  # (windows,)
    shares: npt.NDArray[np.float32]  # (windows,), of the window itself, from 1/2 to 1; the rest is its partner's

    def blended(self, x: Tensor) -> Tensor:
        """Rows of `x` (windows, n), each mixed with its partner's."""
        own = torch.from_numpy(self.shares)[:, None].to(x.device)
        return own * x + (1 - own) * x[torch.from_numpy(self.partners).to(x.device)]


def draw_mixture(chance: np.random.Generator, windows: int) -> Mixture:
    """A partner and a share for each window; all shares are drawn before all partners."""
    shares = chance.uniform(size=windows)
    return Mixture(chance.permutation(windows), np.maximum(shares, 1 - shares).astype(np.float32))


def no_mixture(windows: int) -> Mixture:
    """Every window by itself."""
    return Mixture(np.arange(windows), np.ones(windows, np.float32))


class Draw(NamedTuple):
    """Of one update: what each of the support's windows goes through."""

    paths: Paths | None  # None where the recipe has none
    mixture: Mixture
    more: tuple[GainCurve, ...] = ()  # log-gains of further augmentations

    @property
    def curve(self) -> GainCurve | None:
        """The log-gains of all that raises and lowers frequencies, added; None where nothing does."""
        parts = self.more
        if self.paths is not None:
            parts = (partial(curves, self.paths), *parts)
        return (lambda frequencies: reduce(add, (part(frequencies) for part in parts))) if parts else None


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


def in_own_order(source: Iterator[Draw], order: npt.NDArray[np.int64]) -> Iterator[DrawnArrays]:
    """For windows as they come: amplitudes and phases (windows, waves or none), partners and shares (windows,)."""
    back = np.argsort(order)
    none = np.zeros((len(order), 0))
    for drawn in source:
        amplitudes, phases = drawn.paths or (none, none)
        partners, shares = drawn.mixture
        yield amplitudes[back], phases[back], order[partners][back], shares[back]
