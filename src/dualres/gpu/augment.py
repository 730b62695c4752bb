"""Augmented supports of several fits on a GPU: the buffers and launches of `augment_triton.py`."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from dualres.gpu.augment_triton import seen_kernel
from dualres.gpu.draws import SLAB, Draws, Shown, Standard
from dualres.gpu.layout import ceil_div

TOKENS_AT_ONCE, BINS_AT_ONCE = 16, 128


class Augmented:
    """One resolution of `fits` supports: magnitudes beside the padded view (fits * windows, tokens, columns)."""

    def __init__(self, view: Tensor, bins: int, fits: int, draws: Draws, shown: Shown) -> None:
        self._view, self._bins, self._draws, self._shown = view, bins, draws, shown
        self._windows = len(view) // fits
        view[..., bins] = 1.0  # meets the bias; the kernel writes bins only
        self.magnitudes = torch.zeros_like(view)
        self._means, self._spreads = (torch.zeros(fits, bins, device=view.device) for _ in range(2))

    def load(self, standard_of: Callable[[Tensor], Standard]) -> None:
        """Take log(1 + magnitudes), which were written to `magnitudes`, for what they are."""
        self.magnitudes.expm1_()
        for fit, its in enumerate(self.magnitudes[..., : self._bins].split(self._windows)):
            self._means[fit], self._spreads[fit] = standard_of(its)

    def standard(self, fit: int) -> Standard:
        """What a fit's view is standardised by, in host memory."""
        return self._means[fit].cpu(), self._spreads[fit].cpu()

    def show(self) -> None:
        """Write the view of the update in work."""
        total, tokens, columns = self._view.shape
        shown = self._shown
        seen_kernel[(total, ceil_div(self._bins, BINS_AT_ONCE))](
            self.magnitudes, self._view, shown.amplitudes, shown.phases, shown.partners, shown.shares,
            self._means, self._spreads, self._draws.count, self._windows,
            TOKENS=tokens, BINS=self._bins, COLUMNS=columns, WAVES=shown.waves, SLAB=SLAB,
            ROWS=TOKENS_AT_ONCE, BLOCK=BINS_AT_ONCE,
        )  # fmt: skip
