"""How strongly a machine vibrates, where the unit of a recording is known."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError

UNITS = {"m/s2": 1.0, "g": 9.80665, "mm/s2": 1e-3}  # of acceleration, in m/s^2
BAND_HZ = (10.0, 1000.0)  # of ISO 10816 and 20816
ZONES = "ABCD"


def velocity_rms(signal: npt.ArrayLike, rate: float, unit: str) -> float:
    """In mm/s from 10 to 1,000 Hz, of acceleration at `rate` Hz in m/s2, mm/s2 or g."""
    if unit not in UNITS:
        raise ConfigError(f"unit {unit!r} is not known; there are {', '.join(UNITS)}")
    samples = np.asarray(signal, dtype=np.float64)
    window = np.hanning(len(samples) + 1)[:-1]
    spectrum = np.fft.rfft((samples - samples.mean()) * window)
    hz = np.fft.rfftfreq(len(samples), 1 / rate)
    within = (hz >= BAND_HZ[0]) & (hz <= BAND_HZ[1])
    power = 2 * np.abs(spectrum[within] / (2 * np.pi * hz[within])) ** 2 / (len(samples) * (window**2).sum())
    return float(1000 * UNITS[unit] * np.sqrt(power.sum()))


def zone_of(velocity: float, limits: Sequence[float]) -> str:
    """The zone of a velocity in mm/s, A to D, by the three limits between them: of a machine's class and mounting."""
    check_limits(limits)
    return ZONES[sum(velocity > limit for limit in limits)]


def limits_of(text: str) -> tuple[float, ...]:
    """From "1.1,2.2,3.3"."""
    try:
        limits = tuple(map(float, text.split(",")))
    except ValueError:
        raise ConfigError(f"zones {text}: give three numbers of mm/s, such as 1.1,2.2,3.3") from None
    check_limits(limits)
    return limits


def check_limits(limits: Sequence[float]) -> None:
    if len(limits) != len(ZONES) - 1 or not all(low < high for low, high in pairwise([0.0, *limits])):
        raise ConfigError(
            f"zones {', '.join(f'{limit:g}' for limit in limits)}: give the three limits in mm/s between zones A, B, C "
            "and D that the standard has for the machine's class and mounting, rising"
        )
