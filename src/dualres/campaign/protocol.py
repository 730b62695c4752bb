"""Fold and budget to a support; a model and a fold to scores per recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.datasets.budget import Budget
from dualres.datasets.folds import Fold
from dualres.errors import ConfigError
from dualres.file import Model
from dualres.judge import recording_scores
from dualres.learn.support import Support
from dualres.metrics import Counts, confusion
from dualres.recordings.recording import Recording
from dualres.recordings.windows import at_rate, covered, cut, evenly

Progress = Callable[[int, int], None]  # recordings done, recordings in all
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """What a method said of each judged recording."""

    recordings: tuple[str, ...]
    truth: npt.NDArray[np.int64]
    windows: tuple[int, ...]  # of each recording
    scores: Scores  # (recordings, classes), mean over the windows: probabilities, or MiniRocket's decision values

    @property
    def confusion(self) -> Counts:
        return confusion(self.truth, self.scores.argmax(1), self.scores.shape[1])


def learned_from(fold: Fold, budget: Budget) -> list[tuple[str, str]]:
    """Label and name of every recording that the budget allows to learn from."""
    return [(label, name) for label, members in fold.support.items() for name in members[: budget.recordings]]


def gather_support(
    fold: Fold,
    recordings: Sequence[Recording],
    budget: Budget,
    config: ModelConfig,
    progress: Progress | None = None,
) -> Support:
    """The first `budget.recordings` of every class, `budget.windows` windows of each, placed as the fold says."""
    available = {r.id: r for r in recordings}
    starts = evenly(fold.support_start_s * config.rate, budget.windows, int(fold.support_step * config.window))
    chosen = learned_from(fold, budget)
    if len(chosen) != budget.recordings * len(fold.classes):
        raise ConfigError(f"fold {fold.fold} has fewer than {budget.recordings} support recordings for some class")
    windows, labels, origins = [], [], []
    seconds = dict.fromkeys(fold.classes, 0.0)
    for done, (label, name) in enumerate(chosen, start=1):
        signal = at_rate(_pick(available, name, fold), config.rate, config.window)
        windows.append(cut(signal, starts, config.window, name))
        labels += [fold.classes.index(label)] * len(starts)
        origins += [(name, start) for start in starts]
        seconds[label] += covered(starts, config.window) / config.rate
        if progress:
            progress(done, len(chosen))
    return Support(np.concatenate(windows), np.array(labels), tuple(origins), seconds)


def evaluate(model: Model, fold: Fold, recordings: Sequence[Recording], progress: Progress | None = None) -> Evaluation:
    """One score per class for every recording the fold evaluates: the mean over its windows."""
    available = {r.id: r for r in recordings}
    truth, windows, scores = [], [], []
    for done, name in enumerate(fold.evaluation, start=1):
        recording = _pick(available, name, fold)
        if recording.label not in fold.classes:
            raise ConfigError(f"{name}: label {recording.label!r} is not among the classes of fold {fold.fold}")
        mean, count = recording_scores(model, recording, fold.evaluation_windows)
        truth.append(fold.classes.index(recording.label))
        windows.append(count)
        scores.append(mean)
        if progress:
            progress(done, len(fold.evaluation))
    return Evaluation(fold.evaluation, np.array(truth), tuple(windows), np.array(scores))


def _pick(available: dict[str, Recording], name: str, fold: Fold) -> Recording:
    if name not in available:
        raise ConfigError(f"fold {fold.fold} needs recording {name}, which the dataset at hand does not hold")
    return available[name]
