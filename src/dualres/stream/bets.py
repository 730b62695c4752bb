"""What healthy blocks say about another block: bets that a healthy machine wins nothing by, on average.

A block's score is compared with those of healthy blocks. Its rank gives a conformal p-value, and `p ** (kappa - 1)` is
a bet against the machine's health, one for each kappa. Two things would make such a bet unfair, and both are paid for:

* The same healthy blocks serve for years, and may be unlucky ones. The chances of a healthy block to fall between two
  of them follow a Dirichlet distribution, whatever the scores are. So what a bet pays on average has a known
  distribution too, and it is divided by a bound that holds in a share `sure` of all references (Chernoff's).
* Neighbours are alike. Blocks are joined until they are nearly independent, and what is left is paid for as if blocks
  came in `repeats` copies: a bet is the root of a fair one, so that all copies together are fair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

KAPPAS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])  # from all on the highest ranks to hardly anything on any
LEAST = 50  # joined blocks of a stretch; fewer tell neither the rank nor the likeness of neighbours
ALIKE = 0.4  # correlation of neighbours at most
DRIFT = 0.2  # correlation of much longer blocks at most
CUTS = (1, 2, 4, 8, 16, 32)  # pieces of a stretch, the more the faster the load changes
LONGER, FEWEST = (4, 16), 20  # by how much blocks that tell a drift are longer, and how many are needed
STAKES = np.geomspace(1e-6, 1, 100, endpoint=False)


@dataclass(frozen=True)
class Bets:
    """Bets against health and for it, learned from stretches of healthy blocks that follow each other.

    A stretch stands for a load, or a time of day. A block counts as far as it is unusual for every stretch.
    """

    stretches: tuple[tuple[float, ...], ...]  # sorted mean scores of joined blocks
    costs: tuple[tuple[float, ...], ...]  # nats that make a bet fair, by stretch and kappa
    joined: int  # blocks, of which the mean score is one bet
    repeats: float  # at least 1; copies that blocks are thought to come in

    @classmethod
    def learned(cls, healthy: Sequence[Sequence[float] | Values], sure: float) -> Bets | None:
        """From stretches of block scores in their order; None where they are too few, or never independent."""
        normal = NormalDist().inv_cdf((1 + sure) / 2)  # half of the doubt is for correlations, half for the reference
        for cut in CUTS:
            pieces = [part for stretch in healthy for part in np.array_split(np.asarray(stretch, np.float64), cut)]
            for joined in _lengths(min((len(piece) for piece in pieces), default=0) // LEAST):
                means = [_joined(piece, joined) for piece in pieces]
                alike = _alike(means, normal)
                if alike <= ALIKE and not _drifting(means, normal):
                    repeats = 1 + 2 * max(0.0, alike)  # the variance of a sum, over that of independent terms
                    each = repeats * log(len(means) * len(KAPPAS) * 2 / (1 - sure))
                    costs = tuple(tuple(_cost(len(one), kappa, each) for kappa in KAPPAS) for one in means)
                    return cls(tuple(tuple(np.sort(one).tolist()) for one in means), costs, joined, repeats)
        return None

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Bets:
        """From `dataclasses.asdict`, by way of JSON."""
        stretches, costs = (tuple(tuple(map(float, row)) for row in data[name]) for name in ("stretches", "costs"))
        return cls(stretches, costs, int(data["joined"]), float(data["repeats"]))

    @cached_property
    def _sorted(self) -> list[Values]:
        return [np.array(stretch) for stretch in self.stretches]

    def against(self, scores: npt.ArrayLike) -> Values:
        """What bets that a block is not healthy gain or lose, in nats: (..., kappas) for scores of any shape."""
        gains = []
        for stretch, costs in zip(self._sorted, self.costs, strict=True):
            p_value = 1 - np.searchsorted(stretch, scores, "left") / (len(stretch) + 1)
            gains.append(-np.log(p_value)[..., None] * (1 - KAPPAS) - costs)
        return np.asarray(np.min(gains, axis=0) / self.repeats)

    def back(self, score: float) -> float:
        """What a bet gains or loses that a block is healthy again, in nats.

        Against it stands that a faulty block scores like the higher of two healthy ones, or higher.
        """
        shares = [(int(np.searchsorted(one, score, "right")) + 1) / (len(one) + 1) for one in self._sorted]
        return -log(2 * min(shares)) / self.repeats


def _lengths(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, 16 ..."""
    return sorted(n for power in range(most.bit_length()) for n in (2**power, 3 * 2**power) if n <= most)


def _joined(scores: Values, joined: int) -> Values:
    whole = len(scores) // joined * joined
    return np.asarray(scores[:whole].reshape(-1, joined).mean(1))


def _cost(count: int, kappa: float, each: float) -> float:
    """log of a bound on what a bet pays on average, too small in exp(-each) of all references of so many blocks.

    The average is sum(pay * d) with d ~ Dirichlet(1, ..., 1), that is of exponential variables over their sum.
    Chernoff's bound of it has one free stake; any choice is valid, and the best of a grid is taken.
    """
    pay = (np.arange(1, count + 2) / (count + 1)) ** (kappa - 1)
    stakes = STAKES / pay.max()
    kept = np.array([np.log1p(-stake * pay).mean() for stake in stakes]) - each / len(pay)
    return log(float(np.min(-np.expm1(kept) / stakes)))


def _alike(means: Sequence[Values], normal: float) -> float:
    """The correlation of neighbours at most, by so many standard errors, and by the bias of a short stretch."""
    rho, pairs = _correlation(means)
    return rho + normal / sqrt(pairs) + len(means) / pairs


def _drifting(means: Sequence[Values], normal: float) -> bool:
    """Whether longer blocks are clearly alike: noise averages out of them, and a slow drift does not."""
    for longer in LONGER:
        some = [_joined(one, longer) for one in means if len(one) >= 2 * longer]
        if sum(map(len, some)) >= FEWEST:
            rho, pairs = _correlation(some)
            if rho - normal / sqrt(pairs) > DRIFT:
                return True
    return False


def _correlation(means: Sequence[Values]) -> tuple[float, int]:
    """Of neighbours within a stretch, by what bets gain from them (-log of the p-value), and of how many pairs."""
    gains = [-np.log1p(-np.searchsorted(np.sort(one), one) / len(one)) for one in means]
    centred = [gain - gain.mean() for gain in gains]
    power = sum(float(one @ one) for one in centred)
    product = sum(float(one[1:] @ one[:-1]) for one in centred)
    return product / power if power else 0.0, sum(len(one) - 1 for one in means)
