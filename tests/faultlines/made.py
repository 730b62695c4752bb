"""A machine with a damaged bearing, for tests and for `tools/explanation.py`."""

import numpy as np

from dualres.datasets.vibration import impulses, ring, slipping
from dualres.faultlines.bearing import DIMENSIONS, Bearing, bearing_of

RATE = 48_000


def struck(seed: int, fault: str | None, seconds: float = 10.0, decibels: float = -10.0):
    """Samples at RATE, the bearing and the shaft's rate in Hz.

    A bearing of the table at 12 to 50 revolutions per second; impacts that slip by up to 1 % in the mean and by 1.5 %
    from one to the next make a mode at 1.5 to 12 kHz ring, with 1 to 5 % of critical damping, `decibels` beside white
    noise of the whole band. Without a fault there is the noise alone.
    """
    rng = np.random.default_rng([seed, 0 if fault is None else 1 + len(fault)])
    bearing: Bearing = bearing_of(list(DIMENSIONS)[rng.integers(len(DIMENSIONS))])
    shaft_hz = rng.uniform(12, 50)
    shaft = 2 * np.pi * shaft_hz * np.arange(int(seconds * RATE)) / RATE
    signal = rng.standard_normal(len(shaft))
    if fault:
        angles = slipping(bearing.strikes(fault) * (1 + rng.uniform(-0.01, 0.01)), shaft[-1], rng)
        blows = impulses(shaft, angles, rng.lognormal(0, 0.2, len(angles)))
        ringing = ring(blows, rng.uniform(1500, 12_000), rng.uniform(0.01, 0.05), RATE)
        signal += ringing / ringing.std() * 10 ** (decibels / 20)
    return signal, bearing, shaft_hz
