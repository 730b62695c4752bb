"""The random numbers of several fits at once, a slab of updates at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from dualres.config import Recipe
from dualres.learn.augment.draws import draws
from dualres.learn.batches import support_order

SLAB = 25  # updates


class Draws:
    """Noise for the jitter and for dropout, drawn on the device, each fit's from a generator of its own.

    `noise` (normal) and `keep` (uniform) have shape (fits, slab, windows, width); `count` (1,) is the number of the
    update in work, from 0, so that a CUDA graph finds its place in the slab by itself. `shown` is there if windows are
    augmented.
    """

    slab = SLAB

    def __init__(
        self, seeds: Sequence[int], windows: int, width: int, device: torch.device, recipe: Recipe | None = None
    ) -> None:
        self._generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        shape = (len(seeds), SLAB, windows, width)
        self.noise, self.keep = torch.zeros(shape, device=device), torch.zeros(shape, device=device)
        self.count = torch.zeros(1, dtype=torch.int32, device=device)
        self.shown = Shown(seeds, windows, recipe, device) if recipe and not recipe.plain else None

    def renew(self) -> None:
        """Draw for the next slab of updates."""
        for noise, keep, generator in zip(self.noise, self.keep, self._generators, strict=True):
            noise.normal_(generator=generator)
            keep.uniform_(generator=generator)
        if self.shown:
            self.shown.renew()


class Shown:
    """How each window is shown at each update: what chance draws, for windows in the support's own order.

    `amplitudes` and `phases` have shape (fits, slab, windows, waves), `partners` and `shares` (fits, slab, windows).
    """

    def __init__(self, seeds: Sequence[int], windows: int, recipe: Recipe, device: torch.device) -> None:
        self.waves = recipe.path_waves if recipe.path_sigma else 0
        self._orders = [support_order(seed, windows) for seed in seeds]
        self._draws = [draws(recipe, windows, seed) for seed in seeds]
        shape = len(seeds), SLAB, windows
        self._host = (
            *(np.zeros((*shape, self.waves), np.float32) for _ in range(2)),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.float32),
        )
        self._device = [torch.from_numpy(array).to(device) for array in self._host]
        self.amplitudes, self.phases, self.partners, self.shares = self._device

    def renew(self) -> None:
        """Draw on the host, while the device may still be at work on the slab before, and then copy."""
        amplitudes, phases, partners, shares = self._host
        for fit, (order, source) in enumerate(zip(self._orders, self._draws, strict=True)):
            for update in range(SLAB):
                drawn = next(source)
                if drawn.paths is not None:
                    amplitudes[fit, update, order] = drawn.paths.amplitudes
                    phases[fit, update, order] = drawn.paths.phases
                partners[fit, update, order] = order[drawn.partners]
                shares[fit, update, order] = drawn.shares
        for there, here in zip(self._device, self._host, strict=True):
            there.copy_(torch.from_numpy(here))
