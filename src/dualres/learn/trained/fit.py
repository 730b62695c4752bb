"""Trains DualRes networks, each on its support and on nothing else."""

import gc
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from dualres.config import ModelConfig, Recipe
from dualres.kernel.gpu.available import available
from dualres.kernel.gpu.cuda_graphs import full_precision
from dualres.kernel.gpu.draws import SLAB, GpuAugmentation
from dualres.learn.support import MICROBATCH, Labels, check_support, noise_support, views_of
from dualres.learn.trained.augment.draws import draws, in_own_order
from dualres.learn.trained.augment.standardise import SpectrumStandard, fold_into, no_standard, standard_of
from dualres.learn.trained.augment.supports import AugmentedSpectra
from dualres.learn.trained.forward import Classify, training_threads
from dualres.learn.trained.task import FittedNetwork, OnStep, Step, Task, by_step, in_turn, keeping
from dualres.learn.trained.train import PlainSupport, seeded, support_order, train
from dualres.model.network import DualRes
from dualres.recordings.recording import Samples
from dualres.utils.progress import Progress, part_of

FEW_WINDOWS, FEW_UPDATES = 32, 5  # by which the time of a fit is judged


def fit_network(
    windows: Samples,
    labels: Labels,
    classes: int,
    *,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    device: str = "cpu",
    progress: OnStep | None = None,
) -> FittedNetwork[DualRes]:
    """Train a DualRes network on raw windows (n, window) at `config.rate` with labels 0 .. classes - 1.

    The same seed and number of threads give the same weights to the last bit. The caller's random generators are left
    as they were. `progress(step, updates)` is called after each update.
    """
    task = Task(windows, labels, classes, seed, device, by_step(progress))
    return fit_networks([task], config, recipe)[0]


def fit_networks(
    tasks: Sequence[Task], config: ModelConfig | None = None, recipe: Recipe | None = None
) -> list[FittedNetwork[DualRes]]:
    """Train a network for each task, as `fit_network` does. They have one device and one progress.

    On a GPU supports of equal length are fitted all at once. Progress is then told of each update of all of them
    together, with the mean of their losses, one length after the other. Elsewhere it is told of one fit after the
    other. Each network is kept as it was after the updates that its task's `stages` names, too.
    """
    config, recipe = config or ModelConfig(), recipe or Recipe()
    for task in tasks:
        check_support(task.windows, task.labels, task.classes, config.window)
    if not fits_together(config, tasks[0].device, recipe):
        return [_fit_alone(task, config, recipe) for task in in_turn(tasks)]
    of_length = defaultdict(list)  # positions
    for i, task in enumerate(tasks):
        of_length[len(task.windows)].append(i)
    fitted: dict[int, FittedNetwork[DualRes]] = {}
    for number, some in enumerate(of_length.values()):
        told = part_of(tasks[0].progress, number, len(of_length))
        fitted |= zip(some, fit_at_once([tasks[i] for i in some], config, recipe, told), strict=True)
    return [fitted[i] for i in range(len(tasks))]


def fits_together(config: ModelConfig, device: str, recipe: Recipe | None = None) -> bool:
    """Whether such fits are done at once on that device, whose kernels know no further augmentations."""
    return available(config, device) and not (recipe and recipe.more)


def _fit_alone(task: Task, config: ModelConfig, recipe: Recipe) -> FittedNetwork[DualRes]:
    with seeded(task.seed), full_precision():
        network = DualRes(task.classes, config, task.seed).to(task.device)
        support: PlainSupport | AugmentedSpectra
        if recipe.plain:
            views, targets = views_of(network.spectra, task.windows, task.device), torch.from_numpy(task.labels)
            support = PlainSupport(views, targets.to(task.device), seed=task.seed, microbatch=MICROBATCH)
        else:
            support = AugmentedSpectra(task, config, recipe)
        stages: dict[int, DualRes] = {}
        keep = keeping(network, task.stages, stages)
        with training_threads(network):
            history = train(network, Classify(network), support, recipe, keep=keep, progress=task.progress)
        if isinstance(support, AugmentedSpectra):
            for trained in (network, *stages.values()):
                fold_into(trained.encoder, support.standards)
    return FittedNetwork(network, history, stages)


def fit_at_once(
    tasks: Sequence[Task], config: ModelConfig, recipe: Recipe, progress: Progress
) -> list[FittedNetwork[DualRes]]:
    """`fit_bundle`, in halves where memory is too small; a single fit has no other path that draws the same numbers."""
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


def expected_training_s(windows: int, recipe: Recipe, config: ModelConfig, device: str) -> float:
    """How long a fit will take on this machine, in seconds, judged by a few updates."""
    in_bursts = fits_together(config, device, recipe)  # news then comes so, and few windows cost as much as many
    few = max(windows if in_bursts else min(FEW_WINDOWS, windows), 2)
    updates = 4 * SLAB if in_bursts else FEW_UPDATES
    moments: list[float] = []

    def tell(stage: str, done: int, total: int, remark: str) -> None:
        moments.append(time.perf_counter())

    task = Task(*noise_support(few, config), classes=2, seed=41, device=device, progress=tell)
    fit_networks([task], config, replace(recipe, updates=updates))
    half = updates // 2
    # On a GPU the last update may be over while the one before it is told of.
    each = (moments[-1] - moments[half - 1]) / half if in_bursts else np.diff(moments[:-1]).min()
    return float(each) * windows / few * recipe.updates
