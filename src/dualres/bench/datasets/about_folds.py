"""What a fold means: classes, windows (starts and steps in samples at the model's rate), how it follows the paper."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dualres.bench.datasets import catalog
from dualres.bench.datasets.folds import Fold, load_fold
from dualres.config import ModelConfig

CONFIG = ModelConfig()  # whose rate and window all folds are meant for
PROVENANCE = {
    "text": "follow from the paper's text",
    "reconstructed": "are reconstructed",
    "ours": "have no counterpart in the paper",
}


def labels(fold: Fold) -> dict[str, str | None]:
    """The class of every recording, support first; None for a judged one of a dataset that cannot tell by its id."""
    learned = {recording: label for label, members in fold.support.items() for recording in members}
    label_of = catalog.release(fold.dataset).label_of
    return learned | {recording: label_of(recording) if label_of else None for recording in fold.evaluation}


def judged_per_class(fold: Fold) -> dict[str, int]:
    """How many recordings of each class are judged, in the order of the classes; empty if the classes are not known."""
    known = labels(fold)
    found = Counter(known[recording] for recording in fold.evaluation)
    return {} if None in found else {label: found[label] for label in fold.classes}


def as_data(fold: Fold) -> dict[str, Any]:
    """The fold and all of the above as plain data."""
    release = catalog.release(fold.dataset)
    common = {"rate_hz": CONFIG.rate, "window": CONFIG.window}
    return {
        "fold": fold.fold,
        "dataset": fold.dataset,
        "folds_from": release.folds_from,
        "folds_evidence": release.folds_evidence,
        "classes": list(fold.classes),
        "support": [recording for members in fold.support.values() for recording in members],
        "evaluation": list(fold.evaluation),
        "labels": labels(fold),
        "support_rule": {
            **common,
            "first_start": fold.support_start_s * CONFIG.rate,
            "step": _step(fold),
            "order": {label: list(members) for label, members in fold.support.items()},
            "meaning": "a budget RxW takes the first R recordings of every class and the first W windows of each",
        },
        "window_rule": {
            **common,
            "first_start": 0,
            "step": CONFIG.window // 2,
            "at_most": fold.evaluation_windows,
            "meaning": "every judged recording, from its first sample on; at_most null for all windows",
        },
        "held_out": fold.held_out,
        "hash": fold.hash,
    }


def in_words(dataset: str) -> list[str]:
    """What there is to say of a dataset's folds: where they come from first, then a line for each matter."""
    release = catalog.release(dataset)
    folds = [load_fold(name) for name in release.folds]
    why = ": the paper determines them in part" if release.folds_from == "reconstructed" else ""
    return [
        f"The folds {PROVENANCE[release.folds_from]}{why}. {release.folds_evidence}".rstrip(),
        *(f"{fold} {rule}." for fold, rule in zip(release.folds, release.fold_rules, strict=False)),
        *_of_each(folds, "Support of", support_windows),
        *_of_each(folds, "Judged in", judged),
    ]


def _of_each(folds: Sequence[Fold], matter: str, tell: Callable[[Fold], str]) -> Iterator[str]:
    """What is true of each fold, in one line for those of which the same is true."""
    told: dict[str, list[str]] = {}
    for fold in folds:
        told.setdefault(tell(fold), []).append(fold.fold)
    for text, (*names, last) in told.items():
        yield f"{matter} {' and '.join([', '.join(names), last] if names else [last])}: {text}."


def support_windows(fold: Fold) -> str:
    """Where the windows that may be learned from lie, in words."""
    most = max(map(len, fold.support.values()))
    recordings = "1 recording" if most == 1 else f"up to {most} recordings"
    first = fold.support_start_s * CONFIG.rate
    return f"{recordings} per class, windows from sample {first:,} on, one every {_step(fold):,}"


def judged(fold: Fold) -> str:
    """How many recordings of which class are judged, and which windows of each count, in words."""
    counts = judged_per_class(fold)
    each = ", ".join(f"{count} {label}" for label, count in counts.items())
    if len(set(counts.values())) == 1:
        each = f"{len(fold.evaluation) // len(counts)} of each class"
    recordings = f"{len(fold.evaluation)} recordings{f' ({each})' if each else ''}"
    which = "all windows" if fold.evaluation_windows is None else f"the first {fold.evaluation_windows} windows"
    return f"{recordings}, of each {which}, one every {CONFIG.window // 2:,} samples"


def _step(fold: Fold) -> int:
    return int(fold.support_step * CONFIG.window)
