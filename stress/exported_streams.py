"""Does an exported model say on a device what the monitor says in Python? Adds up in a state file, see _tally.py.

    python stress/exported_streams.py 200 --state exported_streams.json

A stream is a few stretches of vibration, each with an offset and a step of its own, in chunks of any size. Between them
samples are missing: the device is told so, or gets samples that are not finite. Networks of the paper and of views, of
one axis and two, of one member and two, take turns with the rates of the datasets and others, and with floats and
counts. Each is compiled for a device and told the stream; `dualres.stream.Monitor` hears the same. A failure is

* a logit of any window that differs by more than 1e-4, or a probability of one that differs by more than 2e-5,
* another verdict, on the windows so far, after any of them,
* another number of windows, or of samples that were refused.

A device that takes counts rounds to whole ones what it has resampled; the monitor is then told these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from _devices import MOST_FRAMES, TARGETS, Chunk, Device, Said, Target, Values
from _tally import Attack, main
from _workers import Attempt
from dualres.config import HELD, ModelConfig, Recipe
from dualres.export.destination import write_files
from dualres.export.device_network import device_of
from dualres.export.rates import ratio_for
from dualres.export.sources import copied, made
from dualres.export.test_vectors import as_counts
from dualres.judge.backends import scorer
from dualres.judge.model import Model
from dualres.learn.closed_form import fit_views
from dualres.learn.fit import fit_network
from dualres.model.kinds import PAPER, VIEWS
from dualres.model_file.card import APART, SHARED, Card
from dualres.recordings.recording import Samples
from dualres.recordings.resample import resample
from dualres.stream import Monitor
from dualres.stream.monitor.event import WINDOW
from dualres.stream.monitor.framing import Framing

LOGITS, PROBABILITIES = 1e-4, 2e-5  # that a device may be off by
CLASSES = ("good", "inner ring", "outer ring", "gear")
UPDATES = 100  # of the paper's networks, as the paper has it for bearings
LEARNED_AT = (12_800, 25_600, 48_000, 64_000)  # Hz
COUNTS = 1000  # of a unit, in builds that take counts
OFFSETS, STEPS = (0.0, 3.0, -50.0, 1000.0), (2.0, -20.0, 200.0)
OFFSETS_IN_RANGE, STEPS_IN_RANGE = (0.0, 3.0, -9.0), (2.0, -8.0, 6.0)  # of counts
CONFIG = ModelConfig()

Stream = list[Samples | int]  # chunks (frames, axes) in order, and how many frames are missing where some are


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


def vibration(kind: float, samples: int, rate: Fraction, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A shaft's line in noise, and blows that ring; faster and stronger from kind to kind."""
    t, every = np.arange(samples) / float(rate), int(rate / Fraction(23 + 9 * kind))
    blows = np.zeros(samples)
    blows[rng.integers(every) :: every] = 3 * kind
    ringing = t[: int(rate / 150)]
    ring = np.exp(-ringing / 1e-3) * np.sin(2 * np.pi * 2500 * ringing)
    line = 0.2 * kind * np.sin(2 * np.pi * (40 + 15 * kind) * t + rng.uniform(0, 6))
    return np.convolve(blows, ring)[:samples] + line + rng.standard_normal(samples)


@cache
def learned(kind: str, build: Build) -> Model:
    """A model that has learned from a few windows of each class, at several rates."""
    recipe = Recipe(updates=UPDATES) if kind == PAPER.method else None
    exposure = dict.fromkeys(CLASSES, len(LEARNED_AT) * CONFIG.window / CONFIG.rate)
    several = {"members": build.members, "channels": build.channels, "axes": build.axes}
    card = Card(CLASSES, CONFIG, recipe, 0, HELD, exposure, method=kind, **several)
    return Model(tuple(network(kind, seed) for seed in range(card.networks)), card)


@cache
def network(kind: str, seed: int) -> object:
    rng, windows = np.random.default_rng([seed, 22]), []
    labels = np.repeat(np.arange(len(CLASSES)), len(LEARNED_AT))
    for label, rate in zip(labels, LEARNED_AT * len(CLASSES), strict=True):
        signal = vibration(float(label), int(0.6 * rate), Fraction(rate), rng).astype(np.float32)
        windows.append(at_64_khz(signal, Fraction(rate))[: CONFIG.window])
    if kind == VIEWS.method:
        return fit_views(np.stack(windows), labels, len(CLASSES))
    return fit_network(np.stack(windows), labels, len(CLASSES), recipe=Recipe(updates=UPDATES), seed=seed).network


def stream_of(build: Build, rng: np.random.Generator) -> Stream:
    """Stretches of two windows, of one and sometimes of none, in any order."""
    stream: Stream = []
    offsets, steps = (OFFSETS_IN_RANGE, STEPS_IN_RANGE) if build.int16 else (OFFSETS, STEPS)
    for seconds in rng.permutation([0.78, 0.53, 0.3][: rng.integers(2, 4)]):
        samples = int(Fraction(rng.uniform(seconds, seconds + 0.05)) * build.rate)
        axes = [vibration(rng.uniform(0, len(CLASSES) - 1), samples, build.rate, rng) for _ in range(build.count)]
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


def refused(part: Samples | int) -> int:
    """How many frames a device refuses."""
    return 0 if isinstance(part, int) or np.isfinite(part).all() else len(part)


def rounded(stream: Stream, rate: Fraction) -> Stream:
    """Counts at the model's rate, as a device has them once it has resampled: what a monitor can compare with."""
    told: Stream = []
    held: list[Samples] = []
    for part in stream:
        if not isinstance(part, int):
            held.append(part)
            continue
        axes = [as_counts(at_64_khz(np.ascontiguousarray(axis), rate)) for axis in np.concatenate(held).T]
        told += [np.stack(axes, axis=1), part]
        held = []
    return told


def at_64_khz(signal: Samples, rate: Fraction) -> Samples:
    return resample(signal, rate, CONFIG.rate, HELD)


@dataclass(frozen=True)
class Monitored:
    """What the monitor says of a stream."""

    logits: Values  # in the order of a device
    probabilities: Values  # (windows, classes)


def monitored(model: Model, rate: Fraction, stream: Stream) -> Monitored:
    """By the monitor, and of the windows that it cuts the logits that it does not tell."""
    monitor, framing = Monitor(model, rate), Framing(rate, max(1, len(model.card.channels)), CONFIG.rate, CONFIG.window)
    events, windows = [], []
    for part in stream:
        events += monitor.gap(part) if isinstance(part, int) else monitor.push(part)
        gap = part if isinstance(part, int) else refused(part)
        windows += framing.gap(gap) if gap else framing.take(np.ascontiguousarray(np.transpose(part)))
    members, apart = model.card.members, model.card.apart
    logits = [
        scorer(network)(samples[None])[0]
        for window in windows
        for axis, samples in enumerate(window.samples)
        for network in model.networks[axis % apart * members :][:members]
    ]
    shares = [list(event.probabilities.values()) for event in events if event.kind == WINDOW]
    return Monitored(np.array(logits, float), np.array(shares))


@contextmanager
def compared(folder: Path, kind: str, target: Target) -> Iterator[Attempt]:
    """Tells streams to exports of one kind of network on one kind of device, and to the monitor."""

    @cache
    def device(build: Build, lanes: int) -> Device:
        return Device(target, exported(build), lanes)

    @cache
    def exported(build: Build) -> Path:
        """What `write_c99` writes; its own check would compile all of it twice more."""
        model, into = learned(kind, build), folder / f"board-{BUILDS.index(build)}"
        write_files(copied(device_of(model)) | made(model, build.rate, ratio_for(model, build.rate), build.int16), into)
        return into

    def attempt(seed: int) -> tuple[str, Mapping[str, float]]:
        turn, number = divmod(seed, len(BUILDS))
        build, lanes = BUILDS[number], target.lanes[turn % len(target.lanes)]
        stream = stream_of(build, np.random.default_rng([seed, 21]))
        said = device(build, lanes).judge([told(part, build) for part in stream])
        heard = (Fraction(CONFIG.rate), rounded(stream, build.rate)) if build.int16 else (build.rate, stream)
        off = differences(said, monitored(learned(kind, build), *heard))
        assert said.verdicts[-1].refused == sum(map(refused, stream)), "another number of samples was refused"
        return "agreed", off

    yield attempt


def told(part: Samples | int, build: Build) -> Chunk | None:
    if isinstance(part, int):
        return None
    return part.astype(np.int16) if build.int16 else part


def differences(said: Said, monitored: Monitored) -> dict[str, float]:
    """How far a device is from the monitor; an AssertionError where that is further than it may be."""
    wanted = monitored.probabilities
    assert said.verdicts[-1].windows == len(wanted), f"{said.verdicts[-1].windows} windows, not {len(wanted)}"
    votes = softmax(said.logits, axis=1)
    by_window = votes.reshape(len(wanted), -1, len(CLASSES)).mean(1)
    so_far = np.cumsum(wanted, axis=0) / np.arange(1, len(wanted) + 1)[:, None]
    verdicts = [(verdict, so_far[verdict.windows - 1]) for verdict in said.verdicts]
    means = [np.abs(verdict.probabilities - mean).max() for verdict, mean in verdicts]
    off = {
        "logits": float(np.abs(said.logits - monitored.logits).max()),
        "probabilities": float(max(*means, np.abs(by_window - wanted).max())),
    }
    assert off["logits"] <= LOGITS, f"a logit is off by {off['logits']:.2g}"
    assert off["probabilities"] <= PROBABILITIES, f"a probability is off by {off['probabilities']:.2g}"
    assert all(verdict.best == mean.argmax() for verdict, mean in verdicts), "another verdict"
    return off


KINDS = {"paper": (PAPER.method, "the paper's network"), "views": (VIEWS.method, "the network of views")}
ATTACKS = [
    Attack(
        f"{name}-{target.name}",
        f"streams through {title}, exported to {target.title}",
        partial(compared, kind=kind, target=target),
        longest_s=300.0,
        programs=target.programs,
    )
    for target in TARGETS
    for name, (kind, title) in KINDS.items()
]

if __name__ == "__main__":
    main(__doc__, ATTACKS)
