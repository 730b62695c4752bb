"""Fits of one length on a GPU, all at once: what is handed to it, and what is made of its answer."""

import gc
from collections.abc import Sequence

import torch

from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.draws import GpuAugmentation
from dualres.learn.trained.augment.draws import draws, in_own_order
from dualres.learn.trained.augment.standardise import SpectrumStandard, fold_into, no_standard, standard_of
from dualres.learn.trained.batches import support_order
from dualres.learn.trained.seeding import seeded
from dualres.learn.trained.task import FittedNetwork, Step, Task
from dualres.model.network import DualRes
from dualres.utils.progress import Progress, part_of


def fit_at_once(
    tasks: Sequence[Task], config: ModelConfig, recipe: Recipe, progress: Progress
) -> list[FittedNetwork[DualRes]]:
    """`fit_bundle`, in halves where the device's memory is too small for all of it.

    A single fit that is too large is an error: no other path draws the same numbers.
    """
    try:
        return fit_bundle(tasks, config, recipe, progress)
    except torch.cuda.OutOfMemoryError:
        if len(tasks) == 1:
            raise
    gc.collect()  # an error raised on another thread holds on to the memory of what failed
    half = len(tasks) // 2
    first = fit_at_once(tasks[:half], config, recipe, part_of(progress, 0, 2))
    return first + fit_at_once(tasks[half:], config, recipe, part_of(progress, 1, 2))


def fit_bundle(
    tasks: Sequence[Task], config: ModelConfig, recipe: Recipe, progress: Progress
) -> list[FittedNetwork[DualRes]]:
    """A network for each of the tasks, whose supports are checked and have equally many windows."""
    from dualres.learn.trained.gpu.fit import fit_together

    seeds, networks = [task.seed for task in tasks], []
    for task in tasks:
        with seeded(task.seed):
            networks.append(DualRes(task.classes, config, task.seed))
    trained = fit_together(
        networks,
        [task.windows for task in tasks],
        [task.labels for task in tasks],
        recipe=recipe,
        seeds=seeds,
        device=tasks[0].device,
        augmentation=augmentation_of(recipe, len(tasks[0].windows), seeds),
        progress=progress,
        stages=tasks[0].stages,
    )
    fitted = []
    for network, (losses, standards, stages) in zip(networks, trained, strict=True):
        for each in (network, *stages.values()) if standards else ():
            fold_into(each.encoder, [SpectrumStandard(*standard) for standard in standards])
        steps = [Step(update, loss, recipe.rate_at(update)) for update, loss in enumerate(losses, start=1)]
        fitted.append(FittedNetwork(network, steps, stages))
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
