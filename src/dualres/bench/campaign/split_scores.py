"""Methods on the folds of a split that somebody else published: each fitted to all that a fold may learn from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.bench.campaign.run_job import affordable
from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import Fold
from dualres.bench.methods import method
from dualres.bench.methods.axes import fit_axes
from dualres.bench.methods.model_file import as_model
from dualres.config import POLYPHASE, ModelConfig
from dualres.errors import ConfigError
from dualres.learn.fold_support import evaluate
from dualres.learn.support import spread_support
from dualres.metrics import Evaluation, macro_auroc
from dualres.recordings.store import read_index
from dualres.utils.progress import Progress, quiet


@dataclass(frozen=True)
class SplitScore:
    """What a method makes of one fold; all scores are of recordings, by the mean over their windows."""

    fold: str
    method: str
    learned_from: int  # recordings
    judged: int
    macro_f1: float
    accuracy: float
    macro_auroc: float


def split_scores(
    folds: Sequence[Fold],
    methods: Sequence[str],
    source: DatasetSignals,
    *,
    windows_each: int,
    left_out: str | None = None,
    seed: int = 41,
    device: str = "cpu",
    progress: Progress = quiet,
) -> Iterator[SplitScore]:
    """Fold by fold, the methods in turn. `left_out` is a class that the mean of AUROC leaves out, such as healthy."""
    for fold in folds:
        if left_out is not None and left_out not in fold.classes:
            raise ConfigError(f"fold {fold.fold} has no class {left_out!r}; it has {', '.join(fold.classes)}")
        labels = {name: label for label, members in fold.support.items() for name in members}
        learned = source.at_rate(labels)
        support = spread_support(
            learned, list(labels.values()), fold.classes, ModelConfig(), windows_each=windows_each, resampler=POLYPHASE
        )
        judged = source.at_rate(fold.evaluation)
        told: dict[str, Any] = {"seed": seed, "device": device, "native_rate": source.native_rate(labels)}
        for name in methods:
            fitted = fit_axes(method(name), support, len(fold.classes), progress=progress, **told)
            model = as_model(fitted, fold.classes, support.seconds, held_out=fold.held_out, channels=support.channels)
            found = evaluate(model, affordable(fold, name), judged, progress)
            yield _score(fold, name, found, left_out)


def means(scores: Sequence[SplitScore]) -> dict[str, dict[str, float]]:
    """The mean over folds of every score, by method."""
    parts = ("macro_f1", "accuracy", "macro_auroc")
    return {
        name: {part: fmean(getattr(one, part) for one in scores if one.method == name) for part in parts}
        for name in dict.fromkeys(one.method for one in scores)
    }


def recordings_of(dataset: str, stores: Path) -> list[dict[str, Any]]:
    """What is known of a dataset's recordings, as a store's index lists them."""
    if generate := catalog.release(dataset).generate:
        return [{"id": one.id, "label": one.label, "component": one.component} for one in generate()]
    return list(read_index(stores / dataset)["recordings"])


def signals_of(dataset: str, stores: Path, folder: Path) -> DatasetSignals:
    """A prepared dataset, its resampled signals kept where those of jobs are."""
    return DatasetSignals(dataset, stores, folder / "cache", POLYPHASE)


def _score(fold: Fold, name: str, found: Evaluation, left_out: str | None) -> SplitScore:
    without = () if left_out is None else (fold.classes.index(left_out),)
    area = macro_auroc(found.truth, found.scores, without)
    counts = {"learned_from": len(fold.supporting()), "judged": len(fold.evaluation)}
    return SplitScore(fold.fold, name, **counts, macro_f1=found.macro_f1, accuracy=found.accuracy, macro_auroc=area)
