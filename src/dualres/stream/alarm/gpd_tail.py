"""The chance of innovations beyond those of all healthy blocks: a bound, from how fast the highest ones thin out.

Ranks tell nothing beyond the reference. What exceeds a high limit follows a generalised Pareto distribution, nearly,
whatever the values are. Of all such distributions that the highest healthy values do not contradict, the one with the
highest values is taken, and none that thins out faster than exponentially. So heavier tails of the reference make the
bound cautious by themselves. It supposes that nothing happens to a healthy machine that its reference gives no hint of.
"""

from math import sqrt

import numpy as np

from dualres.utils.arrays import Exact

LEAST = 5000  # values; fewer tell too little of what lies far beyond them
EXCEEDING = 1.5  # square roots of the number of values make the tail
CAUTIOUS = 2.0  # standard errors, unless tails are thinner than exponential ones by as many
SHAPES = np.linspace(-0.5, 1.0, 61)[:, None, None]  # above 0 for tails that are heavier than exponential ones
SCALES = np.geomspace(0.4, 2.5, 81)[:, None]  # mean excesses
STRAIGHT = 1e-9  # shapes that are exponential


def tail_quantiles(values: Exact, chances: Exact, normal: float) -> Exact | None:
    """Ends exceeded with these falling chances at most, by `normal` standard errors; None for too few values."""
    count = len(values)
    if count < LEAST:
        return None
    exceeding = round(EXCEEDING * sqrt(count))
    high = np.sort(values)[-exceeding - 1 :]
    limit, excess = float(high[0]), high[1:] - high[0]
    if not excess.any():
        return None
    if not _clearly_thin(values):
        normal = max(normal, CAUTIOUS)
    deeper = chances * count / (exceeding + normal * sqrt(exceeding))  # the share that exceeds the limit is estimated
    shape, scale = _heaviest_tail(excess / excess.mean(), float(deeper[-1]), normal)
    return limit + float(excess.mean()) * scale * _excess_quantiles(np.full(1, shape), deeper)


def _clearly_thin(values: Exact) -> bool:
    """Whether the highest tenth thins out faster than exponentially: its excess varies less than its mean."""
    high = np.sort(values)[-len(values) // 10 :]
    excess = high - high[0]
    return bool(sqrt(len(excess)) * (1 - excess.std() / excess.mean()) > CAUTIOUS) if excess.any() else False


def _heaviest_tail(excess: Exact, deepest: float, normal: float) -> tuple[float, float]:
    """Shape and scale of the distribution that reaches highest among the likely ones."""
    likelihood = _log_likelihood(excess)  # (shapes, scales)
    likely = likelihood >= likelihood.max() - normal**2 / 2
    reached = SCALES[:, 0] * _excess_quantiles(SHAPES[:, :, 0], np.full(1, deepest))
    heavy = SHAPES[:, :, 0] >= -STRAIGHT
    if not (likely & heavy).any():  # thins out faster than exponentially
        likely = likelihood >= likelihood[heavy[:, 0]].max()
    best = np.unravel_index(np.argmax(np.where(likely & heavy, reached, -np.inf)), likelihood.shape)
    return float(SHAPES[best[0], 0, 0]), float(SCALES[best[1], 0])


def _log_likelihood(excess: Exact) -> Exact:
    inside = 1 + SHAPES * excess / SCALES
    curved = np.where(np.abs(SHAPES) > STRAIGHT, SHAPES, STRAIGHT)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(np.abs(SHAPES) > STRAIGHT, (1 + 1 / curved) * np.log(inside), excess / SCALES)
    found = -each.sum(2) - len(excess) * np.log(SCALES[:, 0])
    return np.asarray(np.where((inside > 0).all(2), found, -np.inf))


def _excess_quantiles(shape: Exact, chances: Exact) -> Exact:
    """Excess, in scales, that is exceeded with each of these chances."""
    curved = np.where(np.abs(shape) > STRAIGHT, shape, 1.0)
    return np.asarray(np.where(np.abs(shape) > STRAIGHT, (chances**-curved - 1) / curved, -np.log(chances)))
