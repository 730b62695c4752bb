"""The e-detector: the wealth of bets that began at any block, and the evidence that it is.

The sum over all starting blocks, R <- R * exp(goes on) + exp(begins), is an e-detector of the kind of Shiryaev and
Roberts: R minus the number of e-values is a supermartingale. Stopped where R first reaches N, its mean is at least N,
and so is the mean number of e-values until then (Shin, Ramdas and Rinaldo, 2023). A weighted mean over several lifts
is such a detector, too. It holds where the innovation of a healthy block is, given the past, distributed like those of
a healthy stretch, or below.
"""

import numpy as np

from dualres.stream.alarm.e_values import LIFTS, WEIGHTS, EValues
from dualres.stream.alarm.innovations import SCALES, innovations
from dualres.utils.arrays import Exact

LARGEST_WEALTH = 1e300  # wealth beyond it counts as equal


def grown(wealth: Exact, log_e_values: Exact) -> Exact:
    """Wealth after another e-value in nats (a fault's first block or a later one, lifts), by lift."""
    begins, goes_on = np.exp(log_e_values)
    return np.asarray(np.minimum(wealth * goes_on + begins, LARGEST_WEALTH))


def evidence(wealth: Exact) -> Exact:
    """In nats, of wealth (..., lifts)."""
    return np.asarray(np.log1p(wealth @ np.array(WEIGHTS)))


def healthy_evidence(e_values: EValues, scores: Exact) -> Exact:
    """How far evidence goes in successive healthy blocks that e-values were learned from, in nats by e-value.

    Each innovation counts as if it were just above itself: what is new is so to those that it is compared with.
    """
    joined = e_values.joined
    means = scores[: len(scores) // joined * joined].reshape(-1, joined).mean(1)
    new = innovations(SCALES[e_values.scale](means), e_values.carried)
    wealth, found = np.zeros(len(LIFTS)), np.empty((len(new), len(LIFTS)))
    for bet, log_e_values in enumerate(e_values.log_e_values(new, above=True)):
        wealth = found[bet] = grown(wealth, log_e_values)
    return evidence(found)
