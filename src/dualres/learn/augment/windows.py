"""A support for networks that read the waveform: at every update each window filtered in another way, and blended.

Windows are normalised before, and not again after. There are no spectra, so nothing is standardised.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from dualres.config import Recipe
from dualres.learn.augment.draws import AugmentedSupport, Draw
from dualres.learn.augment.paths import filtered
from dualres.learn.batches import Labels, Views, views_of
from dualres.model.spectra import normalise
from dualres.recordings.recording import Samples


class AugmentedWindows(AugmentedSupport):
    """Windows (n, window), and what `views` makes of them after they were normalised: a network's inputs."""

    def __init__(
        self,
        windows: Samples,
        labels: Labels,
        classes: int,
        views: Views,
        recipe: Recipe,
        *,
        seed: int,
        microbatch: int,
        device: str,
    ) -> None:
        super().__init__(labels, classes, recipe, seed, microbatch, device)
        (self._signals,) = views_of(lambda some: (normalise(some),), windows[self.order], device)
        self._views = views

    @torch.no_grad()
    def shown(self, drawn: Draw) -> Callable[[slice], tuple[Tensor, ...]]:
        heard = self._signals if drawn.curve is None else filtered(self._signals, drawn.curve)
        blended = drawn.mixture.blended(heard)
        return torch.no_grad()(lambda rows: self._views(blended[rows]))
