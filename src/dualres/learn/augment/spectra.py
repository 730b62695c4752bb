"""A support for DualRes: at every update each window with other gains over frequency, blended with another window.

Gains act on magnitudes, which are computed once; both views see the same ones. Log-magnitudes are what is blended and
standardised.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from dualres.config import ModelConfig, Recipe
from dualres.kernel import augment as compiled
from dualres.learn.augment.draws import draws
from dualres.learn.augment.gains import Curve, gains
from dualres.learn.augment.standardise import Standard, standardiser
from dualres.learn.batches import MICROBATCH, Batch, support_order, views_of
from dualres.model.spectra import aligned_magnitudes
from dualres.recordings.recording import Samples


class AugmentedSpectra:
    """Checked windows (n, window) at `config.rate` with labels 0 .. classes - 1, shown as `recipe` says."""

    def __init__(
        self,
        windows: Samples,
        labels: npt.NDArray[np.int64],
        classes: int,
        config: ModelConfig,
        recipe: Recipe,
        *,
        seed: int,
        device: str,
    ) -> None:
        order, measure = support_order(seed, len(labels)), standardiser(recipe)
        self._draws = draws(recipe, len(labels), seed)
        magnitudes = views_of(partial(aligned_magnitudes, config=config), windows[order], device)
        self.windows, self.device = len(labels), magnitudes[0].device
        self._views = [View(m, measure(m)) for m in magnitudes]
        self._targets = one_hot(torch.from_numpy(labels[order]), classes).float().to(self.device)

    def batches(self) -> Iterator[Batch]:
        """The windows of the next update. Each batch is overwritten by the next one."""
        drawn = next(self._draws)
        partners, shares = (torch.from_numpy(array).to(self.device) for array in drawn.mixture)
        for view in self._views:
            view.gain(drawn.curve)
        targets = drawn.mixture.blended(self._targets)
        for first in range(0, self.windows, MICROBATCH):
            rows = slice(first, min(first + MICROBATCH, self.windows))
            yield *(view.seen(rows, partners, shares) for view in self._views), targets[rows]

    @property
    def standards(self) -> list[Standard]:
        """What the short and the long view are standardised by."""
        return [view.standard for view in self._views]


class View:
    """One resolution of all windows: magnitudes (windows, tokens, bins), and what they are standardised by."""

    def __init__(self, magnitudes: Tensor, standard: Standard) -> None:
        self.standard, self._magnitudes = standard, magnitudes
        self._gains = magnitudes.new_ones(magnitudes.shape[::2])  # (windows, bins)
        self._room = torch.empty_like(magnitudes[:MICROBATCH])  # allocating costs more than computing

    def gain(self, curve: Curve | None) -> None:
        """From now on the windows are seen with these gains."""
        if curve is not None:
            self._gains = gains(curve, self._gains.shape[1], self._gains.device)

    def seen(self, rows: slice, partners: Tensor, shares: Tensor) -> Tensor:
        """Some of the windows, (rows, tokens, bins)."""
        given = self._magnitudes, self._gains, self.standard, rows, partners, shares
        if compiled.available(self._magnitudes):
            return compiled.seen(*given, self._room[: rows.stop - rows.start])
        return seen_ref(*given)


def seen_ref(
    magnitudes: Tensor, gains: Tensor, standard: Standard, rows: slice, partners: Tensor, shares: Tensor
) -> Tensor:
    """The readable twin of kernel/augment.c and gpu/augment_triton.py."""
    others = partners[rows]
    own = torch.log1p(magnitudes[rows] * gains[rows, None])
    other = torch.log1p(magnitudes[others] * gains[others, None])
    share = shares[rows, None, None]
    return (share * own + (1 - share) * other - standard.mean) / standard.spread
