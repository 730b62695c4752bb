"""From labelled recordings to a model: a network for each axis and member, and the card that says what they are."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dualres.config import ModelConfig, Recipe
from dualres.judge.model import Model
from dualres.judge.training_profile import Range, TrainingProfile, rounded
from dualres.learn.closed_form import expected_views_s, fit_views
from dualres.learn.settings import FitSettings
from dualres.learn.support import Support, spread_support
from dualres.learn.trained.fit import expected_training_s, fit_network, fit_networks
from dualres.learn.trained.task import Step, Task
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from dualres.model_file.card import APART, DUALRES, VIEWS, Card
from dualres.recordings.level import bandwidth, crest, level
from dualres.recordings.recording import Recording
from dualres.recordings.windows import covered
from dualres.utils.progress import Progress, part_of, quiet

__all__ = ["expected_s", "fit_network", "fit_recordings", "fit_support", "learned_from"]


def fit_recordings(
    recordings: Sequence[Recording],
    labels: Sequence[str],
    classes: Sequence[str],
    settings: FitSettings,
    *,
    axes: str = APART,
    progress: Progress = quiet,
) -> tuple[Model, list[Step]]:
    """Learn from whole recordings that `settings.check` accepts: the model, and the history of its training.

    `settings` says how; recordings of its own are not looked at. Members learn from the same windows, with the seed,
    the next one and so on. Without a recipe a network of views is fitted. It draws nothing, so that its members would
    all be the same, and one is kept.

    Of recordings of several axes, `axes` says whether each has networks of its own that learn from its windows
    ("apart"), or whether all are judged by networks that learn from the windows of all ("shared").
    """
    config, resampler = settings.config, settings.resampler
    support = spread_support(
        recordings, labels, classes, config, windows_each=settings.windows_each, resampler=resampler
    )
    card = Card(
        classes=tuple(classes),
        config=config,
        recipe=settings.recipe,
        seed=settings.seed,
        resampler=resampler,
        exposure_s=support.seconds,
        members=settings.networks,
        method=DUALRES if settings.recipe else VIEWS,
        channels=support.channels,
        axes=axes if support.channels else "",
        learned_from=learned_from(recordings, support, config.rate),
    )
    return fit_support(support, card, device=settings.device, progress=progress)


def fit_support(
    support: Support, card: Card, *, device: str = "cpu", progress: Progress = quiet
) -> tuple[Model, list[Step]]:
    """Learn from labelled windows as the card says.

    The history has the members' updates one member after the other, axis after axis; `fit_networks` says what progress
    is told of. A network of views makes no updates: progress is told of its steps.
    """
    networks: list[DualRes | ViewsNetwork] = []
    history: list[Step] = []
    classes, pooled = len(card.classes), support if card.axes == APART else support.pooled()
    for number, windows in enumerate(pooled.axes):
        told = part_of(progress, number, len(pooled.axes))
        if card.method == VIEWS:
            network = fit_views(windows, pooled.labels, classes, config=card.config, device=device, progress=told)
            networks.append(network)
            continue
        tasks = [Task(windows, pooled.labels, classes, seed, device, told) for seed in card.seeds]
        for fitted in fit_networks(tasks, card.config, card.recipe):
            networks.append(fitted.network)
            history += fitted.history
    return Model(tuple(networks), card), history


def expected_s(windows: int, recipe: Recipe | None, config: ModelConfig | None = None, device: str = "cpu") -> float:
    """How long a fit will take on this machine, in seconds, judged by a short one."""
    config = config or ModelConfig()
    if recipe is None:
        return expected_views_s(windows, config, device)
    return expected_training_s(windows, recipe, config, device)


def learned_from(recordings: Sequence[Recording], support: Support, rate: int) -> dict[str, Any]:
    """For a card: names, rates and units of the recordings, and by their windows at `rate` Hz how they looked.

    No recording is read again.
    """
    of_recording: dict[str, list[int]] = defaultdict(list)  # positions of windows
    for position, (name, _) in enumerate(support.origins):
        of_recording[name].append(position)
    looks: dict[str, list[float]] = defaultdict(list)
    for positions in of_recording.values():
        for axis in support.axes:
            windows = axis[positions]
            looks["level"].append(level(windows))
            looks["crest"].append(crest(windows))
            looks["bandwidth_hz"].append(bandwidth(windows[len(windows) // 2], rate))
        starts = [support.origins[position][1] for position in positions]
        looks["seconds"].append(covered(starts, windows.shape[1]) / rate)
    ranges: dict[str, Range] = {name: (rounded(min(each)), rounded(max(each))) for name, each in looks.items()}
    return TrainingProfile.of(recordings, ranges).as_data()
