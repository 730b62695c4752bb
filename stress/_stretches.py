"""Streams for exported models: stretches of vibration with gaps between them, as one sensor or several hear a machine.

Everything random comes from the generators that are given, so a stream can be had again by its seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from _devices import MOST_FRAMES
from dualres.config import HELD, ModelConfig
from dualres.export.test_vectors import as_counts
from dualres.model_file.card import APART, SHARED
from dualres.recordings.recording import Samples
from dualres.recordings.resample import resample

COUNTS = 1000  # of a unit, in builds that take counts
OFFSETS, STEPS = (0.0, 3.0, -50.0, 1000.0), (2.0, -20.0, 200.0)
OFFSETS_IN_RANGE, STEPS_IN_RANGE = (0.0, 3.0, -9.0), (2.0, -8.0, 6.0)  # of counts
KINDS = 4  # of vibration, and classes
SLOWEST, FASTEST = 20.0, 30.0  # Hz, of shafts
STATED_OFF = 0.035  # nats by which the stated speeds of a stream are off at most, all of them alike
NOT_STATED = 0.15  # of stretches, nobody states a speed
CONFIG = ModelConfig()


@dataclass(frozen=True)
class Turning:
    """How fast the shaft turns from here on, as it is told."""

    hz: float  # that float32 has, too; 0 where it is not known


Stream = list[Samples | int | Turning]  # chunks (frames, axes) in order, and how many frames are missing where some are


@dataclass(frozen=True)
class Build:
    """One export."""

    rate: Fraction  # Hz
    int16: bool = False
    members: int = 1
    channels: tuple[str, ...] = ()
    axes: str = ""

    @property
    def count(self) -> int:
        return max(1, len(self.channels))


BUILDS = (
    *(Build(Fraction(rate)) for rate in (12_000, 12_800, 20_000, 25_600, 48_000, 64_000, 200_000, "200000/3")),
    Build(Fraction(12_800), int16=True),
    Build(Fraction(64_000), int16=True),
    Build(Fraction(48_000), members=2),
    Build(Fraction(25_600), channels=("x", "y"), axes=APART),
    Build(Fraction(12_800), int16=True, channels=("x", "y"), axes=SHARED),
)


# What a network of orders is tried with, too: more axes than any other, which a device has room for as counts.
ORDERS_BUILDS = (*BUILDS, Build(Fraction(12_800), int16=True, channels=("x", "y", "z"), axes=APART))


def vibration(
    kind: float, samples: int, rate: Fraction, rng: np.random.Generator, *, hz: float | None = None
) -> npt.NDArray[np.float64]:
    """A shaft's line in noise, and blows that ring; faster and stronger from kind to kind. Where it turns at `hz`, the
    blows come at an order that grows from kind to kind, and the line is its own."""
    t, every = np.arange(samples) / float(rate), int(rate / Fraction((2.3 + 0.9 * kind) * hz if hz else 23 + 9 * kind))
    blows = np.zeros(samples)
    blows[rng.integers(every) :: every] = 3 * kind
    ringing = t[: int(rate / 150)]
    ring = np.exp(-ringing / 1e-3) * np.sin(2 * np.pi * 2500 * ringing)
    line = 0.2 * kind * np.sin(2 * np.pi * (hz or 40 + 15 * kind) * t + rng.uniform(0, 6))
    return np.convolve(blows, ring)[:samples] + line + rng.standard_normal(samples)


def stream_of(build: Build, rng: np.random.Generator, turning: np.random.Generator | None = None) -> Stream:
    """Stretches of two windows, of one and sometimes of none, in any order. With `turning`, each is of a shaft at a
    speed of its own, and most of these speeds are told, a little off."""
    stream: Stream = []
    off = np.exp(turning.uniform(-STATED_OFF, STATED_OFF)) if turning else 1.0
    offsets, steps = (OFFSETS_IN_RANGE, STEPS_IN_RANGE) if build.int16 else (OFFSETS, STEPS)
    for seconds in rng.permutation([0.78, 0.53, 0.3][: rng.integers(2, 4)]):
        samples = int(Fraction(rng.uniform(seconds, seconds + 0.05)) * build.rate)
        hz = turning.uniform(SLOWEST, FASTEST) if turning else None
        if turning:
            stream.append(Turning(float(np.float32(off * hz)) if turning.random() > NOT_STATED else 0.0))
        axes = [vibration(rng.uniform(0, KINDS - 1), samples, build.rate, rng, hz=hz) for _ in range(build.count)]
        frames = np.stack(axes, axis=1) + rng.choice(offsets, build.count)
        frames[rng.integers(samples // 8, samples // 2) :] += rng.choice(steps, build.count)
        frames = as_counts(COUNTS * frames) if build.int16 else frames.astype(np.float32)
        while len(frames):
            size = int(min(rng.integers(1, MOST_FRAMES), rng.integers(1, MOST_FRAMES)))
            stream.append(frames[:size])
            frames = frames[size:]
        stream.append(missing(build, rng))
    return stream


def missing(build: Build, rng: np.random.Generator) -> Samples | int:
    """A gap: a number of frames, or as many that are not finite."""
    frames = int(rng.integers(1, 2000))
    if build.int16 or rng.random() < 0.5:
        return frames
    bad = np.zeros((frames, build.count), np.float32)
    bad[np.arange(frames), rng.integers(build.count, size=frames)] = rng.choice([np.nan, np.inf, -np.inf], frames)
    return bad


def refused(part: Samples | int | Turning) -> int:
    """How many frames a device refuses."""
    return 0 if isinstance(part, int | Turning) or np.isfinite(part).all() else len(part)


def rounded(stream: Stream, rate: Fraction) -> Stream:
    """Counts at the model's rate, as a device has them once it has resampled: what a monitor can compare with."""
    told: Stream = []
    held: list[Samples] = []
    for part in stream:
        if isinstance(part, Turning):
            told.append(part)
            continue
        if not isinstance(part, int):
            held.append(part)
            continue
        axes = [as_counts(at_64_khz(np.ascontiguousarray(axis), rate)) for axis in np.concatenate(held).T]
        told += [np.stack(axes, axis=1), part]
        held = []
    return told


def at_64_khz(signal: Samples, rate: Fraction) -> Samples:
    return resample(signal, rate, CONFIG.rate, HELD)
