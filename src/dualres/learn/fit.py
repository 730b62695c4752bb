"""The recipe: how a network is trained on its support, and on nothing else."""

from __future__ import annotations

import gc
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from dualres.config import ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.file import Card, Model, check_members
from dualres.learn.augment.spectra import AugmentedSpectra
from dualres.learn.augment.standardise import fold_into
from dualres.learn.batches import WINDOWS_AT_ONCE, PlainSupport, TrainingSupport, check_support, views_of
from dualres.learn.support import Support, spread_support
from dualres.machinery.cuda_graphs import Captured, full_precision
from dualres.model.network import DualRes, training_threads
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.resample import POLYPHASE


@dataclass(frozen=True)
class Step:
    """One update of a training history."""

    update: int  # from 1
    loss: float  # mean cross-entropy over the support as this update saw it, before the update, in nats
    learning_rate: float


Progress = Callable[[Step, int], None]  # called after each update with the number of updates planned


@dataclass(frozen=True)
class FittedNetwork:
    network: DualRes
    history: list[Step]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Set PyTorch's and Python's generators for a fit, and leave them afterwards as they were."""
    python = random.getstate()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):  # seeding touches every device
        torch.manual_seed(seed)
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(python)


def train(
    model: nn.Module,
    forward: Callable[..., Tensor],
    support: TrainingSupport,
    recipe: Recipe,
    *,
    draws: Callable[[], tuple[Tensor, ...]] = tuple,
    progress: Progress | None = None,
    graphs: bool = True,
) -> list[Step]:
    """Adam on the mean cross-entropy of `forward(*views)`: one update per pass, the last weights stay.

    Gradients are gathered over the support's microbatches, each weighted by its share of the windows. What `draws`
    gives is passed to each forward pass after the views. On a GPU a microbatch is one CUDA graph, unless `graphs` is
    off.
    """
    on_gpu = support.device.type == "cuda"
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.Adam(trained, fused=on_gpu)
    total = torch.zeros((), device=support.device)

    def accumulate(targets: Tensor, *views: Tensor) -> None:
        loss = cross_entropy(forward(*views), targets) * (len(targets) / support.windows)
        loss.backward()
        total.add_(loss.detach())

    model.train()
    step = Captured(accumulate, model, total) if on_gpu and graphs else accumulate
    history = []
    with training_threads(model):
        for update in range(1, recipe.updates + 1):
            rate = recipe.rate_at(update)
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.zero_grad(set_to_none=not on_gpu)  # a graph adds to the very tensors it was recorded with
            total.zero_()
            for *views, targets in support.batches():
                step(targets, *views, *draws())
            optimiser.step()
            history.append(Step(update, float(total), rate))
            if progress:
                progress(history[-1], recipe.updates)
    model.eval()
    return history


def fit_network(
    windows: Samples,
    labels: npt.NDArray[np.int64],
    classes: int,
    *,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    device: str = "cpu",
    progress: Progress | None = None,
) -> FittedNetwork:
    """Train a DualRes network on raw windows (n, window) at `config.rate` with labels 0 .. classes - 1.

    The same seed and number of threads give the same weights to the last bit. The caller's random
    generator is left as it was.
    """
    (fitted,) = fit_networks(
        [windows],
        [labels],
        classes,
        seeds=[seed],
        config=config,
        recipe=recipe,
        device=device,
        progress=progress,
    )
    return fitted


def fit_networks(
    supports: Sequence[Samples],
    labels: Sequence[npt.NDArray[np.int64]],
    classes: int,
    *,
    seeds: Sequence[int],
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
) -> list[FittedNetwork]:
    """Train a network on each support, every one with its own seed, as `fit_network` does.

    On a GPU supports of equal length are fitted all at once, and `progress` hears of an update of all of them
    together, with the mean of their losses; then of the next length. Elsewhere it hears of one fit after the other.
    """
    config, recipe = config or ModelConfig(), recipe or Recipe()
    if not len(supports) == len(labels) == len(seeds):
        counts = f"{len(supports)} supports, {len(labels)} sets of labels and {len(seeds)} seeds"
        raise ConfigError(f"{counts} were given: every support needs labels and a seed")
    for windows, its_labels in zip(supports, labels, strict=True):
        check_support(windows, its_labels, classes, config.window)
    settings: dict[str, Any] = {"config": config, "recipe": recipe, "device": device, "progress": progress}
    if not fits_together(config, device):
        return [
            _fit_alone(windows, its_labels, classes, seed=seed, **settings)
            for windows, its_labels, seed in zip(supports, labels, seeds, strict=True)
        ]
    of_length = defaultdict(list)  # positions
    for i, windows in enumerate(supports):
        of_length[len(windows)].append(i)
    fitted: dict[int, FittedNetwork] = {}
    for some in of_length.values():
        its = [supports[i] for i in some], [labels[i] for i in some], [seeds[i] for i in some]
        fitted |= zip(some, _fit_at_once(*its, classes=classes, **settings), strict=True)
    return [fitted[i] for i in range(len(supports))]


@cache
def fits_together(config: ModelConfig, device: str) -> bool:
    """Whether there is a GPU path for networks of these sizes there."""
    if not device.startswith("cuda") or find_spec("triton") is None:
        return False
    return bool(import_module("dualres.gpu.passes").fits_the_kernels(config))


def _fit_at_once(
    supports: Sequence[Samples], labels: Sequence[npt.NDArray[np.int64]], seeds: Sequence[int], **settings: Any
) -> list[FittedNetwork]:
    """On a GPU, in halves where its memory is too small for all; a single fit has no other way with the same draws."""
    try:
        fitted: list[FittedNetwork] = import_module("dualres.gpu.fit").fit_together(
            supports, labels, seeds=seeds, **settings
        )
        return fitted
    except torch.cuda.OutOfMemoryError:
        if len(supports) == 1:
            raise
    gc.collect()  # an error raised on another thread holds on to the memory of what failed
    half = len(supports) // 2
    parts = (slice(None, half), slice(half, None))
    return [one for part in parts for one in _fit_at_once(supports[part], labels[part], seeds[part], **settings)]


def _fit_alone(
    windows: Samples,
    labels: npt.NDArray[np.int64],
    classes: int,
    *,
    config: ModelConfig,
    recipe: Recipe,
    seed: int,
    device: str,
    progress: Progress | None,
) -> FittedNetwork:
    with seeded(seed), full_precision():
        network = DualRes(classes, config, seed).to(device)
        if recipe.plain:
            targets = torch.from_numpy(labels).to(device)
            views = views_of(network.spectra, windows, device)
            plain = PlainSupport(views, targets, seed=seed, microbatch=WINDOWS_AT_ONCE)
            history = train(network, network.classify, plain, recipe, progress=progress)
        else:
            augmented = AugmentedSpectra(windows, labels, classes, config, recipe, seed=seed, device=device)
            history = train(network, network.classify, augmented, recipe, progress=progress)
            fold_into(network.encoder, augmented.standards)
    return FittedNetwork(network, history)


def fit_recordings(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    *,
    windows_each: int = 12,
    resampler: str = POLYPHASE,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    members: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
) -> tuple[Model, list[Step]]:
    """Train on whole recordings: at most `windows_each` windows of each, spread over it; then as `fit_support`."""
    _check_wanted(classes, members)
    config = config or ModelConfig()
    support = spread_support(recordings, labels, classes, config, windows_each=windows_each, resampler=resampler)
    return fit_support(
        support,
        classes,
        resampler=resampler,
        config=config,
        recipe=recipe,
        seed=seed,
        members=members,
        device=device,
        progress=progress,
    )


def fit_support(
    support: Support,
    classes: Sequence[str],
    *,
    resampler: str = POLYPHASE,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    members: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
) -> tuple[Model, list[Step]]:
    """Train on labelled windows, which `resampler` has brought to the model's rate.

    Members learn from the same windows, with `seed`, `seed + 1` and so on. The history, and `progress`, tell of one
    after the other; but see `fit_networks` for what `progress` hears on a GPU.
    """
    config, recipe = config or ModelConfig(), recipe or Recipe()
    _check_wanted(classes, members)
    card = Card(tuple(classes), config, recipe, seed, resampler, exposure_s=support.seconds, members=int(members))
    fitted = fit_networks(
        [support.windows] * card.members,
        [support.labels] * card.members,
        len(classes),
        seeds=card.seeds,
        config=config,
        recipe=recipe,
        device=device,
        progress=progress,
    )
    history = [step for one in fitted for step in one.history]
    return Model(tuple(one.network for one in fitted), card), history


def _check_wanted(classes: Sequence[str], members: int) -> None:
    check_members(members)
    if len(classes) < 2:
        raise ConfigError("there is one class only: at least two classes are needed to tell apart")


def expected_s(windows: int, recipe: Recipe, config: ModelConfig | None = None, device: str = "cpu") -> float:
    """How long a fit will take here, in seconds, judged by some updates."""
    config = config or ModelConfig()
    in_bursts = fits_together(config, device)  # news of updates comes so; and there few windows cost as much as many
    few = max(windows if in_bursts else min(32, windows), 2)
    updates = 4 * import_module("dualres.gpu.draws").SLAB if in_bursts else 5
    noise = np.random.default_rng(0).standard_normal((few, config.window)).astype(np.float32)
    labels = np.arange(few, dtype=np.int64) % 2
    moments: list[float] = []
    fit_network(
        noise,
        labels,
        2,
        config=config,
        recipe=replace(recipe, updates=updates),
        device=device,
        progress=lambda step, total: moments.append(time.perf_counter()),
    )
    half = updates // 2
    each = (moments[-1] - moments[half - 1]) / half if in_bursts else np.diff(moments).min()
    return float(each) * windows / few * recipe.updates
