"""What chance decides in an augmented fit, apart from PyTorch's draws of weights, dropout and jitter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import Recipe
from dualres.gpu.draws import Drawn
from dualres.learn.augment.paths import Paths, draw_paths


class Draw(NamedTuple):
    """Of one update: what each of the support's windows goes through."""

    paths: Paths | None  # None where the recipe has none
    partners: npt.NDArray[np.int64]  # (windows,), who each is blended with
    shares: npt.NDArray[np.float32]  # (windows,), of the window itself, from 1/2 to 1; the rest is its partner's

    def blended(self, x: Tensor) -> Tensor:
        """What there is of each window, (windows, n), mixed with that of its partner."""
        own = torch.from_numpy(self.shares)[:, None].to(x.device)
        return own * x + (1 - own) * x[torch.from_numpy(self.partners).to(x.device)]


def draws(recipe: Recipe, windows: int, seed: int) -> Iterator[Draw]:
    """A draw for each update, for windows in the order in which the support is trained on.

    All numbers come from one generator, so that they are the same on every device, and in this order, update by
    update: amplitudes and phases of the paths, shares, partners. What a recipe does without is not drawn.
    """
    chance = np.random.default_rng(2000 + seed)
    while True:
        paths = draw_paths(chance, windows, recipe.path_sigma, recipe.path_waves) if recipe.path_sigma else None
        if recipe.mixup:
            shares = chance.uniform(size=windows)
            yield Draw(paths, chance.permutation(windows), np.maximum(shares, 1 - shares).astype(np.float32))
        else:
            yield Draw(paths, np.arange(windows), np.ones(windows, np.float32))


def in_own_order(source: Iterator[Draw], order: npt.NDArray[np.int64]) -> Iterator[Drawn]:
    """The same draws for windows as they come, not in the `order` in which they are trained on.

    Amplitudes and phases (windows, waves), with no waves where there are no paths; partners and shares (windows,).
    """
    back = np.argsort(order)
    none = np.zeros((len(order), 0))
    for drawn in source:
        amplitudes, phases = drawn.paths or (none, none)
        yield amplitudes[back], phases[back], order[drawn.partners][back], drawn.shares[back]
