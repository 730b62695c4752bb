"""What simulated machines are made of: impacts along a turning shaft, mesh forces, ringing modes, noise, an amplifier.

Angles are those of a shaft, in rad, one per sample; they grow from the first sample to the last.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dualres.recordings.recording import Samples

Waveform = npt.NDArray[np.float64]


def generator(seed: int, *names: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on what they are for, not on what was drawn before."""
    return np.random.default_rng([seed, *"/".join(names).encode()])


def wander(t: Waveform, seconds: float, rng: np.random.Generator) -> Waveform:
    """A slow random fluctuation of about unit size at the times `t`, in s, of a recording of `seconds`."""
    knots = np.arange(0, seconds + 1.0, 0.5)
    return np.interp(t, knots, rng.standard_normal(len(knots)))


def slipping(order: float, end: float, rng: np.random.Generator) -> Waveform:
    """Angles up to `end` at which rolling elements pass, `order` times per revolution in the mean: the cage slips."""
    spacing = 2 * np.pi / order
    count = int(1.1 * end / spacing) + 2
    angles = rng.uniform(0, spacing) + np.cumsum(spacing * (1 + 0.015 * rng.standard_normal(count)))
    return angles[angles < end]


def every_turn(places: npt.NDArray[np.float64], end: float) -> Waveform:
    """Angles up to `end` at which the given places, as shares of a revolution, come round."""
    turns = np.arange(int(end / (2 * np.pi)) + 1)
    angles = (turns[:, None] + places).ravel() * 2 * np.pi
    return angles[angles < end]


def impulses(shaft: Waveform, angles: Waveform, strength: Waveform) -> Waveform:
    """Impulses of the given strengths at the moments when the shaft passes the given angles."""
    moments = np.interp(angles, shaft, np.arange(len(shaft)))
    below = moments.astype(int).clip(0, len(shaft) - 2)
    share = moments - below
    train = np.zeros_like(shaft)
    np.add.at(train, below, strength * (1 - share))
    np.add.at(train, below + 1, strength * share)
    return train


def knocks(size: int, seconds: float, strength: float, rng: np.random.Generator) -> Waveform:
    """Blows from elsewhere, at random moments; some recordings have many and hard ones. `strength` is a logarithm."""
    blows = np.zeros(size)
    count = rng.poisson(rng.uniform(0.5, 4) * seconds)
    strengths = rng.lognormal(strength, 0.8) * rng.lognormal(0, 1.0, count)
    blows[rng.integers(size, size=count)] = strengths * rng.choice([-1, 1], count)
    return blows


def mesh(angle: Waveform, harmonics: Waveform, rng: np.random.Generator) -> Waveform:
    """A sum of harmonics of an angle, with random phases."""
    total, phases = np.zeros_like(angle), rng.uniform(0, 2 * np.pi, len(harmonics))
    for k, (size, phase) in enumerate(zip(harmonics, phases, strict=True), start=1):
        total += size * np.cos(k * angle + phase)
    return total


def per_tooth(shaft: Waveform, teeth: Waveform) -> Waveform:
    """A value per tooth of a gear, read off smoothly as the shaft turns."""
    position = shaft / (2 * np.pi) * len(teeth)
    below = np.floor(position).astype(int)
    share = position - below
    return np.asarray((1 - share) * teeth[below % len(teeth)] + share * teeth[(below + 1) % len(teeth)])


def tooth_window(shaft: Waveform, teeth: int, tooth: int, width: float) -> Waveform:
    """One while the given tooth of a gear meshes, falling to zero over `width` tooth pitches."""
    position = shaft / (2 * np.pi) * teeth - tooth
    away = (position + teeth / 2) % teeth - teeth / 2
    return np.exp(-0.5 * (away / width) ** 2)


def ringing(
    direct: Waveform,
    forces: Mapping[str, Waveform],
    shares: Mapping[str, Waveform],
    *,
    hz: Waveform,
    damping: Sequence[float] | Waveform,
    rate: int,
) -> Waveform:
    """What arrives directly, and what modes make of the forces; `shares` of each force has one per mode."""
    total = direct
    for mode, (frequency, damped) in enumerate(zip(hz, damping, strict=True)):
        total = total + ring(sum(shares[name][mode] * force for name, force in forces.items()), frequency, damped, rate)
    return total


def ring(force: Waveform, hz: float, damping: float, rate: int) -> Waveform:
    """One mode: a two-pole resonator with unit peak gain."""
    from scipy.signal import lfilter  # only here: datasets are listed, and folds audited, without SciPy

    angle = 2 * np.pi * hz / rate
    radius = np.exp(-damping * angle)
    response: Waveform = lfilter([(1 - radius) * np.sin(angle) * 2], [1, -2 * radius * np.cos(angle), radius**2], force)
    return response


def pink(size: int, rng: np.random.Generator) -> Waveform:
    """Noise of unit size whose power falls with frequency as 1/f."""
    spectrum = np.fft.rfft(rng.standard_normal(size))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, size)
    return np.asarray(noise / noise.std())


def with_noise(vibration: Waveform, rng: np.random.Generator) -> Waveform:
    """White and pink noise, in some proportion to the vibration."""
    size, level = len(vibration), vibration.std()
    noisy: Waveform = vibration + level * rng.uniform(0.1, 0.3) * rng.standard_normal(size)
    noisy += level * rng.uniform(0.1, 0.4) * pink(size, rng)
    return noisy


def amplified(vibration: Waveform, rng: np.random.Generator) -> Samples:
    """Gain, offset and limits of the sensor: the level is the amplifier's, not the machine's."""
    signal = vibration / vibration.std() * rng.lognormal(0, 0.5) + rng.normal(0, 0.3)
    if rng.random() < 0.15:
        centre, reach = np.median(signal), np.abs(signal - np.median(signal)).max()
        limit = rng.uniform(0.4, 0.8) * reach
        signal = np.clip(signal, centre - limit, centre + limit)
    return np.asarray(signal, dtype=np.float32)
