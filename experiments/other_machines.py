"""Healthy machines that are made in another way than `dualres.simulated.machines`, to try what was calibrated there.

Nothing is shared with that family but the data sheet that a check is told: a bearing, perhaps a pair of gears, a speed.
A machine here is a set of sources, each with carriers of its own:

1. the shaft: harmonics up to the tenth that fall by a random power, and a second shaft beside it, belt-driven;
2. a fan or a pump: blades that pass, with sidebands of the shaft, and broad noise that comes and goes with both;
3. a healthy bearing: blows at random moments, not at any rate, louder where the shaft presses;
4. gears: two harmonics of the mesh, their sizes changed tooth by tooth and by the run-out of both shafts;
5. a motor: twice the mains with sidebands of slip, and slots;
6. a neighbour: another machine's shaft through the floor;
7. the ground: noise whose slope is drawn, resonances that filter everything, a drifting level, a coarse converter.

The speed that is told is off by as much as half a percent, and the shaft wanders about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from dualres.faultlines.check import Machine
from dualres.faultlines.fault_orders import FaultOrders

Wave = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Wave]
RATES = (8_192, 10_000, 12_800, 20_480, 24_000, 40_000)
REPAIRED, TODAY = 0.3, 0.15
SLOTS = (28, 36, 48)  # of a rotor


@dataclass(frozen=True)
class Told:
    """What a check is told of a machine, and what it hears."""

    signal: Wave
    rate: int
    shaft_hz: float  # as somebody read it from a plate
    machine: Machine
    elements: tuple[int, int]  # of its bearing, from and to


def healthy(number: int, seed: int, moment: int = 0) -> Told:
    """Machine `number` of a seed, now or at an earlier moment, 1, 2 and so on. All of these are before it was taken
    apart: its sources were of other sizes by `REPAIRED`, and differ from each other by `TODAY`, in logarithms."""
    rng = np.random.default_rng([seed, number])
    then = np.random.default_rng([seed, number, moment]) if moment else None
    rate, seconds = int(rng.choice(RATES)), float(rng.uniform(2.5, 8))
    hz = float(np.exp(rng.uniform(np.log(12), np.log(60))))
    t = np.arange(int(seconds * rate)) / rate
    wander = np.interp(
        t, np.linspace(0, seconds, 9), np.cumsum(_drawn(rng, then, lambda one: one.normal(0, 0.0006, 9)))
    )
    hz *= then.uniform(0.9, 1.1) if then else 1.0
    shaft = 2 * np.pi * np.cumsum(hz * (1 + wander)) / rate + rng.uniform(0, 6)
    belt = shaft * rng.uniform(0.35, 2.6) + rng.uniform(0, 6)
    teeth = (int(rng.integers(15, 45)), int(rng.integers(35, 120))) if rng.random() < 0.5 else None
    white = partial(_drawn, rng, then, lambda one: one.standard_normal(len(t)))
    sources = [
        _harmonics(rng, shaft, 10, rng.uniform(0.5, 2.5)) * rng.lognormal(-0.5, 0.7),
        _harmonics(rng, belt, 5, rng.uniform(0.7, 2.5)) * rng.lognormal(-1.5, 0.8) * (rng.random() < 0.6),
        _blades(rng, shaft, white()) * rng.lognormal(-0.7, 0.6) * (rng.random() < 0.5),
        _rolling(rng, then, shaft, belt) * rng.lognormal(0.3, 0.6),
        _mesh(rng, shaft, teeth) * rng.lognormal(-0.5, 0.6) if teeth else np.zeros_like(t),
        _motor(rng, t, hz) * rng.lognormal(-1.2, 0.7) * (rng.random() < 0.7),
        _harmonics(rng, 2 * np.pi * t * hz * rng.uniform(0.4, 2.4), 6, 1.0) * rng.lognormal(-2.5, 0.8),
    ]
    changed = np.ones(len(sources))
    if then:
        before = np.random.default_rng([seed, number, 0, 0])
        changed = before.lognormal(0, REPAIRED, len(sources)) * then.lognormal(0, TODAY, len(sources))
    heard = _through(rng, changed @ np.array(sources) + rng.lognormal(-0.7, 0.7) * _ground(rng, white()), rate)
    heard *= 1 + 0.1 * np.interp(t, np.linspace(0, seconds, 5), rng.standard_normal(5))
    step = np.abs(heard).max() / 2 ** rng.integers(9, 16)
    elements, share = int(rng.integers(6, 16)), rng.uniform(0.13, 0.3)
    reach = share * np.cos(np.radians(rng.choice([0, 0, 15, 25])))
    cage = (1 - reach) / 2
    orders = FaultOrders(elements * cage, elements * (1 - cage), (1 - reach**2) / share, cage)
    return Told(
        np.round(heard / step) * step,
        rate,
        hz * (1 + rng.uniform(-0.005, 0.005)),
        Machine(orders, teeth),
        (elements - 1, elements + 1),
    )


def _harmonics(rng: np.random.Generator, angle: Wave, count: int, falls: float) -> Wave:
    """Lines at multiples of a turn; the n-th is about n to the power of -`falls`."""
    sizes = np.arange(1, count + 1) ** -falls * rng.lognormal(0, 0.5, count)
    phases = rng.uniform(0, 2 * np.pi, count)
    return np.sum([a * np.cos(n * angle + p) for n, (a, p) in enumerate(zip(sizes, phases, strict=True), 1)], axis=0)


def _blades(rng: np.random.Generator, shaft: Wave, noise: Wave) -> Wave:
    """Blades that pass, none quite like the next, and noise that they carry."""
    blades = int(rng.integers(3, 12))
    uneven = 1 + rng.uniform(0, 0.3) * np.cos(shaft + rng.uniform(0, 6))
    passing = np.cos(blades * shaft) + 0.4 * np.cos(2 * blades * shaft + rng.uniform(0, 6))
    return uneven * (passing + noise * (1 + rng.uniform(0, 0.4) * np.cos(blades * shaft)))


def _drawn(rng: np.random.Generator, then: np.random.Generator | None, draw: Draw) -> Wave:
    """What differs from one moment to the next. Now it is drawn with the machine, and so it is at any other moment, to
    be left: what follows must be the same machine's."""
    now = draw(rng)
    return draw(then) if then else now


def _rolling(rng: np.random.Generator, then: np.random.Generator | None, shaft: Wave, belt: Wave) -> Wave:
    """Blows at random moments: most where the shaft presses, some where the belt does."""
    pressed = 1 + rng.uniform(0, 0.35) * np.cos(shaft) + rng.uniform(0, 0.2) * np.cos(2 * shaft + rng.uniform(0, 6))
    pressed += rng.uniform(0, 0.2) * np.cos(belt)
    often = rng.uniform(0.02, 0.3)
    count = len(shaft)
    blows = _drawn(rng, then, lambda one: one.random(count)) < often * np.clip(pressed, 0, None)
    sizes = _drawn(rng, then, lambda one: one.exponential(1, count))
    return blows * sizes * _drawn(rng, then, lambda one: one.choice([-1, 1], count)) * np.clip(pressed, 0, None)


def _mesh(rng: np.random.Generator, shaft: Wave, teeth: tuple[int, int]) -> Wave:
    """Forces of two gears that run out and whose teeth differ."""
    mate = shaft * teeth[0] / teeth[1]
    sizes = 1 + rng.uniform(0.01, 0.08) * rng.standard_normal(teeth[0])
    each = sizes[(shaft / (2 * np.pi) * teeth[0]).astype(int) % teeth[0]]
    run_out = 1 + rng.uniform(0, 0.25) * np.cos(shaft + rng.uniform(0, 6)) + rng.uniform(0, 0.25) * np.cos(mate)
    return each * run_out * _harmonics(rng, teeth[0] * shaft, 3, 1.0)


def _motor(rng: np.random.Generator, t: Wave, hz: float) -> Wave:
    """Twice the mains, with sidebands of slip, and the slots of the rotor."""
    mains = float(rng.choice([50, 60]))
    slip = rng.uniform(0.5, 4)
    hum = np.cos(4 * np.pi * mains * t) * (1 + rng.uniform(0, 0.3) * np.cos(2 * np.pi * slip * t))
    slots = np.cos(2 * np.pi * (int(rng.choice(SLOTS)) * hz + 2 * mains) * t)
    return np.asarray(hum + rng.uniform(0, 0.5) * slots)


def _ground(rng: np.random.Generator, noise: Wave) -> Wave:
    """Noise whose power falls by a random power of the frequency."""
    spectrum = np.fft.rfft(noise)
    spectrum *= np.maximum(np.arange(len(spectrum)), 20.0) ** (-rng.uniform(0, 0.6))
    shaped = np.fft.irfft(spectrum, len(noise))
    return np.asarray(shaped / shaped.std())


def _through(rng: np.random.Generator, force: Wave, rate: int) -> Wave:
    """Some of it as it is, the rest by resonances of random widths."""
    hz = np.fft.rfftfreq(len(force), 1 / rate)
    gain = np.full(len(hz), rng.uniform(0.1, 0.5), dtype=np.complex128)
    for _ in range(int(rng.integers(3, 13))):
        center, width = np.exp(rng.uniform(np.log(150), np.log(0.45 * rate))), rng.uniform(0.005, 0.06)
        gain += rng.lognormal(0, 0.6) / (1 + 1j * (hz / center - center / np.maximum(hz, 1.0)) / (2 * width))
    return np.fft.irfft(np.fft.rfft(force) * gain, len(force))
