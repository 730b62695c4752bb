"""Adaptation without labels: a batch of recordings corrects how readily the model names each class.

On another machine or at another load, a network names some classes too often and others hardly ever. Nobody need say
which recordings are which to see that: the mean probability of each class over the batch shows it. `corrected` divides
by it, and asks two things first:

* Is the batch large enough? The mean is taken together with recordings that were never made (`Strength`): those beside
  the batch name all classes alike, those beside an operating condition name them as the batch does. So a condition with
  few recordings follows the batch, and a small batch is hardly corrected.
* Does it hold many classes? Ten recordings of one fault also name one class too often, and rightly so. What the
  verdicts say before any correction decides: unless they are spread over the classes nearly as evenly as chance would
  spread them, nothing is corrected (`spread`).

A class that the model gives no probability gets none from the batch either.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from dualres.metrics import binomial
from dualres.utils.arrays import Exact


@dataclass(frozen=True)
class Strength:
    """How much a batch is believed; chosen on simulations alone by experiments/eval_batch_correction.py."""

    batch: float = 80.0  # recordings that name all classes alike, added to the batch
    condition: float = 5.0  # recordings that name classes as the batch does, added to each condition
    closed: float = 0.75  # the spread of verdicts up to which nothing is corrected
    opened: float = 0.9  # and from which on everything is

    def open(self, named: Exact) -> float:
        """The share of the correction that these recordings allow, 0 to 1."""
        return min(1.0, max(0.0, (spread(named) - self.closed) / (self.opened - self.closed)))


CHOSEN = Strength()


def corrected(
    probabilities: npt.ArrayLike, conditions: Sequence[Hashable | None], strength: Strength = CHOSEN
) -> Exact:
    """Probabilities of recordings judged together, (recordings, classes), whatever their order.

    `probabilities` are those of each alone, and `conditions` the operating conditions, None where unknown. A recording
    alone in its batch, or one that the guard protects, keeps its probabilities to the last bit.
    """
    named = np.array(probabilities, np.float64)
    count, classes = named.shape
    if len(conditions) != count:
        raise ValueError(f"{len(conditions)} conditions were given for {count} recordings")
    if count < 2:
        return named
    even = np.full(classes, 1 / classes)
    batch = _mean(named, even, strength.batch)
    excess = np.tile(strength.open(named) * np.log(batch / even), (count, 1))  # of log-probability, to take away
    for condition, size in Counter(conditions).items():
        if condition is None or size == count:  # nothing is known of it that the batch does not say
            continue
        members = [i for i, other in enumerate(conditions) if other == condition]
        mean = _mean(named[members], batch, strength.condition)
        excess[members] += strength.open(named[members]) * np.log(mean / batch)
    moved = excess.any(1)
    weighed = named[moved] * np.exp(-excess[moved])
    named[moved] = weighed / weighed.sum(1, keepdims=True)
    return named


def spread(named: Exact) -> float:
    """How evenly verdicts fall on the classes, by their entropy over that expected of chance: 0 if all are the same."""
    count, classes = named.shape
    if count < 2 or classes < 2:
        return 0.0
    found = np.bincount(named.argmax(1), minlength=classes)
    shares = found[found > 0] / count
    return float(-(shares * np.log(shares)).sum() / _entropy_by_chance(count, classes))


@cache
def _entropy_by_chance(count: int, classes: int) -> float:
    """The expected entropy of `count` verdicts, each on any class with the same probability; exact."""
    found = np.arange(1, count + 1) / count
    return float(-classes * (binomial(count, 1 / classes)[1:] * found * np.log(found)).sum())


def _mean(named: Exact, before: Exact, weight: float) -> Exact:
    """The mean probability of every class, as if `weight` recordings with that of `before` were among them."""
    return np.asarray((named.sum(0) + weight * before) / (len(named) + weight))
