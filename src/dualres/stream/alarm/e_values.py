"""E-values of a block against health: their mean is at most 1 while the machine is healthy.

A fault lifts the score of all its blocks by some healthy standard deviations, and the innovation of its first block
more than those of later ones (`innovations.py`). So there are two e-values for each lift: the fault begins with this
block, or it goes on. Both depend on the rank of the innovation among those of healthy blocks, and their payoffs are
fair with an unlucky reference, too (`payoffs.py`). Innovations beyond a long reference are judged by a bound on its
tail (`gpd_tail.py`), up to one in the number of blocks between false alarms. The rest of a drift or of another memory
counts as if blocks came in `repeats` copies: an e-value is the root of a fair one, so that all copies together are
fair.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import log, sqrt
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dualres.stream.alarm.gpd_tail import tail_quantiles
from dualres.stream.alarm.innovations import SCALES, ar_coefficient, best_scale, innovations, variance_inflation
from dualres.stream.alarm.normal import quantile, share_below
from dualres.stream.alarm.payoffs import cost, edges, payoffs
from dualres.utils.arrays import Exact

LIFTS = (0.5, 1.0, 2.0, 3.0)  # healthy standard deviations
WEIGHTS = (0.1, 0.3, 0.4, 0.2)  # of the lifts: faults that are clear are to be noticed soon
SUDDEN = 0.9  # of the e-value of a fault's first block
LEAST = 50  # blocks of a stretch; fewer tell neither the rank nor the likeness of neighbours
BOTH = 0.75  # of a doubt's standard errors: there are two that have nothing to do with each other, and both are paid
INDEPENDENT = 15  # blocks at least; likeness counts twice, by how few are independent and how much an error weighs
REPEATS = 1.1  # at most
CUTS = (1, 2, 4, 8, 16, 32, 64)  # pieces of a stretch, the more the faster the load changes
PER_NAT = 4  # cells beyond the reference
ROUNDING = 2.0**-40  # of the largest level; what is nearer is equal, for it was perhaps summed in another order
RANKS = 200  # healthy scores of a stretch that are kept to tell when it is healthy again


@dataclass(frozen=True)
class Stretch:
    """Healthy blocks at one load, or at one time of day."""

    count: int  # of innovations
    edges: tuple[float, ...]  # of the cells of innovations
    begins: tuple[float, ...]  # discounts in nats for the first block of a fault, by lift
    goes_on: tuple[float, ...]  # and for a later one
    levels: tuple[float, ...]  # some of the healthy blocks, sorted
    shares: tuple[float, ...]  # of blocks at most as high as each of them, and 1
    beyond: tuple[float, ...]  # bounds on the chances of innovations above the last edges, which no healthy block had

    @property
    def rounding(self) -> float:
        """By which levels and innovations may differ that are equal."""
        return ROUNDING * max(abs(self.levels[0]), abs(self.levels[-1]))


@dataclass(frozen=True)
class EValues:
    """E-values against health and for it; a block counts as far as it is unusual for every healthy stretch."""

    stretches: tuple[Stretch, ...]
    scale: str  # of levels, as `dualres.stream.alarm.innovations.SCALES` has them
    carried: float  # share of a level that is carried over to the next block
    joined: int  # blocks whose mean score makes one e-value
    repeats: float  # at least 1; copies that blocks are thought to come in

    @classmethod
    def fit(cls, healthy: Sequence[Sequence[float] | Exact], sure: float, between: float) -> Self | None:
        """From stretches of block scores in their order; None where they are too few, or drift too fast."""
        stretches, normal = [np.asarray(one, np.float64) for one in healthy], BOTH * float(quantile(sure))
        shortest = min((len(one) for one in stretches), default=0)
        for joined in _block_counts(shortest // LEAST):
            for cut in (cut for cut in CUTS if shortest // cut // joined >= LEAST):
                parts = [part for one in stretches for part in np.array_split(one, cut)]
                pieces = [part[: len(part) // joined * joined].reshape(-1, joined).mean(1) for part in parts]
                scale = best_scale(pieces)
                levels = [SCALES[scale](piece) for piece in pieces]
                carried = ar_coefficient(levels, normal, log(between))
                if sum(map(len, levels)) * ((1 - carried) / (1 + carried)) ** 2 < INDEPENDENT:
                    continue
                new = [innovations(one, carried) for one in levels]
                repeats = variance_inflation(new, normal if joined == 1 else 0.0)
                if repeats <= REPEATS:
                    fitted = [
                        _stretch_of(*both, carried, sure=sure, between=between)
                        for both in zip(levels, new, strict=True)
                    ]
                    return cls(tuple(fitted), scale, carried, joined, repeats)
        return None

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Self:
        """From `dataclasses.asdict`, by way of JSON."""
        stretches = tuple(
            Stretch(int(one["count"]), *(tuple(map(float, one[field.name])) for field in fields(Stretch)[1:]))
            for one in data["stretches"]
        )
        scale, numbers = str(data["scale"]), (float(data["carried"]), int(data["joined"]), float(data["repeats"]))
        if scale not in SCALES:
            raise ValueError(f"{scale!r} is no scale of scores")
        return cls(stretches, scale, *numbers)

    @property
    def extrapolates(self) -> bool:
        return any(one.beyond for one in self.stretches)

    @property
    def copies(self) -> float:
        """That healthy blocks behind an alarm are thought to come in."""
        return self.repeats * (1 + self.carried) / (1 - self.carried)

    def level(self, score: float) -> float:
        """Of joined blocks, from their mean score."""
        return float(SCALES[self.scale](score))

    @cached_property
    def _log_payoffs(self) -> list[tuple[Exact, float, Exact]]:
        """By stretch: edges of cells, what equals them, nats (cells, a fault's first block or a later one, lifts)."""
        found = []
        for one in self.stretches:
            first, later = shifts(self.carried)
            begins, goes_on = (
                np.array(
                    [np.log(payoffs(one.count, shift, one.beyond)) - off for shift, off in zip(*both, strict=True)]
                )
                for both in ((first, one.begins), (later, one.goes_on))
            )
            # a fault may come slowly: a part of the first block's e-value is that of a later one
            begins = np.logaddexp(begins + log(SUDDEN), goes_on + log(1 - SUDDEN))
            nats = np.array([begins, goes_on]).transpose(2, 0, 1) / self.repeats
            found.append((np.array(one.edges), one.rounding, nats))
        return found

    def log_e_values(self, new: npt.ArrayLike, *, above: bool = False) -> Exact:
        """Against health, in nats, of innovations of any shape: (..., a fault's first block or a later one, lifts).

        With `above` each counts as just above a healthy one that it equals.
        """
        each = [
            gains[np.searchsorted(ends + (-equal if above else equal), new, "right" if above else "left")]
            for ends, equal, gains in self._log_payoffs
        ]
        return np.asarray(np.min(each, axis=0))

    def log_recovery(self, level: float) -> float:
        """For a healthy block against one that scores like the higher of two, in nats; neighbours count as copies."""
        shares = (one.shares[int(np.searchsorted(one.levels, level + one.rounding, "right"))] for one in self.stretches)
        return -log(2 * min(shares)) / self.copies


def shifts(carried: float) -> tuple[list[float], list[float]]:
    """Of innovations by every lift, in their standard deviations: in a fault's first block, and in later ones."""
    spread = sqrt(1 - carried**2)
    return [lift / spread for lift in LIFTS], [lift * (1 - carried) / spread for lift in LIFTS]


def _stretch_of(levels: Exact, new: Exact, carried: float, *, sure: float, between: float) -> Stretch:
    count, (first, later) = len(new), shifts(carried)
    steps = max(round(log(between / count) * PER_NAT), 1) if between > count else 0
    beyond = np.geomspace(1 / (count + 1), 1 / between, steps + 1)[1:]
    tail = tail_quantiles(new, beyond, BOTH * float(quantile(sure))) if steps else None
    chances = () if tail is None else tuple(beyond.tolist())
    begins = tuple(cost(count, shift, chances, run=1.0, sure=sure) for shift in first)
    sure = float(share_below(BOTH * quantile(sure)))  # the other doubt is that of the share carried over
    # a run of e-values gains shift ** 2 / 2 each until it reaches the threshold
    goes_on = tuple(cost(count, shift, chances, run=2 * log(between) / shift**2, sure=sure) for shift in later)
    ranks = np.unique(np.linspace(0, len(levels) - 1, RANKS).round().astype(int))
    shares = tuple(((np.append(ranks, len(levels)) + 1) / (len(levels) + 1)).tolist())
    sorted_levels = tuple(np.sort(levels)[ranks].tolist())
    ends = edges(new) if tail is None else np.concatenate([edges(new), np.maximum(tail, new.max())])
    return Stretch(count, tuple(ends.tolist()), begins, goes_on, sorted_levels, shares, chances)


def _block_counts(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, 16 ..."""
    return sorted(n for power in range(most.bit_length()) for n in (2**power, 3 * 2**power) if n <= most)
