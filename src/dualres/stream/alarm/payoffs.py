"""Payoffs of fair bets on a rank.

A rank among n healthy values is one of n + 1 gaps. Gaps are gathered to cells, narrow at the top, where faults are.
A bet that normal values are shifted by some standard deviations pays in each cell the ratio of its chance with the
shift to that without. That is fair if every gap is as likely. The same healthy values serve for years, though, and may
be unlucky ones: the chances of gaps follow a Dirichlet distribution, whatever the values are. So the average payoff of
a bet is drawn many times, and it pays less by the most that it is

* in a share `sure` of all draws;
* as the mean of all draws of a run of bets: all bets of a run have the same unlucky reference.
"""

from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

from dualres.stream.alarm.normal import quantile, share_below
from dualres.utils.arrays import Exact

Chances = tuple[float, ...]
WIDTH = 24  # gaps above a cell for each gap in it; every cell has at least one
DRAWS = 2000
LONGEST_RUN = 200.0
LEAST_PAID = 1e-30


@lru_cache(maxsize=64)
def cells(count: int) -> npt.NDArray[np.int64]:
    """Gaps among `count` healthy values in every cell, from the lowest up."""
    widths: list[int] = []
    left = count + 1
    while left:
        widths.append(min(left, max(1, (count + 1 - left) // WIDTH)))
        left -= widths[-1]
    return np.array(widths[::-1])


def edges(values: Exact) -> Exact:
    """Where a cell ends and the next one begins: a value is above the first edges, as many as its cell's number."""
    return np.asarray(np.sort(values)[np.cumsum(cells(len(values)))[:-1] - 1])


def payoffs(count: int, shift: float, beyond: Chances = ()) -> Exact:
    """Of a bet on a shift, in every cell (cells,), 1 on average; falling chances `beyond` divide the highest cell."""
    ends = quantile(np.concatenate([[0], np.cumsum(cells(count)) / (count + 1)]))
    ends = np.concatenate([ends[:-1], -quantile(np.array(beyond)), ends[-1:]])
    shifted, usual = (above[:-1] - above[1:] for above in (share_below(shift - ends), share_below(-ends)))
    return np.asarray(np.maximum(shifted / usual, LEAST_PAID))


def cost(count: int, shift: float, beyond: Chances = (), *, run: float, sure: float) -> float:
    """The discount in nats by which a bet is fair with an unlucky reference, too, for runs of `run` bets.

    The chances `beyond` the reference are bounds already. What they pay more than the lowest of them is not drawn.
    """
    paid, run = payoffs(count, shift, beyond), min(max(run, 1.0), LONGEST_RUN)
    ranked = len(cells(count))
    more = float(np.diff(paid[ranked - 1 :]) @ np.array(beyond)) if beyond else 0.0
    average = _chances(count) @ paid[:ranked] + more
    return log(max(float(np.quantile(average, sure)), float(np.mean(average**run) ** (1 / run))))


@lru_cache(maxsize=4)
def _chances(count: int) -> Exact:
    """Drawn chances of a healthy value to fall into every cell, (draws, cells); the same at every call."""
    drawn = np.random.default_rng(count).standard_gamma(cells(count), (DRAWS, len(cells(count))))
    return np.asarray(drawn / drawn.sum(1, keepdims=True))
