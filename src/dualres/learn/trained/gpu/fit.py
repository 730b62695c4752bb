"""Fits of equal shape on a GPU, all at once: one CUDA graph is one update of every network.

The whole support goes through in one pass; a single fit is a bundle of one. Where windows are augmented, the views of
an update are made on the device, as part of it.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.cuda_graphs import beside, full_precision, recorded
from dualres.kernel.gpu.draws import SLAB, GpuAugmentation, NoiseSource, StandardTensors, WindowAugmentation
from dualres.kernel.gpu.layout import ParameterLayout, ceil_div
from dualres.kernel.gpu.passes import Passes
from dualres.kernel.gpu.spectra import Spectra
from dualres.learn.trained.gpu.update_triton import adam_kernel, seen_kernel
from dualres.learn.trained.task import UPDATES, Step, UpdateRemark
from dualres.model.network import DualRes
from dualres.utils.progress import Progress, quiet

UPLOADED_WINDOWS = 128  # whose samples are on the device together
TOKENS_AT_ONCE, BINS_AT_ONCE = 16, 64  # of a window that is augmented
PARAMETERS_AT_ONCE = 64
GRADIENT_ROWS = 16  # windows whose shares of the gradient are loaded together
BETAS, EPS = (0.9, 0.999), 1e-8  # torch.optim.Adam's

FitShape = tuple[ModelConfig, int, int | None]  # of network: sizes, classes, and how it is shown its windows
_compiled: set[FitShape] = set()
_warm: set[tuple[FitShape, int, int, torch.device]] = set()  # kinds and numbers of networks and windows, and where

Supports = Sequence[npt.NDArray[np.float32]]
FitLabels = Sequence[npt.NDArray[np.int64]]


class TrainingTrace(NamedTuple):
    """What is told of a network that was trained in place."""

    losses: list[float]  # before each update
    standards: list[StandardTensors]  # of the short and the long view that it learned from; none where they were plain
    stages: dict[int, DualRes]  # what it was after the updates that were asked for


@full_precision()
@torch.no_grad()
def fit_together(
    networks: Sequence[DualRes],
    supports: Supports,
    labels: FitLabels,
    *,
    recipe: Recipe,
    seeds: Sequence[int],
    device: str,
    augmentation: GpuAugmentation | None = None,
    progress: Progress = quiet,
    stages: Collection[int] = (),
) -> list[TrainingTrace]:
    """Train each network of one kind, in place, on its checked support (n, window), all with the same n.

    The networks end on the device, with gradients. `progress` hears of every update in bursts, with the mean of losses.
    """
    layout = ParameterLayout(networks[0].config, networks[0].head.out_features)
    where = torch.device(device)
    where = torch.device("cuda", torch.cuda.current_device() if where.index is None else where.index)
    stream = beside(where.index)
    stream.wait_stream(torch.cuda.current_stream(where))  # memory that is free may still be read there
    with torch.cuda.device(where), torch.cuda.stream(stream):
        # What is augmented is drawn for each fit; else fits may be shown the same.
        sources = None if augmentation else sources_of(supports)
        bundle = Bundle(
            layout, seeds, len(supports[0]), recipe=recipe, device=where, augmentation=augmentation, sources=sources
        )
        bundle.load(supports, labels)
        bundle.start(torch.stack([layout.pack(network.to(where)) for network in networks]))
        kept = bundle.run(progress, stages)
        losses = bundle.adam.history.tolist()
        gradients = bundle.passes.gradients.unflatten(0, (len(seeds), -1)).sum(1)
        for network, row, gradient in zip(networks, bundle.passes.weights, gradients, strict=True):
            layout.unpack(row, network)
            layout.unpack_gradients(gradient, network)
            network.eval()
        earlier: list[dict[int, DualRes]] = [{update: deepcopy(network) for update in kept} for network in networks]
        for fit, its in enumerate(earlier):
            for update, network in its.items():
                layout.unpack(kept[update][fit], network)
        standards = [[view.standard(fit) for view in bundle.augmented] for fit in range(len(seeds))]
        stream.synchronize()
    return [TrainingTrace(*its) for its in zip(losses, standards, earlier, strict=True)]


def sources_of(supports: Supports) -> list[int]:
    """For each support its number among those that differ, in the order in which they come."""
    different: list[npt.NDArray[np.float32]] = []
    sources = []
    for support in supports:
        source = next((i for i, other in enumerate(different) if _same(other, support)), len(different))
        if source == len(different):
            different.append(support)
        sources.append(source)
    return sources


def _same(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> bool:
    """Most that differ do so in their first window."""
    return one is other or (np.array_equal(one[0], other[0]) and np.array_equal(one, other))


class Bundle:
    """Everything on the device that fits of one shape share; to be used on one stream.

    `sources` tells which of their supports each fit learns from, as `sources_of` has it; by default each has its own.
    """

    def __init__(
        self,
        layout: ParameterLayout,
        seeds: Sequence[int],
        windows: int,
        *,
        recipe: Recipe,
        device: torch.device,
        augmentation: GpuAugmentation | None = None,
        sources: Sequence[int] | None = None,
    ) -> None:
        self._sources = range(len(seeds)) if sources is None else sources
        self._layout, self._device, self._recipe, self._augmentation = layout, device, recipe, augmentation
        shown = WindowAugmentation(augmentation.sources, windows, augmentation.waves, device) if augmentation else None
        self.draws = NoiseSource(seeds, windows, layout.config.width, device, shown=shown)
        self.passes = Passes(layout, len(seeds), windows, device, draws=self.draws, sources=self._sources)
        self.augmented: list[AugmentedSupports] = []  # the short and the long view, where they change with every update
        if shown:
            views = (self.passes.short, layout.config.short_bins), (self.passes.long, layout.config.long_bins)
            self.augmented = [AugmentedSupports(*view, len(seeds), draws=self.draws, shown=shown) for view in views]
        self.adam = Adam(len(seeds), layout.size, recipe, device)
        self._kind: FitShape = (layout.config, layout.classes, shown.waves if shown else None)

    @contextmanager
    def _compiling(self) -> Iterator[None]:
        """Kernels are compiled side by side, at the first fit of a kind; what they do on the way is overwritten."""
        if self._kind in _compiled:
            yield
            return
        stream = torch.cuda.current_stream()

        def first_call(kernel: Callable[[], None]) -> None:
            with torch.cuda.device(self._device), torch.cuda.stream(stream):
                kernel()

        with ThreadPoolExecutor() as pool:
            calls = [pool.submit(first_call, kernel) for kernel in (*self.passes.kernels, self._step, self._show)]
            yield
        for call in calls:
            call.result()
        _compiled.add(self._kind)

    def load(self, supports: Supports, labels: FitLabels) -> None:
        """Take the supports' labels, and their spectra, which are computed once; compile the passes meanwhile."""
        with self._compiling():
            windows, samples = len(supports[0]), self._layout.config.window
            self.passes.labels.copy_(torch.from_numpy(np.concatenate(labels)))
            most = min(UPLOADED_WINDOWS, windows)
            spectra = Spectra(self._layout, most, most * samples, self._device, apart=True)
            starts = torch.arange(0, most * samples, samples, device=self._device)
            short, long = [view.magnitudes for view in self.augmented] or (self.passes.short, self.passes.long)
            for source, support in dict(zip(self._sources, supports, strict=True)).items():
                raw = torch.from_numpy(np.ascontiguousarray(support))
                for i in range(0, windows, most):
                    signal = raw[i : i + most].to(self._device).flatten()
                    rows = slice(source * windows + i, source * windows + min(i + most, windows))
                    spectra.fill(short[rows], long[rows], signal, starts[: rows.stop - rows.start])
            if self._augmentation:
                for view in self.augmented:
                    view.load(self._augmentation.standard_of)

    def start(self, weights: Tensor) -> None:
        """Record an update, and begin from `weights` (fits, size)."""
        self.draws.count.fill_(-1)
        shape = (self._kind, len(self.passes.weights), len(self.passes.labels), self._device)
        if shape not in _warm:
            self._update()  # lets libraries choose their kernels and workspaces; its effects are undone
            _warm.add(shape)
        self._graph = recorded(self._update)
        self.passes.weights.copy_(weights)
        self.adam.reset()
        self.draws.count.fill_(-1)

    def _update(self) -> None:
        self.draws.count.add_(1)
        self._show()
        self.passes.forward()
        self.passes.backward()
        self._step()

    def _show(self) -> None:
        branches = self._layout.config.branches
        for name, view in zip(("short", "long"), self.augmented, strict=False):
            if branches in (name, "both"):
                view.show()

    def _step(self) -> None:
        self.adam.step(self.passes.weights, self.passes.gradients, self.passes.losses, self.draws.count)

    def run(self, progress: Progress, stages: Collection[int] = ()) -> dict[int, Tensor]:
        """All updates, and the weights (fits, size) after those that `stages` names.

        The device is waited for only where there is progress to tell, or draws to be copied to it.
        """
        updates, kept = self._recipe.updates, {}
        for begin in range(0, updates, SLAB):
            end = min(begin + SLAB, updates)
            self.draws.renew()
            for update in range(begin + 1, end + 1):
                self._graph.replay()
                if update in stages:
                    kept[update] = self.passes.weights.clone()
            if progress is not quiet:
                losses = self.adam.history[:, begin:end].mean(0).tolist()
                for update, loss in enumerate(losses, start=begin + 1):
                    step = Step(update, loss, self._recipe.rate_at(update))
                    progress(UPDATES, update, updates, UpdateRemark.of(step))
        return kept


class AugmentedSupports:
    """One resolution of augmented supports: magnitudes beside the padded view (fits * windows, tokens, columns)."""

    def __init__(self, view: Tensor, bins: int, fits: int, *, draws: NoiseSource, shown: WindowAugmentation) -> None:
        self._view, self._bins, self._draws, self._shown = view, bins, draws, shown
        self._windows = len(view) // fits
        view[..., bins] = 1.0  # meets the bias; the kernel writes bins only
        self.magnitudes = torch.zeros_like(view)
        self._means, self._spreads = (torch.zeros(fits, bins, device=view.device) for _ in range(2))

    def load(self, standard_of: Callable[[Tensor], StandardTensors]) -> None:
        """Take log(1 + magnitudes), which were written to `magnitudes`, for what they are."""
        self.magnitudes.expm1_()
        for fit, its in enumerate(self.magnitudes[..., : self._bins].split(self._windows)):
            self._means[fit], self._spreads[fit] = standard_of(its)

    def standard(self, fit: int) -> StandardTensors:
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


class Adam:
    """`adam_kernel`'s moments of `fits` networks; `history` (fits, updates) holds the loss before each update."""

    def __init__(self, fits: int, size: int, recipe: Recipe, device: torch.device) -> None:
        self._mean, self._square = torch.zeros(fits, size, device=device), torch.zeros(fits, size, device=device)
        self.history = torch.zeros(fits, recipe.updates, device=device)
        rates = [
            (recipe.rate_at(update) / (1 - BETAS[0] ** update), math.sqrt(1 - BETAS[1] ** update))
            for update in range(1, recipe.updates + 1)
        ]
        self._rates = torch.tensor(rates, dtype=torch.float32).to(device)

    def step(self, weights: Tensor, gradients: Tensor, losses: Tensor, count: Tensor) -> None:
        """Update `weights` (fits, size) by the windows' gradients (fits * windows, size); `count` (1,) is from 0."""
        fits, size = weights.shape
        adam_kernel[(ceil_div(size, PARAMETERS_AT_ONCE), fits)](
            weights, self._mean, self._square, gradients, losses, self.history, self._rates, count,
            len(gradients) // fits, self.history.shape[1],
            SIZE=size, BETA_1=BETAS[0], BETA_2=BETAS[1], EPS=EPS, ROWS=GRADIENT_ROWS, BLOCK=PARAMETERS_AT_ONCE,
        )  # fmt: skip

    def reset(self) -> None:
        self._mean.zero_()
        self._square.zero_()
