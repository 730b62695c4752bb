"""Recordings that were judged, and scores from one predicted label for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log

import numpy as np
import numpy.typing as npt

from dualres.utils.arrays import Exact

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Evaluation:
    """What a model said of each judged recording: plain data, so that it can cross processes and machines."""

    classes: tuple[str, ...]
    recordings: tuple[str, ...]  # those judged
    truth: tuple[int, ...]  # positions in `classes`
    windows: tuple[int, ...]  # of each recording
    scores: tuple[tuple[float, ...], ...]  # (recordings, classes), mean over the windows

    @property
    def confusion(self) -> Counts:
        return confusion(self.truth, np.asarray(self.scores).argmax(1), len(self.classes))

    @property
    def macro_f1(self) -> float:
        return macro_f1(self.confusion)

    @property
    def accuracy(self) -> float:
        return accuracy(self.confusion)

    @property
    def recall(self) -> Exact:
        return class_recall(self.confusion)


def confusion(truth: npt.ArrayLike, predicted: npt.ArrayLike, classes: int) -> Counts:
    """Counts of recordings, (true class, predicted class)."""
    matrix = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(matrix, (np.asarray(truth), np.asarray(predicted)), 1)
    return matrix


def class_f1(matrix: Counts) -> Exact:
    """F1 of each class, 2 TP / (2 TP + FP + FN); zero where that is undefined."""
    return _ratio(2 * matrix.diagonal(), matrix.sum(0) + matrix.sum(1))


def class_recall(matrix: Counts) -> Exact:
    """The share of each class's recordings that were named right; zero for a class without any."""
    return _ratio(matrix.diagonal(), matrix.sum(1))


def macro_f1(matrix: Counts) -> float:
    """The unweighted mean of F1 over the fixed set of classes."""
    return float(class_f1(matrix).mean())


def accuracy(matrix: Counts) -> float:
    return float(matrix.trace() / matrix.sum())


def macro_auroc(truth: npt.ArrayLike, scores: npt.ArrayLike, left_out: Sequence[int] = ()) -> float:
    """The mean, over classes, of the area under the ROC of one class against all others; ties count half.

    Scores are (n, classes). Classes of `left_out` count among the others only, as do classes that all or none of the n
    belong to; NaN where no class is left.
    """
    known, said = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    areas = []
    for number in range(said.shape[1]):
        own, others = said[known == number, number], said[known != number, number]
        if number not in left_out and len(own) and len(others):
            ascending = np.sort(others)
            below, up_to = (np.searchsorted(ascending, own, side) for side in ("left", "right"))
            areas.append(float((below + up_to).mean() / (2 * len(others))))
    return float(np.mean(areas)) if areas else float("nan")


def guessing(counts: Sequence[int]) -> tuple[float, float]:
    """Accuracy and macro-F1 to expect of guessing, where `counts` recordings of each class are judged.

    Every recording is given one of the classes at random, each as likely as the others. Both are exact: of n
    recordings of a class among N in all, the hits and the false alarms are independent and binomial.
    """
    share, total = 1 / len(counts), sum(counts)
    f1 = []
    for of_class in counts:
        hits, alarms = binomial(of_class, share), binomial(total - of_class, share)
        i, j = np.ogrid[: len(hits), : len(alarms)]
        f1.append(float((hits[:, None] * alarms * 2 * i / np.maximum(of_class + i + j, 1)).sum()))
    return share, float(np.mean(f1))


def binomial(draws: int, share: float) -> Exact:
    """The probability of 0 to `draws` hits."""
    whole = lgamma(draws + 1)
    logs = [
        whole - lgamma(k + 1) - lgamma(draws - k + 1) + k * log(share) + (draws - k) * log(1 - share)
        for k in range(draws + 1)
    ]
    return np.exp(logs)


def _ratio(part: Counts, whole: Counts) -> Exact:
    """part / whole, zero where the whole is."""
    return np.asarray(np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0))
