"""Trains DualRes networks, each on its support and on nothing else."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dualres.config import DEFAULT_RESAMPLER, ModelConfig, Recipe
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.kernel.gpu.available import available
from dualres.kernel.gpu.cuda_graphs import full_precision
from dualres.kernel.gpu.draws import SLAB
from dualres.learn.closed_form import OnLook, fit_views
from dualres.learn.learned_from import learned_from
from dualres.learn.support import Support, spread_support
from dualres.learn.trained.augment.standardise import fold_into
from dualres.learn.trained.augment.supports import AugmentedSpectra
from dualres.learn.trained.batches import MICROBATCH, Labels, PlainSupport, check_support, views_of
from dualres.learn.trained.forward import Classify, training_threads
from dualres.learn.trained.gpu_batch import fit_at_once
from dualres.learn.trained.seeding import seeded
from dualres.learn.trained.task import FittedNetwork, OnStep, Step, Task, keeping
from dualres.learn.trained.train import train
from dualres.model.kinds import PAPER, VIEWS
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.card import APART, Card, check_members
from dualres.recordings.axes import common_channels
from dualres.recordings.recording import Recording, Samples

FEW_VIEWS = 32  # windows that the time of a fit is judged by


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
) -> FittedNetwork:
    """Train a DualRes network on raw windows (n, window) at `config.rate` with labels 0 .. classes - 1.

    The same seed and number of threads give the same weights to the last bit. The caller's random generators are left
    as they were. `progress(step, updates)` is called after each update.
    """
    return fit_networks(
        [windows], [labels], classes, seeds=[seed], config=config, recipe=recipe, device=device, progress=progress
    )[0]


def fit_networks(
    supports: Sequence[Samples],
    labels: Sequence[Labels],
    classes: int,
    *,
    seeds: Sequence[int],
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    device: str = "cpu",
    progress: OnStep | None = None,
    stages: Sequence[int] = (),
) -> list[FittedNetwork]:
    """Train a network on each support with its own seed, as `fit_network` does.

    On a GPU supports of equal length are fitted all at once. `progress` is then told each update of all of them
    together, with the mean of their losses, one length after the other. Elsewhere it is told one fit after the other.
    Each network is kept as it was after the updates that `stages` names, too.
    """
    if not len(supports) == len(labels) == len(seeds):
        counts = f"{len(supports)} supports, {len(labels)} sets of labels and {len(seeds)} seeds"
        raise ConfigError(f"{counts} were given: every support needs labels and a seed")
    config, recipe = config or ModelConfig(), recipe or Recipe()
    every = zip(supports, labels, seeds, strict=True)
    tasks = [Task(windows, its, classes, seed, device, progress, tuple(stages)) for windows, its, seed in every]
    for task in tasks:
        check_support(task.windows, task.labels, classes, config.window)
    if not fits_together(config, device, recipe):
        return [_fit_alone(task, config, recipe) for task in tasks]
    of_length = defaultdict(list)  # positions
    for i, task in enumerate(tasks):
        of_length[len(task.windows)].append(i)
    fitted: dict[int, FittedNetwork] = {}
    for some in of_length.values():
        fitted |= zip(some, fit_at_once([tasks[i] for i in some], config, recipe), strict=True)
    return [fitted[i] for i in range(len(tasks))]


def fits_together(config: ModelConfig, device: str, recipe: Recipe | None = None) -> bool:
    """Whether several fits of such networks are done at once on that device.

    They are not where the recipe has further augmentations, which the kernels do not know.
    """
    return available(config, device) and not (recipe and recipe.more)


def _fit_alone(task: Task, config: ModelConfig, recipe: Recipe) -> FittedNetwork:
    with seeded(task.seed), full_precision():
        network = DualRes(task.classes, config, task.seed).to(task.device)
        support: PlainSupport | AugmentedSpectra
        if recipe.plain:
            views, targets = views_of(network.spectra, task.windows, task.device), torch.from_numpy(task.labels)
            support = PlainSupport(views, targets.to(task.device), seed=task.seed, microbatch=MICROBATCH)
        else:
            support = AugmentedSpectra(task, config, recipe)
        stages: dict[int, DualRes] = {}
        with training_threads(network):
            how: Any = {"keep": keeping(network, task.stages, stages), "progress": task.progress}
            history = train(network, Classify(network), support, recipe, **how)
        if isinstance(support, AugmentedSpectra):
            for trained in (network, *stages.values()):
                fold_into(trained.encoder, support.standards)
    return FittedNetwork(network, history, stages)


def fit_recordings(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    *,
    windows_each: int = 12,
    resampler: str = DEFAULT_RESAMPLER,
    config: ModelConfig | None = None,
    recipe: Recipe | None = None,
    seed: int = 41,
    members: int = 1,
    axes: str = APART,
    device: str = "cpu",
    progress: OnStep | None = None,
    looked: OnLook | None = None,
) -> tuple[Model, list[Step]]:
    """Train on whole recordings: at most `windows_each` windows of each, spread over it.

    `resampler` brings them to the model's rate. Members learn from the same windows, with `seed`, `seed + 1` and so on.
    Without a recipe a network of views is fitted. It draws nothing, so that its members would all be the same, and one
    is kept.

    Of recordings of several axes, `axes` says whether each has networks of its own that learn from its windows
    ("apart"), or whether all are judged by networks that learn from the windows of all ("shared").
    """
    check_members(members)
    if len(classes) < 2:
        raise ConfigError("there is one class only: at least two classes are needed to tell apart")
    config = config or ModelConfig()
    check_members(members, max(len(common_channels(recordings)), 1) if axes == APART else 1)
    support = spread_support(recordings, labels, classes, config, windows_each=windows_each, resampler=resampler)
    kind: dict[str, Any] = {"method": PAPER.method, "members": int(members)} if recipe else {"method": VIEWS.method}
    if support.channels:
        kind |= {"channels": support.channels, "axes": axes}
    kind["learned_from"] = learned_from(recordings, support, config.rate)
    card = Card(tuple(classes), config, recipe, seed, resampler, support.seconds, **kind)
    return fit_support(support, card, device=device, progress=progress, looked=looked)


def fit_support(
    support: Support, card: Card, *, device: str = "cpu", progress: OnStep | None = None, looked: OnLook | None = None
) -> tuple[Model, list[Step]]:
    """Train on labelled windows as the card says.

    The history has the members' updates one member after the other, axis after axis; `fit_networks` says what
    `progress` is told. A network of views makes no updates, and tells `looked` of its steps.
    """
    networks: list[DualRes | ViewsNetwork] = []
    history: list[Step] = []
    pooled = support if card.axes == APART else support.pooled()
    for axis, windows in enumerate(pooled.axes):
        if card.kind is VIEWS:
            looks = _counted_on(looked, axis, len(pooled.axes))
            shown_once = windows, pooled.labels, len(card.classes)
            networks.append(fit_views(*shown_once, config=card.config, device=device, progress=looks))
            continue
        shown = [windows] * card.members, [pooled.labels] * card.members, len(card.classes)
        learning: dict[str, Any] = {"config": card.config, "recipe": card.recipe, "device": device}
        fitted = fit_networks(*shown, seeds=card.seeds, **learning, progress=progress)
        networks += [one.network for one in fitted]
        history += [step for one in fitted for step in one.history]
    return Model(tuple(networks), card), history


def _counted_on(looked: OnLook | None, axis: int, axes: int) -> OnLook | None:
    """What the fit of one axis after others calls, so that the steps of all count on."""
    return looked and (lambda done, steps: looked(axis * steps + done, axes * steps))


def expected_s(windows: int, recipe: Recipe | None, config: ModelConfig | None = None, device: str = "cpu") -> float:
    """How long a fit will take on this machine, in seconds, judged by a few updates, or views of a few windows."""
    config = config or ModelConfig()
    if recipe is None:
        noise, labels = _noise(FEW_VIEWS, config), np.arange(FEW_VIEWS, dtype=np.int64) % 2
        told = [time.perf_counter()]

        def look(done: int, steps: int) -> None:
            told.append(time.perf_counter())

        fit_views(noise, labels, 2, config=config, device=device, progress=look)
        return (told[1] - told[0]) * windows / FEW_VIEWS + told[-1] - told[1]  # heads take the same for all
    in_bursts = fits_together(config, device, recipe)  # news then comes so, and few windows cost as much as many
    few = max(windows if in_bursts else min(32, windows), 2)
    updates = 4 * SLAB if in_bursts else 5
    noise = _noise(few, config)
    labels = np.arange(few, dtype=np.int64) % 2
    moments: list[float] = []

    def tell(step: Step, total: int) -> None:
        moments.append(time.perf_counter())

    fit_network(noise, labels, 2, config=config, recipe=replace(recipe, updates=updates), device=device, progress=tell)
    half = updates // 2
    # On a GPU the last update may be over while the one before it is told of.
    each = (moments[-1] - moments[half - 1]) / half if in_bursts else np.diff(moments[:-1]).min()
    return float(each) * windows / few * recipe.updates


def _noise(windows: int, config: ModelConfig) -> Samples:
    return np.random.default_rng(0).standard_normal((windows, config.window)).astype(np.float32)
