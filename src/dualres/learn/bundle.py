"""Fits of one length on a GPU, all at once: what is handed to it, and what is made of its answer."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from dualres.config import ModelConfig, Recipe
from dualres.gpu.draws import GpuAugmentation
from dualres.learn.augment.draws import draws, in_own_order
from dualres.learn.augment.standardise import Standard, fold_into, standardiser
from dualres.learn.batches import support_order
from dualres.learn.history import FittedNetwork, OnStep, Step
from dualres.machinery.seeding import seeded
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples

Labels = npt.NDArray[np.int64]


def fit_at_once(
    supports: Sequence[Samples], labels: Sequence[Labels], seeds: Sequence[int], **settings: Any
) -> list[FittedNetwork]:
    """`fit_bundle`, in halves where the device's memory is too small for all of it.

    A single fit that is too large is an error: no other path draws the same numbers.
    """
    try:
        return fit_bundle(supports, labels, seeds, **settings)
    except torch.cuda.OutOfMemoryError:
        if len(supports) == 1:
            raise
    gc.collect()  # an error raised on another thread holds on to the memory of what failed
    half = len(supports) // 2
    parts = (slice(None, half), slice(half, None))
    return [one for part in parts for one in fit_at_once(supports[part], labels[part], seeds[part], **settings)]


def fit_bundle(
    supports: Sequence[Samples],
    labels: Sequence[Labels],
    seeds: Sequence[int],
    *,
    classes: int,
    config: ModelConfig,
    recipe: Recipe,
    device: str,
    progress: OnStep | None,
) -> list[FittedNetwork]:
    """A network for each of the checked supports (n, window), all with the same n."""
    from dualres.gpu.fit import fit_together

    def told(update: int, loss: float) -> None:
        if progress:
            progress(Step(update, loss, recipe.rate_at(update)), recipe.updates)

    networks = []
    for seed in seeds:
        with seeded(seed):
            networks.append(DualRes(classes, config, seed))
    trained = fit_together(
        networks,
        supports,
        labels,
        recipe=recipe,
        seeds=seeds,
        device=device,
        augmentation=augmentation_of(recipe, len(supports[0]), seeds),
        progress=told if progress else None,
    )
    fitted = []
    for network, (losses, standards) in zip(networks, trained, strict=True):
        if standards:
            fold_into(network.encoder, [Standard(*standard) for standard in standards])
        steps = [Step(update, loss, recipe.rate_at(update)) for update, loss in enumerate(losses, start=1)]
        fitted.append(FittedNetwork(network, steps))
    return fitted


def augmentation_of(recipe: Recipe, windows: int, seeds: Sequence[int]) -> GpuAugmentation | None:
    """What the recipe has a GPU do to windows in the order in which they are given; None for a plain recipe."""
    if recipe.plain:
        return None
    return GpuAugmentation(
        [in_own_order(draws(recipe, windows, seed), support_order(seed, windows)) for seed in seeds],
        recipe.path_waves if recipe.path_sigma else 0,
        standardiser(recipe),
    )
