"""How far the first class must lie ahead to be named: of what is named, at most a stated share is wrong.

A set that misses the truth in one of ten cases says little of the sets of one: those that are wrong gather there. So
names have a rate of their own. A name is given where the best other class lies behind by some margin. Held-out units
say how often such names were wrong; a unit with several recordings weighs as much as one with a single one. The
smallest margin that keeps the rate is taken, and the smallest of many was lucky. So one unit more counts as named and
wrong: that to come, at its worst. Selections with few false discoveries are corrected likewise.

A pooled rate could be kept by easy classes while what bears the name of a hard one is mostly wrong. So every class
keeps the rate among its own held-out names, too, without a unit more: ten units of a class could not bear it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log

import numpy as np

from dualres.utils.arrays import Exact

_ROUNDING = 1e-9


@dataclass(frozen=True)
class HeldOutName:
    """A held-out recording, as if it had been named."""

    unit: str
    name: str | None  # the class; None where nobody kept which wrong one it was
    right: bool
    margin: float  # nats, at least 0


def name_limits(
    classes: Sequence[str], held: Sequence[HeldOutName], error: float, sure: float | None = None
) -> list[float] | None:
    """Beyond which margin each class is named, infinite for never; None where no class can be at this rate."""
    held = sorted(held, key=lambda one: -one.margin)
    if not held:
        return None
    _, of, counts = np.unique([one.unit for one in held], return_inverse=True, return_counts=True)
    weights, wrong = 1 / counts[of], np.array([not one.right for one in held])
    margins = np.array([one.margin for one in held])
    last = np.append(margins[1:] != margins[:-1], True)  # of those with the same margin: all are named or none
    named, missed, until = np.zeros(len(held)), np.zeros(len(held)), {}
    for label in (*classes, None):
        own = np.array([one.name == label for one in held])
        some, amiss = np.cumsum(weights * own), np.cumsum(weights * own * wrong)
        kept = last & (some > 0) & ((amiss <= error * some + _ROUNDING) | (label is None))
        until[label] = np.maximum.accumulate(np.where(kept, np.arange(len(held)), -1))
        named += np.where(until[label] >= 0, some[until[label]], 0.0)
        missed += np.where(until[label] >= 0, amiss[until[label]], 0.0)
    holds = last & (_on_average(named, missed, error) if sure is None else _surely(named, missed, error, sure))
    if not holds.any():
        return None
    loosest = int(np.flatnonzero(holds).max())
    ends = [int(until[label][loosest]) for label in classes]
    following = np.append(margins[1:], 0.0)  # that of the first one which is not named
    return [float(following[end]) if end >= 0 else inf for end in ends]


def _on_average(named: Exact, missed: Exact, error: float) -> np.ndarray:
    """Where so many units would keep the rate with one more that is named and wrong."""
    return np.asarray(1 + missed <= error * (1 + named) + _ROUNDING)


def _surely(named: Exact, missed: Exact, error: float, sure: float) -> np.ndarray:
    """Where so few of the units would be wrong at a higher rate in a share of 1 - `sure` at most.

    A few margins are looked at, each as if the others were not: all are named, a half, a quarter, and so on.
    """
    from dualres.metrics import binomial

    fewest = ceil(log(1 - sure) / log(1 - error) - _ROUNDING)  # of which none may be wrong
    looks = [named[-1] / 2**i for i in range(64) if named[-1] / 2**i >= fewest]
    holds = np.zeros(len(named), dtype=bool)
    for at in {int(np.searchsorted(named, count - _ROUNDING)) for count in looks}:
        units = floor(named[at] + _ROUNDING)
        as_few = binomial(units, error)[: 1 + ceil(missed[at] - _ROUNDING)].sum()
        holds[at] = as_few <= (1 - sure) / len(looks) + _ROUNDING
    return holds
