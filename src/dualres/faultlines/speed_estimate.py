"""How fast a shaft turns, from vibration alone, and whether that is sure.

A candidate is scored by what four curves (`speed_evidence`) have at its rate, at its harmonics, and between them, where
another comb would have its own; and by how usual such a speed is.

The estimate is sure if it leads in two ways. Its score is well above that of any other speed. And its own line is well
above every line down to a third of its rate, and above those at twice and three times it: gears have several shafts,
and what strikes several times a turn looks like a faster one. The weights were fitted on machines whose speed is known
(`experiments/eval_speed.py`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError
from dualres.faultlines.speed_evidence import (
    GRID,
    MOST_S,
    REACH,
    SPECTRUM,
    STEP,
    SpeedEvidence,
    grid_steps,
    speed_evidence,
)
from dualres.utils.arrays import Exact

RANGE_HZ = (5.0, 120.0)  # of speeds that are looked for
USUAL_HZ, USUAL_FACTOR = 25.0, 2.0  # what most machines have: one standard deviation is this factor
LEAST_TURNS = 6  # of a shaft in the recording
WITHIN = 0.02  # two speeds that differ by less are one
NOISE = 2.0  # about the strongest line that noise has in a range of speeds
RIVALS_FROM = 0.32  # of a candidate's rate: a stronger line from here on may be the shaft's, as may one at 2 or 3 times

# What one unit of each other curve is worth, as of `SPECTRUM`.
LOW_ENVELOPES = 0.135, 0.561, -0.122
HIGH_ENVELOPES, SPACING = (0.252, 0.002, -0.447), (0.062, 0.480, 0.116)
BEST_ENVELOPE = 0.441  # the best single band, at the rate alone
WEIGHTS = np.array([*SPECTRUM, *LOW_ENVELOPES, *HIGH_ENVELOPES, *SPACING, BEST_ENVELOPE])
SURE_LEAD = 1.5  # the least lead of an estimate that is sure
MOST_LEAD = 9.0
CONFIDENCE = (0.04, 1.45)  # of the logistic curve from lead to probability: at no lead, and its slope


@dataclass(frozen=True)
class SpeedEstimate:
    """What vibration says of the speed of a shaft."""

    hz: float  # revolutions per second
    sure: bool
    confidence: float  # from 0 to 1, about the probability that it is within 2 %
    spread: float  # standard deviation as a share of the speed, if it is this speed at all
    runner_up_hz: float  # the most likely speed that is another
    lead: float  # what `sure` and `confidence` follow from

    def __str__(self) -> str:
        if self.sure:
            return f"about {self.hz:.1f} Hz ({60 * self.hz:.0f} rpm), sure"
        return f"not clear (perhaps {self.hz:.1f} Hz)"


def estimate_speed(
    signal: npt.ArrayLike,
    rate: float,
    low_hz: float = RANGE_HZ[0],
    high_hz: float = RANGE_HZ[1],
    *,
    stated_hz: float | None = None,
    stated_spread: float = 0.1,
) -> SpeedEstimate:
    """Of samples at `rate` Hz, among speeds from `low_hz` to `high_hz`; where one is stated, it may be off by
    `stated_spread`, a standard deviation as a share of it. The first 12 s are looked at."""
    expected = usual(GRID)
    if stated_hz is not None:
        expected = -0.5 * (np.log(GRID / stated_hz) / stated_spread) ** 2
        low_hz = max(low_hz, stated_hz * (1 - 3 * stated_spread))
        high_hz = min(high_hz, stated_hz * (1 + 3 * stated_spread))
    if not RANGE_HZ[0] <= low_hz < high_hz <= RANGE_HZ[1]:
        raise ConfigError(f"speeds from {low_hz:g} to {high_hz:g} Hz: give a range within {RANGE_HZ[0]:g} to 120 Hz")
    samples = np.asarray(signal)[: int(MOST_S * rate)].astype(np.float64)
    low_hz = max(low_hz, LEAST_TURNS * rate / max(len(samples), 1))
    if low_hz >= high_hz:
        raise RecordingError(f"{len(samples) / rate:.2f} s are too few to estimate a speed of up to {high_hz:g} Hz")
    if not np.isfinite(samples).all():
        raise RecordingError("the recording holds values that are not finite")
    evidence = speed_evidence(samples, rate)
    return decide(evidence, WEIGHTS @ evidence.features + expected, (low_hz, high_hz))


def usual(hz: Exact) -> Exact:
    """The logarithm of how usual a speed is."""
    return np.asarray(-0.5 * (np.log(hz / USUAL_HZ) / np.log(USUAL_FACTOR)) ** 2)


def decide(evidence: SpeedEvidence, scores: Exact, range_hz: tuple[float, float]) -> SpeedEstimate:
    """The speed of the highest score, log-probabilities over `GRID`, and whether it leads. Its lead is how far its
    score is above that of any other speed, or its line above its rivals', whichever is less."""
    inside = (range_hz[0] <= GRID) & (range_hz[1] >= GRID)
    asked = np.where(inside, scores, -np.inf)
    best = int(asked.argmax())
    ratio = GRID / GRID[best]
    near = inside & (np.abs(np.log(ratio)) < 1.2 * WITHIN)
    others = np.where(np.abs(np.log(ratio)) > 1.5 * WITHIN, asked, -np.inf)
    second = int(others.argmax()) if others.max() > -np.inf else best  # a narrow range has no other
    rival = (ratio > RIVALS_FROM) & (ratio < 1 - 2 * WITHIN)
    rival |= np.isin(np.arange(len(GRID)), [best + grid_steps(times) for times in (2, 3)])
    stands = evidence.lines[:, best] - evidence.rivals[:, inside & rival].max(axis=1, initial=NOISE)
    lead = float(min(asked[best] - others.max(), stands.max(), MOST_LEAD))
    share = np.exp(scores[near] - scores[best])
    share /= share.sum()
    away = np.log(ratio[near])
    blurred = STEP**2 * REACH * (REACH + 1) / 3  # by how far lines are looked for
    variance = share @ away**2 - (share @ away) ** 2 - blurred
    return SpeedEstimate(
        hz=float(GRID[best] * np.exp(share @ away)),
        sure=lead >= SURE_LEAD,
        confidence=float(1 / (1 + np.exp(-CONFIDENCE[0] - CONFIDENCE[1] * lead))),
        spread=float(np.sqrt(max(variance, (STEP / 2) ** 2))),
        runner_up_hz=float(GRID[second]),
        lead=lead,
    )
