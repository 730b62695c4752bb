"""Is a fault line there? The line's comb against the same comb at other spacings.

A spectrum is divided by its local median, so that only what sticks out counts. The score of a comb is the mean over
its frequencies but the strongest, which may be another line's, at that slip at which it is largest. Combs of other
spacings are scored in the same way, slip included; the p-value is the share of them that score as high.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dualres.faultlines.envelope import PowerSpectrum
from dualres.faultlines.lines import FaultLine
from dualres.utils.arrays import Exact

SHIFTED = 600  # combs that a line is compared with
RANGE = (0.57, 1.75)  # their spacings, in the line's own: neither half of it nor twice, whose frequencies are its own
AROUND = 41  # frequencies that a local median is taken of
ERROR = 0.05  # probability that any line is named which is not there
SMEARED = 0.01  # of its frequency, how wide a line may be that slips now more and now less
LEAST_TEETH = 3  # frequencies of a comb
LEAST = 2.0  # score of a line that is named: what is rare need not be much


@dataclass(frozen=True)
class LineTest:
    """What the test says of a line."""

    line: FaultLine
    hz: float  # the spacing at which its comb is strongest, slip included
    score: float  # how far its comb stands out, in robust standard deviations of the noise
    p: float  # share of shifted combs that score as high
    adjusted: float  # by Holm, for all lines tested
    named: bool

    @property
    def slip(self) -> float:
        """Share by which it is off the nominal line."""
        return self.hz / self.line.hz - 1


def prominence(spectrum: PowerSpectrum) -> Exact:
    """How far each frequency stands out of its surroundings, in robust standard deviations; 0 if it does not."""
    level = np.log(np.maximum(spectrum.power, np.finfo(float).tiny))
    half = min(AROUND, len(level) // 2 * 2 - 1) // 2
    around = np.lib.stride_tricks.sliding_window_view(np.pad(level, half, mode="edge"), 2 * half + 1)
    away = level - np.partition(around, half, axis=1)[:, half]  # the median
    below = -away[away < 0]  # what sticks out is above, and must not widen the noise
    noise = 1.4826 * np.median(below) if len(below) else 1.0
    stands: Exact = np.maximum(away / max(noise, 1e-12), 0)
    stands[:3] = 0  # the mean, and what a Hann window makes of it
    return stands


def scores(stands: Exact, step_hz: float, line: FaultLine, factors: Exact) -> tuple[Exact, Exact]:
    """Of the comb at spacings of `factors` times the line's, the best within its slip, and the factor there: (n,)."""
    fastest = max(abs(m) for m in line.multiples) * line.hz * factors.max()
    steps = max(1, int(np.ceil(line.slip * fastest / step_hz)))
    tried = factors[:, None] * (1 + line.slip * np.arange(-steps, steps + 1) / steps)  # (n, slips)
    multiples = np.array(line.multiples, dtype=np.float64)
    hz = line.carrier_hz + line.hz * tried[..., None] * multiples
    near = stands.copy()  # a line may lie between two frequencies
    near[1:] = np.maximum(near[1:], stands[:-1])
    near[:-1] = np.maximum(near[:-1], stands[1:])
    stand = near[np.round(hz / step_hz).astype(int).clip(0, len(near) - 1)]
    found = (stand.sum(-1) - stand.max(-1)) / (len(multiples) - 1)
    best = found.argmax(1)
    rows = np.arange(len(factors))
    return found[rows, best], tried[rows, best]


def upper_hz(line: FaultLine) -> float:
    """How far a spectrum must reach to test a line of harmonics by as few of them as possible."""
    return LEAST_TEETH * line.hz * RANGE[1] * (1 + line.slip)


def shifted_factors(line: FaultLine) -> Exact:
    """Spacings of the combs that a line is compared with, none of which slip could bring to the line's own."""
    factors = np.geomspace(*RANGE, SHIFTED)
    return np.asarray(factors[np.abs(factors - 1) > 2.5 * line.slip + 0.01])


def look_for(spectra: dict[str, PowerSpectrum], lines: Sequence[FaultLine]) -> list[LineTest]:
    """Every line, in the order given, by the spectrum that it shows in; the most prominent is tested first, by Holm's
    levels. What was named is taken out of the spectrum: no other comb may be named for frequencies that it shares."""
    stands = {where: prominence(spectrum) for where, spectrum in spectra.items()}
    left, found, worst = list(lines), {}, 0.0
    while left:
        tried = [_tried(stands[line.where], spectra[line.where].step_hz, line) for line in left]
        first = min(range(len(left)), key=lambda i: (tried[i][2], -tried[i][1]))
        (hz, score, p), line = tried[first], left.pop(first)
        worst = max(worst, min(1.0, p * (len(left) + 1)))
        found[line] = LineTest(line, hz, score, p, worst, worst <= ERROR and score >= LEAST)
        if found[line].named:
            _take_out(stands[line.where], spectra[line.where].step_hz, line, hz)
    return [found[line] for line in lines]


def _tried(stands: Exact, step_hz: float, line: FaultLine) -> tuple[float, float, float]:
    """The best spacing in Hz, its score and its p-value, by those frequencies that every shifted comb has as well."""
    line = line.below(line.carrier_hz + (len(stands) * step_hz - line.carrier_hz) / (RANGE[1] * (1 + line.slip)))
    if len(line.multiples) < LEAST_TEETH:
        return line.hz, 0.0, 1.0
    (score,), (factor,) = scores(stands, step_hz, line, np.ones(1))
    others, _ = scores(stands, step_hz, line, shifted_factors(line))
    p = (1 + np.count_nonzero(others >= score)) / (1 + len(others))
    return float(factor * line.hz), float(score), float(p)


def _take_out(stands: Exact, step_hz: float, line: FaultLine, hz: float) -> None:
    for place in np.round(line.frequencies(hz / line.hz) / step_hz).astype(int):
        wide = 2 + int(SMEARED * abs(place))
        stands[max(0, place - wide) : place + wide + 1] = 0
