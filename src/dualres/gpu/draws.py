"""The random numbers of several fits at once, drawn on their device a slab of updates at a time."""

from __future__ import annotations

from collections.abc import Sequence

import torch

SLAB = 25  # updates


class Draws:
    """Noise for the jitter and for dropout, each fit's from a generator of its own.

    `noise` (normal) and `keep` (uniform) have shape (fits, slab, windows, width); `count` (1,) is the number of the
    update in work, from 0, so that a CUDA graph finds its place in the slab by itself.
    """

    slab = SLAB

    def __init__(self, seeds: Sequence[int], windows: int, width: int, device: torch.device) -> None:
        self._generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        shape = (len(seeds), SLAB, windows, width)
        self.noise, self.keep = torch.zeros(shape, device=device), torch.zeros(shape, device=device)
        self.count = torch.zeros(1, dtype=torch.int32, device=device)

    def renew(self) -> None:
        """Draw for the next slab of updates."""
        for noise, keep, generator in zip(self.noise, self.keep, self._generators, strict=True):
            noise.normal_(generator=generator)
            keep.uniform_(generator=generator)
