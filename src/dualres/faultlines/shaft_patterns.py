"""What a shaft's or a gear's own lines are consistent with, and how rare that is among healthy machines.

Every machine has lines of its shaft, so templates at other places say nothing here. A pattern is a score of what
physics leads one to expect, and its p-value is the share of healthy simulated machines (`experiments/eval_check.py`
calibrates) that score as high. Where the simulation is unlike a real machine, so is the p-value.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from dualres.faultlines.growth import Growth, ShaftPattern
from dualres.faultlines.order_evidence import OrderEvidence
from dualres.faultlines.order_spectra import OrderSpectra
from dualres.faultlines.turn_average import turn_peak
from dualres.utils.arrays import Exact

Pattern = Literal[ShaftPattern, "gear", "mate"]
SHAFT_PATTERNS: tuple[Pattern, ...] = ("unbalance", "bent shaft", "misalignment", "looseness")

TAILS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)  # shares of healthy simulated machines
# The scores that those shares reach; beyond the last, the p-value stays what it is there.
HEALTHY: dict[Pattern, tuple[float, ...]] = {
    "unbalance": (7.81, 8.96, 10.07, 10.62, 10.84, 11.39),
    "bent shaft": (4.99, 6.47, 8.48, 9.32, 10.01, 10.34),
    "misalignment": (1.7, 2.17, 2.84, 3.42, 3.92, 4.58),
    "looseness": (0.81, 1.0, 1.18, 1.31, 1.42, 1.56),
    "gear": (1.08, 1.47, 2.1, 2.67, 2.98, 3.41),
    "mate": (1.02, 1.41, 2.08, 2.43, 2.83, 3.52),
}
# Scores that a pattern must reach besides, for machines without the fault have more of its lines than those above: the
# gearbox of PHM2009 comes and goes with its shaft, CWRU's and UESTC's benches do so twice in a turn, and machines that
# are simulated in another way (`experiments/other_machines.py`) have stronger lines of their shaft.
MARGINS: dict[Pattern, float] = {
    **{"unbalance": 13.5, "bent shaft": 10.3, "misalignment": 7.2, "looseness": 2.5},
    **{"gear": 7.5, "mate": 8.5},
}
BENT = 10.0  # decibels from the first line of a bent shaft to the second, at most
HALVES = (0.5, 1.5, 2.5, 3.5)
IMPACTS = np.arange(3, 13, dtype=np.float64)  # harmonics at which what strikes once a turn shows
# Crests from which a peak is sharp: one of `DULL` is what comes and goes, each tenth above counts `SHARPNESS` / 10.
DULL, SHARPNESS = 3.0, 4.0


@dataclass(frozen=True)
class PatternTest:
    """What the test says of one pattern."""

    pattern: Pattern
    score: float
    p: float
    lines: tuple[tuple[float, float], ...]  # orders, and how far each stands out
    growth: Growth | None = None  # since the machine was healthy, where that is what was tested

    @property
    def enough(self) -> bool:
        """Whether the score passes its margin; what has grown needs none."""
        return self.growth is not None or self.score >= MARGINS[self.pattern]

    def compared(self, growths: Iterable[Growth]) -> "PatternTest":
        """By what has grown, where that is known of the pattern."""
        growth = next((one for one in growths if one.pattern == self.pattern), None)
        return self if growth is None else replace(self, score=growth.score, p=growth.p, growth=growth)


def patterns(spectra: OrderSpectra, evidence: OrderEvidence, teeth: tuple[int, int] | None) -> list[PatternTest]:
    """All that can be looked for in a recording; those of gears where their teeth are known."""
    once, twice = (float(one) for one in evidence.at(evidence.envelope, np.array([1.0, 2.0])))
    first, second, third = (_decibels(spectra, evidence, order) for order in (1.0, 2.0, 3.0))
    heard = float(evidence.at(evidence.signal, np.array([2.0]))[0])
    shown = ((1.0, once), (2.0, twice))
    # A bent shaft is felt once and twice in each turn, the former the more, and hardly more often.
    bent = min(once, twice + 6, heard + 2, first - third - 6, second - third) if 0 < first - second < BENT else 0.0
    found = [
        _tested("unbalance", min(once, once - twice + 4, first - second), shown),
        _tested("bent shaft", bent, shown),
        # Twice a turn in what is heard and in what comes and goes.
        _tested("misalignment", min(twice, twice - once + 4, second - first + 9), shown),
        _loose(evidence),
    ]
    if teeth:
        found += [_struck("gear", spectra, evidence, 1.0), _struck("mate", spectra, evidence, teeth[1] / teeth[0])]
    return found


def _loose(evidence: OrderEvidence) -> PatternTest:
    """Half orders between whole ones: all of them but one must be there."""
    halves = evidence.at(evidence.signal, np.array(HALVES))
    whole = evidence.at(evidence.signal, np.array([1.0, 2.0]))
    score = min(float(np.sort(halves)[1]), float(whole.max()))
    return _tested("looseness", score, tuple(zip(HALVES, halves.tolist(), strict=True)))


def _struck(pattern: Pattern, spectra: OrderSpectra, evidence: OrderEvidence, length: float) -> PatternTest:
    """A tooth that strikes once in each turn of its gear, which takes so many turns of the shaft: one sharp peak."""
    peak = turn_peak(spectra.turned, length, evidence.speed_factor, evidence.speed_found)
    score = min(peak.stands_out, SHARPNESS * (peak.crest - DULL)) if peak else 0.0
    orders = IMPACTS / length
    heights = evidence.at(evidence.envelope, orders)
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
