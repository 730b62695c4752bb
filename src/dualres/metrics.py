"""Scores from one predicted label per recording."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]


def confusion(truth: npt.ArrayLike, predicted: npt.ArrayLike, classes: int) -> Counts:
    """Counts of recordings, (true class, predicted class)."""
    matrix = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(matrix, (np.asarray(truth), np.asarray(predicted)), 1)
    return matrix


def class_f1(matrix: Counts) -> Shares:
    """F1 of each class, 2 TP / (2 TP + FP + FN); zero where that is undefined."""
    hits = matrix.diagonal()
    involved = matrix.sum(0) + matrix.sum(1)  # 2 TP + FP + FN
    return _ratio(2 * hits, involved)


def class_recall(matrix: Counts) -> Shares:
    """The share of each class's recordings that were named right; zero for a class without any."""
    return _ratio(matrix.diagonal(), matrix.sum(1))


def macro_f1(matrix: Counts) -> float:
    """The unweighted mean of F1 over the fixed set of classes."""
    return float(class_f1(matrix).mean())


def accuracy(matrix: Counts) -> float:
    return float(matrix.trace() / matrix.sum())


def _ratio(part: Counts, whole: Counts) -> Shares:
    """part / whole, zero where the whole is."""
    ratio: Shares = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return ratio
