"""Error rates that hold whatever the scores are worth: split conformal prediction, by held-out unit.

A model judges units that it has not learned from. Each unit, a component or a recording, has scores that say how
surprising the truth was. A new unit is as likely to be the most surprising of all, or the second most, as any of these.
So its truth is at most as surprising as the k-th of n units with a probability of k / (n + 1), on average over what was
held out. The share that one calibration covers follows a beta distribution (k, n + 1 - k); `sure` asks for a k with
which that share is large enough in so many of all calibrations.
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError
from dualres.utils.arrays import Exact

LEAST_PROBABILITY = 1e-12
TEMPERATURES = np.geomspace(0.05, 20, 241)
_ROUNDING = 1e-9


def check_rates(error: float, sure: float | None) -> None:
    """An error unless both lie between 0 and 1."""
    for name, value in (("error", error), ("sure", sure)):
        if value is not None and not 0 < value < 1:
            raise ConfigError(
                f"{name}={value}: a share between 0 and 1 is needed, such as {0.1 if name == 'error' else 0.9}"
            )


def rank(units: int, error: float, sure: float | None = None) -> int | None:
    """Which of so many units, counted from the least surprising, sets the limit; None where they are too few."""
    if sure is None:
        k = ceil((1 - error) * (units + 1) - _ROUNDING)
    else:
        from dualres.metrics import binomial

        fewer = np.cumsum(binomial(units, 1 - error))  # of as many units, 0 or 1 ... lie within the error rate
        k = 1 + int(np.searchsorted(fewer, sure - _ROUNDING))
    return k if k <= units else None


def least_error(units: int, sure: float | None = None) -> float:
    """The smallest error rate that so many units can state."""
    return 1 / (units + 1) if sure is None else 1 - (1 - sure) ** (1 / units) if units else 1.0


def limit(units: Sequence[Sequence[float]], k: int) -> float:
    """The k-th smallest score of units; one of several scores stands for one of them at random.

    Every draw has a k-th smallest, and the limit is the median of these over all draws.
    """
    scores = [np.sort(np.asarray(unit, np.float64)) for unit in units]
    if all(len(unit) == 1 for unit in scores):
        return float(np.sort(np.concatenate(scores))[k - 1])
    steps = np.unique(np.concatenate(scores))
    low, high = 0, len(steps) - 1
    while low < high:
        middle = (low + high) // 2
        reached = np.array([np.searchsorted(unit, steps[middle], "right") / len(unit) for unit in scores])
        if _at_least(reached, k) >= 0.5:
            high = middle
        else:
            low = middle + 1
    return float(steps[low])


def surprise(probabilities: npt.ArrayLike) -> Exact:
    """Of every class, (..., classes): how much the best other one is preferred, in nats; negative for the first."""
    logs = np.log(np.maximum(np.asarray(probabilities, np.float64), LEAST_PROBABILITY))
    second, first = np.moveaxis(np.sort(logs, axis=-1)[..., -2:], -1, 0)
    best_other = np.where(np.arange(logs.shape[-1]) == logs.argmax(-1)[..., None], second[..., None], first[..., None])
    return np.asarray(best_other - logs)


def tempered(probabilities: npt.ArrayLike, temperature: float) -> Exact:
    """Probabilities (..., classes) that are less sure of themselves where the temperature is above one."""
    logs = np.log(np.maximum(np.asarray(probabilities, np.float64), LEAST_PROBABILITY)) / temperature
    shares = np.exp(logs - logs.max(-1, keepdims=True))
    return np.asarray(shares / shares.sum(-1, keepdims=True))


def fitted_temperature(probabilities: npt.ArrayLike, truth: npt.ArrayLike, units: Sequence[str]) -> float:
    """The temperature at which probabilities (n, classes) make the truth (n,) most likely; units weigh the same."""
    right, count = np.asarray(truth), Counter(units)
    weights = np.array([1 / count[unit] for unit in units])

    def likelihood(temperature: float) -> float:
        shares = tempered(probabilities, temperature)[np.arange(len(right)), right]
        return float((weights * np.log(np.maximum(shares, LEAST_PROBABILITY))).sum())

    return float(max(TEMPERATURES, key=likelihood))


def _at_least(shares: Exact, k: int) -> float:
    """The probability that at least k of independent events happen, which have these probabilities."""
    certain = int((shares == 1).sum())
    open_ones = shares[(shares > 0) & (shares < 1)]
    if certain >= k:
        return 1.0
    happened = np.zeros(len(open_ones) + 1)
    happened[0] = 1.0
    for share in open_ones:
        happened[1:] = happened[1:] * (1 - share) + happened[:-1] * share
        happened[0] *= 1 - share
    return float(happened[k - certain :].sum())
