"""How far evidence goes where a machine is healthy, as its own reference shows.

E-values are fair if a block remembers the one before and nothing else. Where the spread clusters or swings, where
bursts come or the memory is long, unusual blocks come together, and evidence goes further than fair bets would let it.
Bets are therefore tried on the reference itself. The highest evidence of each of some segments follows Gumbel's
distribution, nearly, if evidence falls off exponentially. Its moments tell what is exceeded once in so many e-values.
That is the threshold where it is above the one of fair bets.
"""

from math import log, pi, sqrt

import numpy as np

from dualres.utils.arrays import Exact

SEGMENTS = (16, 32, 64)  # few are long enough for what comes rarely, many tell the fall more exactly
FEWEST = 25  # e-values of a segment
FURTHER = 10  # times as many e-values as were tried; what is rarer than that cannot be told from them
LEAST_TRIED = SEGMENTS[0] * FEWEST  # fewer e-values tell nothing
FAIR, UNFAIR = 1.0, 2.5  # standard errors of doubt, where fair bets would go as far and where they would not
EULER = 0.5772


def threshold(evidence: Exact, e_values_between: float) -> float:
    """Nats that healthy evidence reaches once in so many e-values at most; at least those of fair bets.

    If that is rarer than the reference tells, it is only kept where bets are fair.
    """
    fair = float(np.log1p(e_values_between))
    counts = [count for count in SEGMENTS if len(evidence) >= count * FEWEST]
    if not counts:
        return fair

    told = min(e_values_between, FURTHER * len(evidence))

    def reached(doubt: float) -> float:
        return max(_return_level(evidence, count, told, doubt) for count in counts)

    return max(fair, reached(UNFAIR if reached(0.0) > fair else FAIR))


def _return_level(evidence: Exact, count: int, between: float, doubt: float) -> float:
    """By Gumbel's distribution of the highest of `count` segments, `doubt` standard errors above its estimate."""
    length = len(evidence) // count
    highest = evidence[: length * count].reshape(count, length).max(1)
    scale = float(highest.std(ddof=1)) * sqrt(6) / pi
    further = max(log(between / length), 0.0)  # than the place of the distribution, in scales
    error = sqrt((1.11 + 0.52 * further + 0.61 * further**2) / count)  # of that level, in scales
    return float(highest.mean()) + scale * (further - EULER + doubt * error)
