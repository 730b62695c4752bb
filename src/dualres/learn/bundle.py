"""Fits of one length on a GPU, all at once: what is handed to it, and what is made of its answer."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from dualres.config import ModelConfig, Recipe
from dualres.gpu.draws import GpuAugmentation
from dualres.learn.augment.draws import draws, in_own_order
from dualres.learn.augment.standardise import Standard, fold_into, no_standard, standard_of
from dualres.learn.batches import Labels, support_order
from dualres.learn.history import FittedNetwork, Progress, Step
from dualres.machinery.seeding import seeded
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples

Fit = tuple[Samples, Labels, int]  # a checked support (n, window), its labels, and a seed


@dataclass(frozen=True)
class Terms:
    """What all fits of a call have in common."""

    classes: int
    config: ModelConfig
    recipe: Recipe
    device: str
    progress: Progress | None


def fit_at_once(fits: Sequence[Fit], how: Terms) -> list[FittedNetwork]:
    """`fit_bundle`, in halves where the device's memory is too small for all of it.

    A single fit that is too large is an error: no other path draws the same numbers.
    """
    try:
        return fit_bundle(fits, how)
    except torch.cuda.OutOfMemoryError:
        if len(fits) == 1:
            raise
    gc.collect()  # an error raised on another thread holds on to the memory of what failed
    half = len(fits) // 2
    return fit_at_once(fits[:half], how) + fit_at_once(fits[half:], how)


def fit_bundle(fits: Sequence[Fit], how: Terms) -> list[FittedNetwork]:
    """A network for each of the supports, all with the same number of windows."""
    from dualres.gpu.fit import fit_together

    recipe, progress = how.recipe, how.progress
    supports, labels, seeds = zip(*fits, strict=True)

    def told(update: int, loss: float) -> None:
        if progress:
            progress(Step(update, loss, recipe.rate_at(update)), recipe.updates)

    networks = []
    for seed in seeds:
        with seeded(seed):
            networks.append(DualRes(how.classes, how.config, seed))
    settings: Any = {"recipe": recipe, "seeds": seeds, "device": how.device, "progress": told if progress else None}
    augmentation = augmentation_of(recipe, len(supports[0]), seeds)
    trained = fit_together(networks, supports, labels, augmentation=augmentation, **settings)
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
        standard_of if recipe.standardise else no_standard,
    )
