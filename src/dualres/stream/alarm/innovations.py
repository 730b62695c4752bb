"""Innovations of healthy blocks: the part of a level that does not follow from the block before.

Neighbours are alike, so the same surprise would count again and again. An innovation is the level of a block less a
share of the level before, as in an autoregression of order 1. The share is the correlation of neighbours, rather too
large than too small: with a share too large, innovations that add up are smaller than those of independent blocks.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt

from dualres.stream.alarm.normal import quantile
from dualres.utils.arrays import Exact

GIVEN, LOG_ODDS = "given", "log-odds"
NEAREST = 1e-6  # probabilities are kept so far from 0 and 1
LONGER, FEWEST = (4, 16, 64, 256, 1024), 16  # by how much sums that tell a drift are longer, and how many are needed
HALVINGS = 16  # of the doubt about the share that is carried over
MOST_ERRORS = 1.5  # standard errors that a short reference is asked for
CLEARLY = 6.0  # by how much a scale fits better than the scores as they are


def _log_odds(scores: npt.ArrayLike) -> Exact:
    inside = np.clip(scores, NEAREST, 1 - NEAREST)
    return np.asarray(np.log(inside / (1 - inside)))


SCALES: dict[str, Callable[[npt.ArrayLike], Exact]] = {
    GIVEN: lambda scores: np.asarray(scores, np.float64),
    LOG_ODDS: _log_odds,
}


def best_scale(stretches: Sequence[Exact]) -> str:
    """The scale on which innovations depend least on the level before: probabilities change by less near 0 and 1."""
    if any(((one <= 0) | (one >= 1)).any() for one in stretches):
        return GIVEN
    given, log_odds = (_dependence([SCALES[scale](one) for one in stretches]) for scale in (GIVEN, LOG_ODDS))
    return LOG_ODDS if log_odds + CLEARLY < given else GIVEN


def innovations(levels: Exact, carried: float) -> Exact:
    return np.asarray(levels[1:] - carried * levels[:-1])


def ar_coefficient(stretches: Sequence[Exact], normal: float, nats: float) -> float:
    """The share of a level that goes over to the next block, by `normal` standard errors rather too large, or by more.

    It is the share whose innovations have ranks that do not depend on the level before. E-values depend on ranks, and
    where innovations are skewed, a small error of the share moves many of them. A run of e-values reaches `nats` too
    easily by twice the relative error of 1 - rho. With a short reference unlucky ones would weigh so much that the mean
    over references were unfair, hence more standard errors.
    """
    rho, pairs = _correlation(stretches)
    if rho == 1:
        return rho
    errors = max(normal, min(MOST_ERRORS, nats * sqrt((1 + rho) / (1 - rho) / pairs)))
    even, uneven = (_share_at(stretches, -some / sqrt(pairs)) for some in (0.0, errors))
    bias = len(stretches) * (1 + 3 * rho) / pairs
    return min(1.0, max(0.0, even + bias) + uneven - even)


def _share_at(stretches: Sequence[Exact], correlation: float) -> float:
    """The share carried over for which innovations, by their ranks, have this correlation with the level before."""
    low, high = -1.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _rank_correlation(stretches, middle) > correlation else (low, middle)
    return (low + high) / 2


def _rank_correlation(stretches: Sequence[Exact], carried: float) -> float:
    """Of the innovations' normal scores and the level before; it falls as more is carried over."""
    product, power, squares = 0.0, 0.0, 0.0
    for one in stretches:
        before, scores = one[:-1] - one[:-1].mean(), _normal_quantiles(len(one) - 1)
        product += float(before[np.argsort(innovations(one, carried), kind="stable")] @ scores)
        power, squares = power + float(before @ before), squares + float(scores @ scores)
    return product / sqrt(power * squares) if power else -carried  # nothing goes over where levels never change


@lru_cache(maxsize=8)
def _normal_quantiles(count: int) -> Exact:
    """So many normal values in their order, without chance."""
    return quantile((np.arange(count) + 0.5) / count)


def variance_inflation(stretches: Sequence[Exact], normal: float) -> float:
    """By which factor long sums of innovations vary more than those of independent ones, clearly so; at least 1."""
    found, scores = 1.0, [_normal_scores(one) for one in stretches]
    for longer in LONGER:
        sums = [one[: len(one) // longer * longer].reshape(-1, longer).sum(1) for one in scores]
        many = np.concatenate(sums)
        if len(many) >= FEWEST:
            found = max(found, float(many @ many) / len(many) / longer - normal * sqrt(2 / len(many)))
    return found


def _correlation(stretches: Sequence[Exact]) -> tuple[float, int]:
    """Of neighbours, less the bias of short stretches and at least 0, and of how many pairs."""
    centred = [one - one.mean() for one in stretches]
    power = sum(float(one[:-1] @ one[:-1]) for one in centred)
    product = sum(float(one[1:] @ one[:-1]) for one in centred)
    pairs = sum(len(one) - 1 for one in stretches)
    rho = product / power if power else 0.0
    return min(1.0, max(0.0, rho + len(stretches) * (1 + 3 * rho) / pairs)), pairs


def _dependence(stretches: Sequence[Exact]) -> float:
    """How far mean and spread of innovations depend on the level before: about chi-squared of 4 if they do not."""
    (rho, pairs), found = _correlation(stretches), np.zeros(4)
    for one in stretches:
        new, before = _normal_scores(innovations(one, rho)), _normal_scores(one[:-1])
        spread, bent = new**2 - 1, before**2 - 1
        twisted = before**3 - 3 * before
        found += [new @ bent / sqrt(2), new @ twisted / sqrt(6), spread @ before / sqrt(2), spread @ bent / 2]
    return float(found @ found) / pairs


def _normal_scores(values: Exact) -> Exact:
    """The same order, normally distributed; equal values stay equal."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(quantile((np.cumsum(counts) - counts / 2) / len(values))[which])
