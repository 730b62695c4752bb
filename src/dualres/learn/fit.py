"""From labelled recordings to a model: a network for each axis and member, and the card that says what they are."""

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.training_profile import Range, TrainingProfile, bandwidth, crest, level, rounded
from dualres.learn.settings import FitSettings
from dualres.learn.support import Support, noise_support, spread_support
from dualres.learn.trained.fit import FEW_WINDOWS, fit_network
from dualres.learn.trained.task import FittedNetwork, Step, Task
from dualres.model.kinds import NetworkRecipe, resolved
from dualres.model_file.card import APART, Card
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
    the next one and so on. Of a kind of network that draws nothing they would all be the same, and one is kept.

    Of recordings of several axes, `axes` says whether each has networks of its own that learn from its windows
    ("apart"), or whether all are judged by networks that learn from the windows of all ("shared").
    """
    config, resampler = settings.config, settings.resampler
    support = spread_support(
        recordings, labels, classes, config, windows_each=settings.windows_each, resampler=resampler
    )
    geometry = settings.geometry.for_classes(recordings, labels)
    card = Card(
        classes=tuple(classes),
        config=config,
        recipe=settings.chosen.recipe,
        seed=settings.seed,
        resampler=resampler,
        exposure_s=support.seconds,
        members=settings.networks,
        method=settings.chosen.kind.method,
        channels=support.channels,
        axes=axes if support.channels else "",
        learned_from=learned_from(recordings, support, config.rate),
        geometry=geometry.as_data() if geometry else {},
    )
    return fit_support(support, card, device=settings.device, progress=progress)


def fit_support(
    support: Support, card: Card, *, device: str = "cpu", progress: Progress = quiet
) -> tuple[Model, list[Step]]:
    """Learn from labelled windows as the card says.

    The history has the members' updates one member after the other, axis after axis; a kind of network that makes no
    updates has none. Each kind says what progress is told of.
    """
    if card.kind is None:
        raise ConfigError(f"{card.method}: a comparator is fitted by the benchmark alone")
    fitted: list[FittedNetwork[Any]] = []
    fit, pooled = resolved(card.kind.fit), support if card.axes == APART else support.pooled()
    for number, windows in enumerate(pooled.axes):
        told = part_of(progress, number, len(pooled.axes))
        tasks = [
            Task(windows, pooled.labels, len(card.classes), seed, device, told, hz=pooled.hz) for seed in card.seeds
        ]
        fitted += fit(tasks, card.config, card.recipe)
    return Model(tuple(one.network for one in fitted), card), [step for one in fitted for step in one.history]


def expected_s(windows: int, chosen: NetworkRecipe, config: ModelConfig | None = None, device: str = "cpu") -> float:
    """How long a fit will take on this machine, in seconds, judged by a short one."""
    config = config or ModelConfig()
    if own := resolved(chosen.kind.expected_s):
        return own(windows, chosen.recipe, config, device)
    begin = time.perf_counter()
    few = Task(*noise_support(FEW_WINDOWS, config), classes=2, seed=41, device=device)
    resolved(chosen.kind.fit)([few], config, chosen.recipe)
    return (time.perf_counter() - begin) * windows / FEW_WINDOWS


def learned_from(recordings: Sequence[Recording], support: Support, rate: int) -> dict[str, Any]:
    """For a card: names, rates and units of recordings, how their windows at `rate` Hz looked, and the slowest
    and fastest shaft; nothing is read."""
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
    if speeds := [one.speed.rpm for one in recordings if one.speed]:
        ranges["speed_rpm"] = round(min(speeds), 1), round(max(speeds), 1)
    return TrainingProfile.of(recordings, ranges).as_data()
