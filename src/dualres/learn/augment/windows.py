"""A support for networks that read the waveform: at every update each window filtered in another way, and blended.

Windows are normalised before, and not again after. There are no spectra, so nothing is standardised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from dualres.config import Recipe
from dualres.learn.augment.draws import draws
from dualres.learn.augment.gains import filtered
from dualres.learn.batches import Batch, support_order, views_of
from dualres.model.spectra import normalise
from dualres.recordings.recording import Samples


class AugmentedWindows:
    """Checked windows (n, window) with labels 0 .. classes - 1.

    `views` turns normalised windows into a network's inputs.
    """

    def __init__(
        self,
        windows: Samples,
        labels: npt.NDArray[np.int64],
        classes: int,
        views: Callable[[Tensor], tuple[Tensor, ...]],
        recipe: Recipe,
        *,
        seed: int,
        microbatch: int,
        device: str,
    ) -> None:
        order = support_order(seed, len(labels))
        self._draws = draws(recipe, len(labels), seed)
        (self._signals,) = views_of(lambda some: (normalise(some),), windows[order], device)
        self.windows, self.device = len(labels), self._signals.device
        self._targets = one_hot(torch.from_numpy(labels[order]), classes).float().to(self.device)
        self._views, self._microbatch = views, microbatch

    def batches(self) -> Iterator[Batch]:
        heard, targets = self._next()
        for some, their in zip(heard.split(self._microbatch), targets.split(self._microbatch), strict=True):
            with torch.no_grad():
                views = self._views(some)
            yield *views, their

    @torch.no_grad()
    def _next(self) -> tuple[Tensor, Tensor]:
        """Signals and targets of the next update."""
        drawn = next(self._draws)
        heard = self._signals if drawn.curve is None else filtered(self._signals, drawn.curve)
        return drawn.mixture.blended(heard), drawn.mixture.blended(self._targets)
