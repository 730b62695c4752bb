"""Trains DualRes networks, each on its support and on nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from dualres.config import POLYPHASE, ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.file import Card, Model, check_members
from dualres.gpu.available import available
from dualres.learn.augment.spectra import AugmentedSpectra
from dualres.learn.augment.standardise import fold_into
from dualres.learn.batches import MICROBATCH, PlainSupport, check_support, views_of
from dualres.learn.bundle import fit_at_once
from dualres.learn.forward import Classify, training_threads
from dualres.learn.history import FittedNetwork, OnStep, Step
from dualres.learn.support import Support, spread_support
from dualres.learn.train import train
from dualres.machinery.cuda_graphs import full_precision
from dualres.machinery.seeding import seeded
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording, Samples


def fit_network(
    windows: Samples,
    labels: npt.NDArray[np.int64],
    classes: int,
    *,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    device: str = "cpu",
    progress: OnStep | None = None,
) -> FittedNetwork:
    """Train a DualRes network on raw windows (n, window) at `config.rate` with labels 0 .. classes - 1.

    The same seed and number of threads give the same weights to the last bit. The caller's random generators are left
    as they were. `progress(step, updates)` is called after each update.
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
    progress: OnStep | None = None,
) -> list[FittedNetwork]:
    """Train a network on each support with its own seed, as `fit_network` does.

    On a GPU supports of equal length are fitted all at once. `progress` is then told each update of all of them
    together, with the mean of their losses, one length after the other. Elsewhere it is told one fit after the other.
    """
    config, recipe = config or ModelConfig(), recipe or Recipe()
    if not len(supports) == len(labels) == len(seeds):
        counts = f"{len(supports)} supports, {len(labels)} sets of labels and {len(seeds)} seeds"
        raise ConfigError(f"{counts} were given: every support needs labels and a seed")
    for windows, its_labels in zip(supports, labels, strict=True):
        check_support(windows, its_labels, classes, config.window)
    settings: dict[str, Any] = {"config": config, "recipe": recipe, "device": device, "progress": progress}
    if not fits_together(config, device, recipe):
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
        fitted |= zip(some, fit_at_once(*its, classes=classes, **settings), strict=True)
    return [fitted[i] for i in range(len(supports))]


def fits_together(config: ModelConfig, device: str, recipe: Recipe | None = None) -> bool:
    """Whether several fits of such networks are done at once on that device.

    They are not where the recipe has further augmentations, which the kernels do not know.
    """
    return available(config, device) and not (recipe and recipe.more)


def _fit_alone(
    windows: Samples,
    labels: npt.NDArray[np.int64],
    classes: int,
    *,
    config: ModelConfig,
    recipe: Recipe,
    seed: int,
    device: str,
    progress: OnStep | None,
) -> FittedNetwork:
    with seeded(seed), full_precision():
        network = DualRes(classes, config, seed).to(device)
        support: PlainSupport | AugmentedSpectra
        if recipe.plain:
            targets = torch.from_numpy(labels).to(device)
            views = views_of(network.spectra, windows, device)
            support = PlainSupport(views, targets, seed=seed, microbatch=MICROBATCH)
        else:
            support = AugmentedSpectra(windows, labels, classes, config, recipe, seed=seed, device=device)
        with training_threads(network):
            history = train(network, Classify(network), support, recipe, progress=progress)
        if isinstance(support, AugmentedSpectra):
            fold_into(network.encoder, support.standards)
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
    progress: OnStep | None = None,
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
    progress: OnStep | None = None,
) -> tuple[Model, list[Step]]:
    """Train on labelled windows, which `resampler` has brought to the model's rate.

    Members learn from the same windows, with `seed`, `seed + 1` and so on. The history has their updates one member
    after the other; `fit_networks` says what `progress` is told.
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
