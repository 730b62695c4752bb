"""Which of the paper's scores its folds can have given at all.

A fold that judges few recordings has few possible scores. So a printed score can contradict a fold, and where it does
not, that speaks for the fold the more, the fewer scores are possible. Scores are in percent, printed with two digits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product

import numpy as np

from dualres.bench.datasets.about_folds import judged_per_class
from dualres.bench.datasets.folds import load_fold
from dualres.bench.paper.protocol import FOLDS
from dualres.bench.paper.scores import ACCURACY, F1, VALUES, Key
from dualres.utils.arrays import Exact

MOST_ENUMERATED = 16  # recordings of a fold; beyond, there are too many tables of confusion
TELLING = 0.5  # share of all two-digit scores; a check by more possible ones would tell nothing
_PRINTED = 10_000  # steps of 0.01 percent
_ROUNDING = 1e-6  # steps; a score halfway between two may be printed as either


@dataclass(frozen=True)
class AttainableScore:
    """A printed score beside the scores that its folds allow."""

    key: Key
    printed: float  # percent
    possible: bool
    share: float  # of all two-digit scores from 0 to 100, those that are possible

    @property
    def tells(self) -> bool:
        return self.share <= TELLING


def checks(dataset: str) -> list[AttainableScore]:
    """Every macro-F1 and accuracy that the paper prints of a dataset and that can be checked."""
    found = []
    for key, score in VALUES.items():
        if key.dataset == dataset and (allowed := _allowed(key)) is not None:
            share = len(allowed) / (_PRINTED + 1)
            found.append(AttainableScore(key, score.mean, round(100 * score.mean) in allowed, share))
    return found


def fold_sizes(dataset: str, most: int) -> list[int]:
    """Numbers of recordings, up to `most`, that allow all printed accuracies if both folds have as many."""
    means = [(key, score.mean) for key, score in VALUES.items() if key.metric == ACCURACY and key.fold is None]
    printed = [(round(100 * mean), len(key.seeds)) for key, mean in means if key.dataset == dataset]
    return [
        size for size in range(1, most + 1) if all(value in accuracies((size, size), seeds) for value, seeds in printed)
    ]


@cache
def macro_f1_values(counts: Sequence[int]) -> Exact:
    """Every macro-F1 (percent, ascending) of a fold that judges `counts[c]` recordings of class c.

    A class's F1 depends on how many of its recordings are named right (tp) and how many others are named like it (fp).
    Any tp may occur. The errors can be spread over the classes as fp in every way that leaves each class's own errors
    room elsewhere; then there is a table of confusion with these margins.
    """
    found = set()
    for right in product(*(range(count + 1) for count in counts)):
        wrong = [count - tp for count, tp in zip(counts, right, strict=True)]
        errors = sum(wrong)
        for like_it in _spread(errors, [errors - own for own in wrong]):
            f1 = (2 * tp / (count + tp + fp) for count, tp, fp in zip(counts, right, like_it, strict=True))
            found.add(round(100 * sum(f1) / len(counts), 9))
    return np.array(sorted(found))


@cache
def accuracies(sizes: Sequence[int], seeds: int) -> frozenset[int]:
    """The mean accuracies that can be printed of folds of these sizes, each judged with so many seeds."""
    return _means([np.linspace(0, 100, seeds * size + 1) for size in sizes])


def as_printed(scores: Exact) -> frozenset[int]:
    """Scores as they are printed, in steps of 0.01 percent."""
    found = np.zeros(_PRINTED + 1, bool)
    for shift in (-_ROUNDING, _ROUNDING):
        found[np.rint(100 * scores + shift).astype(int)] = True
    return frozenset(np.flatnonzero(found).tolist())


def _allowed(key: Key) -> frozenset[int] | None:
    """What can be printed at this place; None where that is not known."""
    folds = FOLDS[key.dataset] if key.fold is None else (key.fold,)
    counts = [tuple(judged_per_class(load_fold(fold)).values()) for fold in folds]
    if key.metric == ACCURACY:
        return accuracies(tuple(map(sum, counts)), len(key.seeds))
    if key.metric == F1 and len(key.seeds) == 1 and max(map(sum, counts)) <= MOST_ENUMERATED:
        return _mean_macro_f1(*counts)
    return None


@cache
def _mean_macro_f1(*counts: Sequence[int]) -> frozenset[int]:
    """The mean over folds of which each judges so many recordings of every class."""
    return _means([macro_f1_values(of_fold) for of_fold in counts])


def _means(scores: Sequence[Exact]) -> frozenset[int]:
    """What can be printed as a mean over folds, whose possible scores are given."""
    return as_printed(reduce(np.add.outer, scores) / len(scores))


def _spread(total: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every way to split `total` into parts, part i at most `most[i]`."""
    if len(most) == 1:
        if total <= most[0]:
            yield (total,)
        return
    for first in range(min(total, most[0]) + 1):
        yield from ((first, *rest) for rest in _spread(total - first, most[1:]))
