"""How far the levels of a healthy machine go, by a baseline of few recordings whose neighbours are alike.

A baseline of `count` recordings tells the mean and the spread, both with errors. Where neighbours are alike it is worth
fewer: the limit supposes more likeness than was measured, by `DOUBT` standard errors, for a short baseline shows too
little of it. Ten recordings tell a spread badly. So each level is believed to vary about as all levels of its machine
do, and no less than is `USUAL`: that belief is worth `BELIEVED` degrees of freedom, and less for a machine that varies
more. It widens a spread that looks small, never the other way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, floor, log, sqrt
from typing import Self

import numpy as np

from dualres.utils.arrays import Exact

DOUBT = 0.5  # standard errors of the likeness
OWN = 0.5  # share that a level's own neighbours have in what is said of them; the rest is by all levels of the machine
USUAL = 0.6  # dB, or deviations of a line's score: standard deviation of a level that is believed beforehand
BELIEVED = 12.0  # degrees of freedom that the belief is worth at most
TOLD_BY_OTHERS = 0.1  # of the freedom of each other level
MOST_ALIKE = 0.98  # correlation of neighbours beyond which nothing can be told
LEAST_FREEDOM = 1.5  # degrees of freedom that a baseline itself is worth
CLIPPED = 3.5  # robust standard deviations beyond which an outlier counts no further
FREEDOM_STEP = 1.08
LOWEST_FACTOR, HIGHEST_FACTOR, HALVINGS = 0.01, 1000.0, 20  # of limits
FURTHEST, STEP = 38.0, 0.01  # of the table of normal tails


@dataclass(frozen=True)
class BaselineNoise:
    """What a baseline of one level shows of its noise."""

    mean: float
    variance: float  # as it is measured; a correlated baseline hides some of it
    alike: float  # correlation of neighbours, without the bias of a short baseline
    count: int  # recordings, without those that went elsewhere

    @classmethod
    def of(cls, levels: Exact, used: int = 0) -> Self:
        """Of the levels of a baseline (count,), of which `used` degrees of freedom went elsewhere."""
        count, middle = len(levels), float(np.median(levels))
        robust = 1.4826 * float(np.median(np.abs(levels - middle)))
        kept = np.clip(levels, middle - CLIPPED * robust, middle + CLIPPED * robust) if robust else levels
        centred = kept - kept.mean()
        power = float(centred @ centred)
        measured = float(centred[1:] @ centred[:-1]) / power if power else 0.0
        alike = measured + (1 + 3 * max(measured, 0.0)) / count
        return cls(float(kept.mean()), power / max(count - 1 - used, 1), alike, count - used)


@dataclass(frozen=True)
class HealthySpread:
    """What a baseline tells of a level."""

    mean: float
    spread: float  # standard deviation of a single recording, with what a correlated baseline hides of it
    alike: float  # correlation of neighbours, rather too large
    count: int  # recordings
    believed: float  # degrees of freedom that are believed beforehand

    @classmethod
    def among(cls, own: BaselineNoise, machine: Sequence[BaselineNoise]) -> Self:
        """Of one level, among all levels of its machine."""
        found = OWN * own.alike + (1 - OWN) * float(np.mean([one.alike for one in machine]))
        alike = min(1.0, max(0.0, found + DOUBT * sqrt(max(1 - found**2, 0.0) / own.count)))
        hidden = max(1 - mean_variance(own.count, alike), 0.05)  # the mean of a correlated baseline follows it
        usual = max(USUAL**2, float(np.median([one.variance for one in machine])) / hidden)
        measured, freedom = own.variance / hidden, (own.count - 1) * (1 - alike) / (1 + alike)
        # Of a machine that varies more than usual only its own levels tell, and they are not independent.
        believed = min(BELIEVED, BELIEVED * USUAL**2 / usual + TOLD_BY_OTHERS * (len(machine) - 1) * freedom)
        mixed = (freedom * measured + believed * usual) / (freedom + believed)
        return cls(own.mean, sqrt(max(measured, mixed)), alike, own.count, believed)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the spread that the baseline itself is worth."""
        return (self.count - 1) * (1 - self.alike) / (1 + self.alike)

    def reach(self, window: int, looks: float, share: float) -> float:
        """How far above its mean the mean of `window` recordings goes in a `share` of machines, in so many looks."""
        errors = mean_variance(window, self.alike) + mean_variance(self.count, self.alike)
        # Fewer degrees of freedom are supposed than there are, so that limits are shared by many baselines.
        freedom = FREEDOM_STEP ** floor(log(max(self.freedom + self.believed, 1)) / log(FREEDOM_STEP))
        return self.spread * sqrt(errors) * limit_factor(freedom, max(round(looks), 1), share)


def mean_variance(count: int, alike: float) -> float:
    """Of the mean of so many recordings, in variances of one, where each remembers a share of the one before."""
    if alike >= 1:
        return 1.0
    rest = 2 * alike * (1 - alike**count) / (count * (1 - alike) ** 2)
    return ((1 + alike) / (1 - alike) - rest) / count


@lru_cache(maxsize=1 << 14)
def limit_factor(freedom: float, looks: int, share: float) -> float:
    """What the highest of `looks` normal values exceeds in this share, in standard deviations that are estimated."""
    around = min(2.5, 8 / sqrt(freedom))
    # Logarithms of the estimated variance over the true one; it may be far too small where there is little freedom.
    spreads = np.linspace(-around - 40 / freedom, around, 241)
    weights = np.exp(freedom / 2 * (1 + spreads - np.exp(spreads)))
    weights /= weights.sum()
    deviations = np.exp(spreads / 2)
    low, high = LOWEST_FACTOR, HIGHEST_FACTOR
    for _ in range(HALVINGS):
        middle = sqrt(low * high)
        single = np.exp(np.interp(middle * deviations, *_log_tails()))
        exceeded = float(weights @ -np.expm1(looks * np.log1p(-single)))
        low, high = (middle, high) if exceeded > share else (low, middle)
    return high


@lru_cache(maxsize=1)
def _log_tails() -> tuple[Exact, Exact]:
    """Normal values, and the logarithm of the share above each."""
    values: Exact = np.arange(0, FURTHEST, STEP, dtype=np.float64)
    return values, np.array([log(max(erfc(value / sqrt(2)) / 2, 1e-320)) for value in values])
