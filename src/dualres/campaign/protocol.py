"""Fold and budget to a support; a model and a fold to scores per recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.config import ModelConfig
from dualres.datasets.folds import Fold
from dualres.errors import ConfigError
from dualres.learn.support import Support, cut_support
from dualres.machinery.progress import Progress, quiet
from dualres.metrics import Counts, confusion
from dualres.recordings.recording import Recording
from dualres.recordings.windows import evenly

Scores = npt.NDArray[np.float64]
WindowScores = Callable[[Recording, int | None], Scores]  # a recording and at most so many windows: (windows, classes)


@dataclass(frozen=True)
class Budget:
    """How much may be labelled: recordings per class and windows per recording."""

    recordings: int
    windows: int

    def __str__(self) -> str:
        return f"{self.recordings}x{self.windows}"


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
    progress: Progress = quiet,
) -> Support:
    """The first `budget.recordings` of every class, `budget.windows` windows of each, placed as the fold says."""
    available = {r.id: r for r in recordings}
    starts = evenly(fold.support_start_s * config.rate, budget.windows, int(fold.support_step * config.window))
    chosen = learned_from(fold, budget)
    if len(chosen) != budget.recordings * len(fold.classes):
        raise ConfigError(f"fold {fold.fold} has fewer than {budget.recordings} support recordings for some class")
    return cut_support(
        [_pick(available, name, fold) for _, name in chosen],
        [label for label, _ in chosen],
        fold.classes,
        config,
        lambda samples: starts,
        progress=progress,
    )


def evaluate(
    window_scores: WindowScores, fold: Fold, recordings: Sequence[Recording], progress: Progress = quiet
) -> Evaluation:
    """One score per class for every recording the fold evaluates: the mean over its windows."""
    available = {r.id: r for r in recordings}
    truth, windows, scores = [], [], []
    for done, name in enumerate(fold.evaluation, start=1):
        recording = _pick(available, name, fold)
        if recording.label not in fold.classes:
            raise ConfigError(f"{name}: label {recording.label!r} is not among the classes of fold {fold.fold}")
        each = window_scores(recording, fold.evaluation_windows)
        truth.append(fold.classes.index(recording.label))
        windows.append(len(each))
        scores.append(each.mean(0))
        progress("Judge unseen recordings", done, len(fold.evaluation), name)
    return Evaluation(fold.evaluation, np.array(truth), tuple(windows), np.array(scores))


def _pick(available: dict[str, Recording], name: str, fold: Fold) -> Recording:
    if name not in available:
        raise ConfigError(f"fold {fold.fold} needs recording {name}, which the dataset at hand does not hold")
    return available[name]
