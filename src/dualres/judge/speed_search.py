"""Which of several speeds a shaft turns at, by how well windows fit a network and by the lines of the shaft itself."""

import math
from dataclasses import dataclass

import numpy as np

from dualres.recordings.speed import Speed
from dualres.utils.arrays import Exact

EXACT = 0.005  # a speed that is off by less, as a share, is taken as it is
NEAR_TRIES = 21  # speeds within `NEAR_REACH` times the spread of a stated one
NEAR_REACH = 2.5
NEAR_COST = 0.02  # nats of misfit that a speed costs which is one spread away
STAYS = 0.3  # nats of misfit by which another speed has to be better than the stated one
WIDE_STEP = 0.0125  # nats from one speed to the next where none is stated
WIDE_REACH = 1.8  # times beyond the labelled speeds
WIDE_SPREAD = 0.3  # nats beyond them at which a speed costs `WIDE_COST`
WIDE_COST = 0.05  # nats of misfit
EVIDENCE = 1 / 8  # nats of misfit that a nat of evidence for the shaft's lines is worth
APART = 0.05  # nats; speeds less apart are the same for the question how sure it is
SURE_MARGIN = 0.1  # nats of misfit by which all other speeds have to be worse where none is stated


@dataclass(frozen=True)
class SpeedTried:
    """What a search among speeds found, of a recording or a segment."""

    factor: float  # of the stated speed, or of the usual one
    margin: float  # nats of misfit by which speeds elsewhere are worse
    sure: bool


@dataclass(frozen=True, eq=False)
class SpeedSearch:
    """The speeds to be tried."""

    factors: Exact  # of the stated speed, or of the usual one, (tries,)
    costs: Exact  # nats of misfit that each is less likely beforehand, (tries,)
    stated: bool  # whether anybody states the speed

    def decided(self, misfit: Exact, evidence: Exact) -> SpeedTried:
        """By the misfit of windows at each try, and by the evidence for the shaft's lines there, (tries,) in nats; a
        stated speed stays where no other one is clearly better."""
        against = misfit + self.costs - EVIDENCE * evidence
        best, as_stated = int(np.argmin(against)), int(np.argmin(np.abs(np.log(self.factors))))
        if self.stated and against[as_stated] - against[best] < STAYS:
            best = as_stated
        elsewhere = against[np.abs(np.log(self.factors / self.factors[best])) > APART]
        margin = float(elsewhere.min() - against[best]) if len(elsewhere) else math.inf
        return SpeedTried(float(self.factors[best]), margin, self.stated or margin > SURE_MARGIN)


def near(stated: Speed, tries: int = NEAR_TRIES) -> SpeedSearch | None:
    """Around a stated speed; None where it is exact."""
    if stated.usual_spread <= EXACT:
        return None
    steps = np.linspace(-NEAR_REACH, NEAR_REACH, tries)
    return SpeedSearch(np.exp(stated.usual_spread * steps), NEAR_COST * steps**2, stated=True)


def wide(labelled: tuple[float, float], usual_hz: float) -> SpeedSearch:
    """Around the labelled speeds, from the slowest to the fastest; factors are of `usual_hz`."""
    low, high = (math.log(hz / usual_hz) for hz in labelled)
    logs = np.arange(low - math.log(WIDE_REACH), high + math.log(WIDE_REACH), WIDE_STEP)
    beyond = np.maximum(np.maximum(low - logs, logs - high), 0)
    return SpeedSearch(np.exp(logs), WIDE_COST * (beyond / WIDE_SPREAD) ** 2, stated=False)
