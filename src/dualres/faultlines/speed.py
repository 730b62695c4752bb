"""The speed of a shaft: as somebody states it, or from a tachometer's pulses."""

import math
import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError

_STATED = re.compile(r"\s*([0-9.]+(?:e[+-]?\d+)?)\s*(rpm|hz|1/min|r/min)?\s*", re.IGNORECASE)
COLUMNS = ("speed", "rpm", "speed_rpm", "speed_hz", "shaft_hz")  # of a labels.csv
LEAST_RPM = 200  # of a number without a unit: hardly a shaft turns as often in a second
LEAST_PULSES = 5


def speed_hz(text: str, unit: str | None = None) -> float:
    """Revolutions per second, from "1797rpm" or "29.95Hz"; `unit` serves a number without one."""
    found = _STATED.fullmatch(text)
    unit = (found and found[2]) or unit
    try:
        value = float(found[1]) if found else 0.0
    except ValueError:
        value = 0.0
    if not unit or not 0 < value < math.inf:
        raise ConfigError(f"speed {text!r}: give a number and its unit, such as 1797rpm or 29.95Hz")
    return value if unit.casefold() == "hz" else value / 60


def speed_in(condition: Mapping[str, str]) -> float | None:
    """Revolutions per second by what a list says of a recording, or None; a bare number of `LEAST_RPM` or more is rpm,
    any other an error unless the column or the cell names a unit."""
    for column in COLUMNS:
        if column in condition:
            unit = next((unit for unit in ("rpm", "hz") if unit in column), None)
            return speed_hz(condition[column], unit or ("rpm" if _large(condition[column]) else None))
    return None


def _large(text: str) -> bool:
    try:
        return float(text) >= LEAST_RPM
    except ValueError:
        return False


def tachometer_hz(signal: npt.ArrayLike, rate: float, pulses: int = 1) -> float:
    """Revolutions per second, the mean over a tachometer's samples at `rate` Hz, with so many pulses in each. A pulse
    begins where the signal rises through the upper quarter of its range, having been below the lower one."""
    if pulses < 1:
        raise ConfigError(f"{pulses} pulses per revolution: at least one is needed")
    samples = np.asarray(signal, dtype=np.float64)
    low, high = np.quantile(samples, [0.001, 0.999])
    if high - low > 2 * (samples.mean() - low):  # pulses are short, and quantiles may miss their top
        high = samples.max()
    lower, upper = low + 0.25 * (high - low), low + 0.75 * (high - low)
    known = np.flatnonzero((samples < lower) | (samples > upper))
    rises = known[1:][np.diff((samples[known] > upper).astype(int)) == 1]
    if len(rises) < LEAST_PULSES:
        raise RecordingError(f"the tachometer shows {len(rises)} pulses; at least {LEAST_PULSES} are needed")
    moments = rises - (samples[rises] - upper) / np.maximum(samples[rises] - samples[rises - 1], 1e-300)
    return float((len(rises) - 1) / (moments[-1] - moments[0]) * rate / pulses)
