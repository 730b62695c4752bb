"""How windows are compared with classes: how much each head counts, and how near to a class its own recordings lie.

A head that does not tell the labelled classes apart in held-out recordings would not tell a new one either. And some
classes are steady while others scatter: a window is as unusual as it is for the class that it is nearest to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dualres.utils.arrays import Exact

HZ, ORDER = "hz", "order"  # the axes that heads may judge on
SMOOTHED = 1.0  # recordings that are right and wrong in halves: a head that is always right counts for a finite share
SHRUNK = 1.0  # recordings of all classes that every class is taken to have had besides its own
LARGEST = 1e4  # of a number in a card


@dataclass(frozen=True)
class Standing:
    """On one axis."""

    weights: tuple[float, ...]  # of the heads' log-distances
    usual: tuple[float, ...] = ()  # of each class, nats, at least 0; () where they are all alike

    def stands_out(self, told: Exact) -> Exact:
        """How much nearer the nearest class is than all are on average, (windows,), of logs (windows, heads, classes);
        in nats, at most 0."""
        logs = np.einsum("nhc,h->nc", told, np.asarray(self.weights))
        usual = np.asarray(self.usual) if self.usual else 0.0
        return np.asarray((logs - usual).min(1) - logs.mean(1))

    def as_data(self) -> dict[str, list[float]]:
        return {"weights": list(self.weights), "usual": list(self.usual)}

    @classmethod
    def parsed(cls, data: Mapping[str, Any], classes: int) -> "Standing":
        """As it stands in a card."""
        weights, usual = tuple(map(float, data["weights"])), tuple(map(float, data["usual"]))
        if not (all(0 <= one <= 1 for one in weights) and all(0 <= one < LARGEST for one in usual)):
            raise ValueError("its weights are those of no heads")
        if len(usual) != classes:
            raise ValueError("its usual distances are those of other classes")
        return cls(weights, usual)


@dataclass(frozen=True)
class HeldOutLogs:
    """The log-distances of a held-out recording's windows, as `Standing.stands_out` takes them."""

    label: int  # the true class
    told: Exact  # (windows, heads, classes)


def fitted_standing(held: Sequence[HeldOutLogs], classes: int) -> Standing | None:
    """By recordings that were held out; None for none."""
    if not held:
        return None
    named = np.array([one.told.mean(0).argmin(-1) for one in held])  # by each head alone, (recordings, heads)
    labels = np.array([one.label for one in held])
    right = (named == labels[:, None]).sum(0)
    shares = 1 / (1 - (right + SMOOTHED / 2) / (len(held) + SMOOTHED))
    weights = np.round(shares / shares.sum(), 6)
    away = []
    for one in held:
        logs = np.einsum("nhc,h->nc", one.told, weights)
        away.append(float((logs[:, one.label] - logs.mean(1)).mean()))
    of_all = float(np.mean(away))
    sums, counts = np.bincount(labels, away, classes), np.bincount(labels, minlength=classes)
    usual = (sums + SHRUNK * of_all) / (counts + SHRUNK)
    return Standing(tuple(weights.tolist()), tuple(np.round(usual - usual.min(), 4).tolist()))
