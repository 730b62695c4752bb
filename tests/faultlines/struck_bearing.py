"""A damaged bearing in noise, to try fault lines on."""

import numpy as np

from dualres.faultlines.bearing import DIMENSIONS, Bearing, bearing_of
from dualres.simulated.vibration import Waveform, impulses, ring, slipping

RATE = 48_000  # Hz


def struck_bearing(
    seed: int, fault: str | None, seconds: float = 10.0, decibels: float = -10.0
) -> tuple[Waveform, Bearing, float]:
    """Samples at RATE, the bearing and the shaft's rate in Hz.

    A bearing of the table at 12 to 50 revolutions per second. Impacts that slip by up to 1 % in the mean, and by 1.5 %
    from one to the next, make a mode at 1.5 to 12 kHz ring, with 1 to 5 % of critical damping. What rings is `decibels`
    stronger than white noise of the whole band; without a `fault` (outer, inner or ball) there is the noise alone.
    """
    rng = np.random.default_rng([seed, *(fault or "none").encode()])
    bearing = bearing_of(list(DIMENSIONS)[rng.integers(len(DIMENSIONS))])
    shaft_hz = float(rng.uniform(12, 50))
    shaft = 2 * np.pi * shaft_hz * np.arange(int(seconds * RATE)) / RATE
    signal = rng.standard_normal(len(shaft))
    if fault:
        angles = slipping(bearing.strikes(fault) * (1 + rng.uniform(-0.01, 0.01)), float(shaft[-1]), rng)
        blows = impulses(shaft, angles, rng.lognormal(0, 0.2, len(angles)))
        ringing = ring(blows, rng.uniform(1500, 12_000), rng.uniform(0.01, 0.05), RATE)
        signal += ringing / ringing.std() * 10 ** (decibels / 20)
    return signal, bearing, shaft_hz
