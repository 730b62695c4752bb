"""Fold and budget to a support; a model and a fold to scores per recording."""

from collections.abc import Sequence

from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.learn.estimate import evaluate as evaluate_recordings
from dualres.learn.fold import Budget, Fold
from dualres.learn.support import Support, cut_support
from dualres.metrics import Evaluation
from dualres.recordings.recording import Recording
from dualres.recordings.windows import evenly
from dualres.utils.progress import Progress, quiet


def learned_from(fold: Fold, budget: Budget) -> list[tuple[str, str]]:
    """Label and name of every recording that the budget allows to learn from."""
    return [(label, name) for label, members in fold.support.items() for name in members[: budget.recordings]]


def gather_support(
    fold: Fold,
    recordings: Sequence[Recording],
    budget: Budget,
    config: ModelConfig,
    *,
    progress: Progress = quiet,
    resampler: str = POLYPHASE,
) -> Support:
    """The first `budget.recordings` of every class, `budget.windows` windows of each, placed as the fold says."""
    starts = evenly(fold.support_start_s * config.rate, budget.windows, int(fold.support_step * config.window))
    chosen = learned_from(fold, budget)
    if len(chosen) != budget.recordings * len(fold.classes):
        raise ConfigError(f"fold {fold.fold} has fewer than {budget.recordings} support recordings for some class")
    return cut_support(
        _picked(recordings, [name for _, name in chosen], fold),
        [label for label, _ in chosen],
        fold.classes,
        lambda samples: starts,
        config=config,
        resampler=resampler,
        progress=progress,
    )


def evaluate(model: Model, fold: Fold, recordings: Sequence[Recording], progress: Progress = quiet) -> Evaluation:
    """Every recording that the fold evaluates, judged as the fold says."""
    judged = _picked(recordings, fold.evaluation, fold)
    return evaluate_recordings(model, judged, limit=fold.evaluation_windows, progress=progress)


def _picked(recordings: Sequence[Recording], names: Sequence[str], fold: Fold) -> list[Recording]:
    available = {r.id: r for r in recordings}
    if missing := [name for name in names if name not in available]:
        raise ConfigError(f"fold {fold.fold} needs recording {missing[0]}, which the dataset at hand does not hold")
    return [available[name] for name in names]
