"""How far the levels of a healthy machine go, by a baseline of few recordings whose neighbours are alike.

A baseline of `count` recordings tells the mean and the spread, both with errors. Where neighbours are alike it is worth
fewer: the limit supposes more likeness than was measured, by `DOUBT` standard errors, for a short baseline shows too
little of it.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import erfc, floor, log, sqrt

import numpy as np

from dualres.utils.arrays import Exact

DOUBT = 1.5  # standard errors of the likeness
MOST_ALIKE = 0.98  # correlation of neighbours beyond which nothing can be told
LEAST_FREEDOM = 3.0  # degrees of freedom of a spread that a limit is made from
CLIPPED = 3.5  # robust standard deviations beyond which an outlier counts no further
FREEDOM_STEP = 1.08
LOWEST_FACTOR, HIGHEST_FACTOR, HALVINGS = 0.01, 1000.0, 20  # of limits
FURTHEST, STEP = 38.0, 0.01  # of the table of normal tails


@dataclass(frozen=True)
class HealthySpread:
    """What a baseline tells of a level."""

    mean: float
    spread: float  # standard deviation of a single recording, with what a correlated baseline hides of it
    alike: float  # correlation of neighbours, rather too large
    count: int  # recordings

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the spread."""
        return (self.count - 1) * (1 - self.alike) / (1 + self.alike)

    def reach(self, window: int, looks: float, share: float) -> float:
        """How far above its mean the mean of `window` recordings goes in a `share` of machines, in so many looks."""
        errors = mean_variance(window, self.alike) + mean_variance(self.count, self.alike)
        # Fewer degrees of freedom are supposed than there are, so that limits are shared by many baselines.
        freedom = LEAST_FREEDOM * FREEDOM_STEP ** floor(log(max(self.freedom / LEAST_FREEDOM, 1)) / log(FREEDOM_STEP))
        return self.spread * sqrt(errors) * limit_factor(freedom, max(round(looks), 1), share)


def healthy_spread(levels: Exact, used: int = 0) -> HealthySpread:
    """Of the levels of a baseline (count,), of which `used` degrees of freedom went elsewhere."""
    count, middle = len(levels), float(np.median(levels))
    robust = 1.4826 * float(np.median(np.abs(levels - middle)))
    kept = np.clip(levels, middle - CLIPPED * robust, middle + CLIPPED * robust) if robust else levels
    mean = float(kept.mean())
    alike = likeness(kept)
    variance = float(((kept - mean) ** 2).sum()) / max(count - 1 - used, 1)
    hidden = 1 - mean_variance(count, alike)  # the mean of a correlated baseline follows it
    return HealthySpread(mean, sqrt(variance / max(hidden, 0.05)), alike, count - used)


def likeness(levels: Exact) -> float:
    """The correlation of neighbours, from 0 to 1: what is measured, its bias, and `DOUBT` standard errors."""
    count, centred = len(levels), levels - levels.mean()
    power = float(centred @ centred)
    measured = float(centred[1:] @ centred[:-1]) / power if power else 0.0
    found = measured + (1 + 3 * max(measured, 0.0)) / count
    return min(1.0, max(0.0, found + DOUBT * sqrt(max(1 - found**2, 0.0) / count)))


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
