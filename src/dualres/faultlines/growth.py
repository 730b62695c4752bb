"""Did a shaft's lines grow since the machine was healthy? With recordings of that time, one need not guess.

Each level is predicted from the healthy recordings, by their speeds, and compared with what is there now. How far it
may be off is told by their spread, by a spread that is believed beforehand, and by what a mounting or a repair changes,
which no recording of one assembly tells. A pattern is the sum of the levels that physics expects to grow; its p-value
is the tail of Student's distribution.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2, pi, sqrt
from typing import Literal

import numpy as np

from dualres.errors import ConfigError
from dualres.faultlines.machine_levels import MachineLevels
from dualres.utils.arrays import Exact

ShaftPattern = Literal["unbalance", "bent shaft", "misalignment", "looseness"]
LEAST_HEALTHY = 3  # recordings
BELIEVED = 8.0  # degrees of freedom that a spread is worth which is believed beforehand
# In dB: how much a level is believed to vary while nobody touches the machine, and what a repair, another mounting or a
# sister machine changes.
SPREADS_DB = {"once": 2.5, "twice": 2.5, "halves": 1.5, "comes once": 1.3, "comes twice": 0.8}
REPAIRED_DB = {"once": 4.5, "twice": 4.0, "halves": 1.4, "comes once": 2.5, "comes twice": 1.5}
ALIKE = 0.1  # correlation of two levels of a healthy machine
RIDGE = 0.25  # of the slope over the binary logarithm of the speed, in variances of a level
GROWS: Mapping[ShaftPattern, tuple[str, ...]] = {
    "unbalance": ("once", "comes once"),
    "misalignment": ("twice", "comes twice"),
    "bent shaft": ("once", "twice", "comes once", "comes twice"),
    "looseness": ("halves",),
}


@dataclass(frozen=True)
class HealthyRecording:
    """What a healthy machine is like."""

    file: str
    shaft_hz: float
    levels: MachineLevels


@dataclass(frozen=True)
class Growth:
    """What a pattern's levels did since the machine was healthy."""

    pattern: ShaftPattern
    score: float  # in standard deviations of healthy machines
    p: float
    rises_db: Mapping[str, float]  # by level


@dataclass(frozen=True)
class HealthyMachine:
    """Recordings of a machine, or of its sisters, while they ran well."""

    recordings: tuple[HealthyRecording, ...]

    def without(self, file: str) -> "HealthyMachine":
        """For a recording that is one of them."""
        return HealthyMachine(tuple(one for one in self.recordings if one.file != file))

    def growths(self, levels: MachineLevels, shaft_hz: float) -> list[Growth]:
        """Of every pattern."""
        if len(self.recordings) < LEAST_HEALTHY:
            raise ConfigError(
                f"{len(self.recordings)} healthy recordings are too few to compare with; give {LEAST_HEALTHY} or more"
            )
        rises = {name: self._rise(name, levels[name], shaft_hz) for name in SPREADS_DB}
        found = []
        for pattern, names in GROWS.items():
            grown, count = [rises[name] for name in names], len(names)
            score = sum(one.score for one in grown) / sqrt(count + ALIKE * count * (count - 1))
            p = student_tail(score, min(one.freedom for one in grown))
            found.append(Growth(pattern, score, p, {name: rises[name].decibels for name in names}))
        return found

    def _rise(self, name: str, level: float, shaft_hz: float) -> "_Rise":
        known = np.array([one.levels[name] for one in self.recordings])
        speeds = np.log2([one.shaft_hz for one in self.recordings])
        count, away = len(known), speeds - speeds.mean()
        squares = float(away @ away) + RIDGE
        slope = float(away @ (known - known.mean())) / squares
        now = log2(shaft_hz) - float(speeds.mean())
        left: Exact = known - known.mean() - slope * away
        freedom = count - 1 + BELIEVED
        variance = (float(left @ left) + BELIEVED * SPREADS_DB[name] ** 2) / freedom
        predicted = variance * (1 + 1 / count + now**2 / squares)
        whole = predicted + REPAIRED_DB[name] ** 2
        rise = level - float(known.mean()) - slope * now
        # Satterthwaite's: only a part of the variance is estimated.
        return _Rise(rise, rise / sqrt(whole), freedom * (whole / predicted) ** 2)


@dataclass(frozen=True)
class _Rise:
    """Of one level, over what healthy recordings predict."""

    decibels: float
    score: float  # in standard deviations
    freedom: float  # degrees of it


def student_tail(value: float, freedom: float) -> float:
    """How often Student's distribution exceeds a value."""
    angles = np.linspace(-pi / 2, pi / 2, 4001)
    density = np.cos(angles) ** (freedom - 1)
    sums = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return float(1 - np.interp(np.arctan(value / sqrt(freedom)), angles, sums / sums[-1]))
