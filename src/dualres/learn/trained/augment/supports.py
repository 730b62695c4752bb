"""Supports as an augmented fit sees them: at every update each window with other gains over frequency, and blended.

For DualRes gains act on magnitudes, which are computed once; both views see the same ones. Log-magnitudes are what is
blended and standardised. For networks that read the waveform each window is filtered, and then blended. It is
normalised before, and not again after. There are no spectra, so nothing is standardised.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from dualres.config import ModelConfig, Recipe
from dualres.kernel import augment as compiled
from dualres.learn.support import MICROBATCH, Views, views_of
from dualres.learn.trained.augment.draws import Draw, draws
from dualres.learn.trained.augment.paths import GainCurve, filtered, gains
from dualres.learn.trained.augment.standardise import SpectrumStandard, no_standard, standard_of
from dualres.learn.trained.task import Task
from dualres.learn.trained.train import Batch, support_order
from dualres.model.spectra import aligned_magnitudes, normalise


class AugmentedSupport(ABC):
    """Checked windows with labels 0 .. classes - 1, each microbatch of them shown as `recipe` has it drawn."""

    def __init__(self, task: Task, recipe: Recipe, microbatch: int) -> None:
        self.windows, self.device, self._microbatch = len(task.labels), torch.device(task.device), microbatch
        self.order = support_order(task.seed, self.windows)
        self._draws = draws(recipe, self.windows, task.seed)
        self._targets = one_hot(torch.from_numpy(task.labels[self.order]), task.classes).float().to(self.device)

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


class AugmentedSpectra(AugmentedSupport):
    """Windows (n, window) at `config.rate`, as the two views of DualRes. Each batch is overwritten by the next one."""

    def __init__(self, task: Task, config: ModelConfig, recipe: Recipe) -> None:
        super().__init__(task, recipe, MICROBATCH)
        measure = standard_of if recipe.standardise else no_standard
        magnitudes = views_of(partial(aligned_magnitudes, config=config), task.windows[self.order], task.device)
        self.standards = [measure(m) for m in magnitudes]  # of the short and the long view
        self._views = [View(m, standard) for m, standard in zip(magnitudes, self.standards, strict=True)]

    def shown(self, drawn: Draw) -> Callable[[slice], tuple[Tensor, ...]]:
        partners, shares = (torch.from_numpy(array).to(self.device) for array in drawn.mixture)
        for view in self._views:
            view.gain(drawn.curve)
        return lambda rows: tuple(view.seen(rows, partners, shares) for view in self._views)


class View:
    """One resolution of all windows: magnitudes (windows, tokens, bins), and what they are standardised by."""

    def __init__(self, magnitudes: Tensor, standard: SpectrumStandard) -> None:
        self.standard, self._magnitudes = standard, magnitudes
        self._gains = magnitudes.new_ones(magnitudes.shape[::2])  # (windows, bins)
        self._room = torch.empty_like(magnitudes[:MICROBATCH])  # allocating costs more than computing

    def gain(self, curve: GainCurve | None) -> None:
        """From now on the windows are seen with these gains."""
        if curve is not None:
            self._gains = gains(curve, self._gains.shape[1], self._gains.device)

    def seen(self, rows: slice, partners: Tensor, shares: Tensor) -> Tensor:
        """Some of the windows, (rows, tokens, bins)."""
        given = self._magnitudes, self._gains, self.standard
        if compiled.available(self._magnitudes):
            room = self._room[: rows.stop - rows.start]
            return compiled.seen(*given, rows=rows, partners=partners, shares=shares, out=room)
        return seen_ref(*given, rows=rows, partners=partners, shares=shares)


def seen_ref(
    magnitudes: Tensor, gains: Tensor, standard: SpectrumStandard, *, rows: slice, partners: Tensor, shares: Tensor
) -> Tensor:
    """The readable twin of kernel/augment.c and learn/trained/gpu/update_triton.py."""
    others = partners[rows]
    own = torch.log1p(magnitudes[rows] * gains[rows, None])
    other = torch.log1p(magnitudes[others] * gains[others, None])
    share = shares[rows, None, None]
    return (share * own + (1 - share) * other - standard.mean) / standard.spread


class AugmentedWindows(AugmentedSupport):
    """Windows (n, window), and what `views` makes of them after they were normalised: a network's inputs."""

    def __init__(self, task: Task, views: Views, recipe: Recipe, microbatch: int) -> None:
        super().__init__(task, recipe, microbatch)
        (self._signals,) = views_of(lambda some: (normalise(some),), task.windows[self.order], task.device)
        self._views = views

    @torch.no_grad()
    def shown(self, drawn: Draw) -> Callable[[slice], tuple[Tensor, ...]]:
        heard = self._signals if drawn.curve is None else filtered(self._signals, drawn.curve)
        blended = drawn.mixture.blended(heard)
        return torch.no_grad()(lambda rows: self._views(blended[rows]))
