"""What a shaft's or a gear's own lines are consistent with, and how rare that is among healthy machines.

Every machine has lines of its shaft, so templates at other places say nothing here. A pattern is a score of what
physics leads one to expect, and its p-value is the share of healthy simulated machines (`experiments/eval_check.py`
calibrates) that score as high. Where the simulation is unlike a real machine, so is the p-value.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dualres.faultlines.order_evidence import HANN, OrderEvidence
from dualres.faultlines.order_spectra import OrderSpectra
from dualres.utils.arrays import Exact

Pattern = Literal["unbalance", "misalignment", "looseness", "gear", "mate"]
SHAFT_PATTERNS: tuple[Pattern, ...] = ("unbalance", "misalignment", "looseness")

TAILS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)  # shares of healthy simulated machines
# The scores that those shares reach; beyond the last, the p-value stays what it is there.
HEALTHY: dict[Pattern, tuple[float, ...]] = {
    "unbalance": (7.0, 8.1, 9.9, 10.4, 10.7, 10.8),
    "misalignment": (1.8, 2.1, 2.7, 3.1, 3.3, 3.6),
    "looseness": (0.8, 1.0, 1.2, 1.3, 1.4, 1.5),
    "gear": (0.7, 0.71, 0.8, 1.0, 1.01, 1.1),
    "mate": (0.7, 0.9, 1.1, 1.11, 1.2, 1.21),
}
# Scores that a pattern must reach besides, for real machines without the fault have more of its lines than simulated
# ones: the gearbox of PHM2009 comes and goes with its shaft, and CWRU's and UESTC's benches do so twice in a turn.
MARGINS: dict[Pattern, float] = {"unbalance": 10.5, "misalignment": 9.0, "looseness": 2.5, "gear": 6.0, "mate": 6.0}
HALVES = (0.5, 1.5, 2.5, 3.5)
IMPACTS = np.arange(3, 13, dtype=np.float64)  # orders at which what strikes once a turn shows


@dataclass(frozen=True)
class PatternTest:
    """What the test says of one pattern."""

    pattern: Pattern
    score: float
    p: float
    lines: tuple[tuple[float, float], ...]  # orders, and how far each stands out

    @property
    def enough(self) -> bool:
        """Whether the score passes its margin."""
        return self.score >= MARGINS[self.pattern]


def patterns(spectra: OrderSpectra, evidence: OrderEvidence, teeth: tuple[int, int] | None) -> list[PatternTest]:
    """All that can be looked for in a recording; those of gears where their teeth are known."""
    once, twice = (float(one) for one in evidence.at(evidence.envelope, np.array([1.0, 2.0])))
    first, second = (_decibels(spectra, evidence, order) for order in (1.0, 2.0))
    found = [
        _tested("unbalance", min(once, once - twice + 4, first - second), ((1.0, once), (2.0, twice))),
        # Twice a turn in what is heard and in what comes and goes.
        _tested("misalignment", min(twice, twice - once + 4, second - first + 9), ((1.0, once), (2.0, twice))),
        _loose(evidence),
    ]
    if teeth:
        found += [_struck("gear", evidence, 1.0), _struck("mate", evidence, teeth[0] / teeth[1])]
    return found


def _loose(evidence: OrderEvidence) -> PatternTest:
    """Half orders between whole ones: all of them but one must be there."""
    halves = evidence.at(evidence.signal, np.array(HALVES))
    whole = evidence.at(evidence.signal, np.array([1.0, 2.0]))
    score = min(float(np.sort(halves)[1]), float(whole.max()))
    return _tested("looseness", score, tuple(zip(HALVES, halves.tolist(), strict=True)))


def _struck(pattern: Pattern, evidence: OrderEvidence, turn: float) -> PatternTest:
    """A tooth that strikes once in each turn of its gear, of so many turns of the shaft: many harmonics alike."""
    orders = IMPACTS * turn
    if turn != 1:  # what belongs to the shaft itself says nothing of its mate
        orders = orders[np.abs(orders - np.round(orders)) > 2 * HANN * evidence.step]
    heights = evidence.at(evidence.envelope, orders)
    score = float(np.quantile(heights, 0.3)) if len(heights) > 3 else 0.0
    return _tested(pattern, score, tuple(zip(orders.tolist(), heights.tolist(), strict=True)))


def _decibels(spectra: OrderSpectra, evidence: OrderEvidence, order: float) -> float:
    """The power of a line of the shaft, of all axes together."""
    place = round(order * evidence.speed_factor / spectra.step)
    around: Exact = spectra.signals.sum(axis=0)[max(1, place - 2) : place + 3]
    return float(10 * np.log10(max(float(around.max(initial=0.0)), np.finfo(float).tiny)))


def _tested(pattern: Pattern, score: float, lines: tuple[tuple[float, float], ...]) -> PatternTest:
    healthy = HEALTHY[pattern]
    if score < healthy[0]:
        return PatternTest(pattern, score, 1.0, lines)
    p = float(np.exp(np.interp(score, healthy, np.log(TAILS))))
    return PatternTest(pattern, score, p, lines)
