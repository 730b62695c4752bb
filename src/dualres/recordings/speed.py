"""How fast the shaft of a machine turns while it is recorded."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from dualres.errors import ConfigError
from dualres.utils.arrays import Exact

SpeedSource = Literal["stated", "refined", "measured", "estimated"]
# By how much the true speed may be another, as a share of it: a standard deviation.
SPREADS: dict[SpeedSource, float] = {"stated": 0.02, "refined": 0.02, "measured": 0.002, "estimated": 0.02}


@dataclass(frozen=True)
class Speed:
    """Revolutions per second of a shaft: one number, or one at each of several moments, evenly changing in between."""

    hz: tuple[float, ...]
    at_s: tuple[float, ...] = ()  # the moments, in s from the start of the recording, rising; none for one number
    source: SpeedSource = "stated"
    spread: float | None = None  # by how much it may be off, as a share; None for what is usual for its source

    def __post_init__(self) -> None:
        if not self.hz or len(self.hz) != max(len(self.at_s), 1):
            raise ConfigError(f"a speed of {len(self.hz)} numbers at {len(self.at_s)} moments: give one at each")
        if not all(0 < each < math.inf for each in self.hz):
            raise ConfigError(f"a speed of {min(self.hz):g} revolutions per second: give positive numbers")
        if any(b <= a for a, b in zip(self.at_s, self.at_s[1:], strict=False)):
            raise ConfigError("a speed at moments that do not rise; give them in order")

    @classmethod
    def of_rpm(cls, rpm: float, source: SpeedSource = "stated") -> Speed:
        return cls((rpm / 60,), source=source)

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Speed:
        """As `as_data` wrote it."""
        hz, at_s = (tuple(map(float, data.get(name, ()))) for name in ("hz", "at_s"))
        if data["source"] not in SPREADS:
            raise ConfigError(f"a speed whose source is {data['source']!r}; known are {', '.join(SPREADS)}")
        return cls(hz, at_s, data["source"], data.get("spread"))

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        said = {"hz": list(self.hz), "at_s": list(self.at_s), "source": self.source, "spread": self.spread}
        return {name: value for name, value in said.items() if value not in ([], None)}

    def geared(self, ratio: float) -> Speed:
        """That of a shaft which turns so many times as fast."""
        return replace(self, hz=tuple(each * ratio for each in self.hz))

    @property
    def varies(self) -> bool:
        return len(self.hz) > 1

    @property
    def usual_spread(self) -> float:
        return SPREADS[self.source] if self.spread is None else self.spread

    @property
    def mean_hz(self) -> float:
        """Over time, from its first moment to its last."""
        if not self.varies:
            return self.hz[0]
        return float(self._over(np.array([self.at_s[0]]), self.at_s[-1] - self.at_s[0])[0])

    @property
    def rpm(self) -> float:
        return 60 * self.mean_hz

    def over(self, starts_s: Exact, length_s: float) -> Exact:
        """The mean over spans of `length_s` that begin at `starts_s` (n,): Hz, (n,)."""
        return self._over(starts_s, length_s) if self.varies else np.full(len(starts_s), self.hz[0])

    def between(self, start_s: float, end_s: float | None) -> Speed:
        """That of a part of the recording, whose moments count from the part's start."""
        if not self.varies:
            return self
        last = self.at_s[-1] if end_s is None else end_s
        inside = [at for at in self.at_s if start_s < at < last]
        moments = [start_s, *inside, *([last] if last > start_s else [])]
        hz = np.interp(moments, self.at_s, self.hz)
        return Speed(tuple(hz.tolist()), tuple(at - start_s for at in moments), self.source, self.spread)

    def _over(self, starts_s: Exact, length_s: float) -> Exact:
        at, hz = np.array(self.at_s), np.array(self.hz)
        turns = np.concatenate([[0.0], np.cumsum(np.diff(at) * (hz[1:] + hz[:-1]) / 2)])

        def turned(moments: Exact) -> Exact:
            """Revolutions since the first moment; beyond either end the speed stays what it is there."""
            inside = np.clip(moments, at[0], at[-1])
            place = np.clip(np.searchsorted(at, inside, side="right") - 1, 0, len(at) - 2)
            since, slope = inside - at[place], (hz[place + 1] - hz[place]) / (at[place + 1] - at[place])
            within = turns[place] + hz[place] * since + slope * since**2 / 2
            beyond = hz[0] * np.minimum(moments - at[0], 0) + hz[-1] * np.maximum(moments - at[-1], 0)
            return np.asarray(within + beyond)

        return np.asarray((turned(starts_s + length_s) - turned(starts_s)) / length_s)


SpeedGiven: TypeAlias = Speed | float | str  # rpm as a number, or a text such as "1797", "1797rpm" or "29.95Hz"
_STATED = re.compile(r"\s*([0-9.]+(?:e[+-]?\d+)?)\s*(rpm|hz|1/min|r/min)?\s*", re.IGNORECASE)


def given_speed(given: SpeedGiven | None, unit: str = "rpm") -> Speed | None:
    """A speed as somebody states it; `unit` serves a number without one."""
    if given is None or isinstance(given, Speed):
        return given
    found = _STATED.fullmatch(str(given))
    try:
        value = float(found[1]) if found else 0.0
    except ValueError:
        value = 0.0
    if not found or not 0 < value < math.inf:
        raise ConfigError(f"speed {given!r}: give a number and its unit, such as 1797rpm or 29.95Hz")
    return Speed((value if (found[2] or unit).casefold() == "hz" else value / 60,))


SAME_SPEED = 1.05  # times; as for two statements of one speed, and as far as a model looks around a stated one
COLUMNS = ("speed", "rpm", "speed_rpm", "speed_hz", "shaft_hz")  # of a labels.csv


def speed_in(condition: Mapping[str, str]) -> Speed | None:
    """By what a list says of a recording: the first of `COLUMNS` that holds a speed. A bare number is rpm, unless its
    column says Hz; what is no speed, such as "fast", is none."""
    for column in COLUMNS:
        if column in condition:
            with suppress(ConfigError):
                return given_speed(condition[column], unit_of(column))
    return None


def unit_of(name: str) -> str:
    """Of bare numbers that go by this name: Hz where it says so, else rpm."""
    return "hz" if "hz" in name.casefold() else "rpm"
