"""Recordings of made-up machines: a tone that tells the class, and one that tells the speed."""

import numpy as np

from dualres.recordings.recording import Recording

RATE = 12_800
TONES = {"good": 900.0, "worn": 3000.0, "broken": 2000.0}  # Hz


def made(label, seed, *, speed=1, known=True, component=None):
    """Three seconds of a machine; with `known`, its label is told."""
    t = np.arange(3 * RATE) / RATE
    noise = 0.3 * np.random.default_rng([seed, speed]).standard_normal(3 * RATE)
    signal = np.sin(2 * np.pi * TONES[label] * t) + 0.7 * np.sin(2 * np.pi * 300.0 * speed * t) + noise
    one = Recording.from_array(signal, RATE, f"{label}{seed} at {speed}", label if known else None)
    return Recording(one.id, one.load, one.rate, one.label, component, {"speed": str(speed)})
