"""Macro-F1 over held-out units, and how far another draw of such units could move it: one statistic.

What varies is the unit, say the component: its recordings are right or wrong together. So the score is computed again
without each unit in turn (the jackknife), and the standard error comes from how far it moves. All units of a round are
judged by one fit, and all fits share most of what they learned from. So Student's t is taken for rounds - 1 degrees of
freedom, not units - 1, and the interval is a fifth wider than that. `experiments/eval_intervals.py` counts how often
such intervals hold the truth, the score of the final model on many new units, on data made apart from the simulators.
With two rounds the model that is judged learned from half as much as the final one, which nothing makes up for; with
fewer than six units, as of three loads, chance decides how far they differ. Then there is no interval.

Where every unit is judged right, nothing moves. The lower end is then the share of units for which so many right ones
in a row would be as rare as 5 % (the exact binomial bound), and likewise the upper end where all are wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dualres.metrics import Counts, macro_f1

LEVEL = 0.9  # probability of the interval
LEAST_UNITS = 6  # fewer differ too little or too much by chance
LEAST_ROUNDS = 3  # of fewer, each learned from much less than the final model
WIDER = 1.2  # times, for rounds share what they learned from
CLEARLY = 2.0  # standard errors of the difference by which one of two must be ahead


@dataclass(frozen=True)
class Score:
    """Macro-F1 with its standard error and its interval, which too few units do not have."""

    macro_f1: float
    units: int
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None

    def as_data(self) -> dict[str, float]:
        """As a card tells it; what is not known is left out."""
        data = {"macro_f1": self.macro_f1, "spread": self.standard_error, "low": self.low, "high": self.high}
        known = {name: value for name, value in data.items() if value is not None}
        return {**known, **({"level": LEVEL} if self.low is not None else {}), "units": float(self.units)}


def score_of(by_unit: Sequence[Counts], rounds: int) -> Score:
    """Of the confusions of each unit, (classes, classes) each, which were held out in so many rounds."""
    total, count = np.sum(by_unit, axis=0), len(by_unit)
    score = judged_macro_f1(total)
    if count < 2:
        return Score(score, count)
    without = np.array([judged_macro_f1(total - one) for one in by_unit])
    error = math.sqrt((count - 1) / count * float(((without - without.mean()) ** 2).sum()))
    if count < LEAST_UNITS or rounds < LEAST_ROUNDS:
        return Score(score, count, error)
    tail = (1 - LEVEL) / 2
    surely = tail ** (1 / count)
    if score == 1:
        return Score(score, count, error, surely, 1.0)
    if score == 0:
        return Score(score, count, error, 0.0, 1 - surely)
    reach = WIDER * float(stdtrit(min(rounds, count) - 1, 1 - tail)) * error
    return Score(score, count, error, max(0.0, score - reach), min(1.0, score + reach))


def clearly_ahead(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the mean difference of scores, pair by pair, is more than chance makes of as many pairs."""
    ahead = np.subtract(one, other)
    return bool(ahead.mean() > CLEARLY * np.std(ahead, ddof=1) / np.sqrt(len(ahead)))


def judged_macro_f1(matrix: Counts) -> float:
    """Macro-F1 over the classes that were judged; a class that could not be held out has nothing to say."""
    judged = matrix.sum(1) > 0
    share = float(judged.mean())
    return macro_f1(matrix) / share if share else 0.0
