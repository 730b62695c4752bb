"""The random numbers of several fits at once, a slab of updates at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

SLAB = 25  # updates

# What one update of one fit draws for its windows: amplitudes and phases of their paths, (windows, waves); the partner
# that each is blended with, and its own share of the blend, (windows,).
DrawnArrays = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]

StandardTensors = tuple[Tensor, Tensor]  # mean and spread of log-magnitudes at each frequency, (bins,) float32


class GpuAugmentation(NamedTuple):
    """What is done to the windows of several fits at every update."""

    sources: Sequence[Iterator[DrawnArrays]]  # of each fit
    waves: int  # of a path; 0 without paths
    standard_of: Callable[[Tensor], StandardTensors]  # from a fit's magnitudes, (windows, tokens, bins)


class WindowAugmentation:
    """How each window is shown at each update: what each fit's source draws, on the device.

    `amplitudes` and `phases` have shape (fits, slab, windows, waves), `partners` and `shares` (fits, slab, windows).
    """

    def __init__(
        self, sources: Sequence[Iterator[DrawnArrays]], windows: int, waves: int, device: torch.device
    ) -> None:
        self.waves, self._sources = waves, sources
        shape = len(sources), SLAB, windows
        self._host = (
            *(np.zeros((*shape, waves), np.float32) for _ in range(2)),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.float32),
        )
        self._device = [torch.from_numpy(array).to(device) for array in self._host]
        self.amplitudes, self.phases, self.partners, self.shares = self._device

    def renew(self) -> None:
        """Draw on the host, while the device may still be at work on the slab before, and then copy."""
        for fit, source in enumerate(self._sources):
            for update in range(SLAB):
                for own, drawn in zip(self._host, next(source), strict=True):
                    own[fit, update] = drawn
        for there, here in zip(self._device, self._host, strict=True):
            there.copy_(torch.from_numpy(here))


class NoiseSource:
    """Noise for the jitter and for dropout, drawn on the device, each fit's from a generator of its own.

    `noise` (normal) and `keep` (uniform) have shape (fits, slab, windows, width); `count` (1,) is the number of the
    update in work, from 0, so that a CUDA graph finds its place in the slab by itself. `shown` is there if windows are
    augmented.
    """

    slab = SLAB

    def __init__(
        self,
        seeds: Sequence[int],
        windows: int,
        width: int,
        device: torch.device,
        *,
        shown: WindowAugmentation | None = None,
    ) -> None:
        self._generators = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        shape = (len(seeds), SLAB, windows, width)
        self.noise, self.keep = torch.zeros(shape, device=device), torch.zeros(shape, device=device)
        self.count = torch.zeros(1, dtype=torch.int32, device=device)
        self.shown = shown

    def renew(self) -> None:
        """Draw for the next slab of updates."""
        for noise, keep, generator in zip(self.noise, self.keep, self._generators, strict=True):
            noise.normal_(generator=generator)
            keep.uniform_(generator=generator)
        if self.shown:
            self.shown.renew()
