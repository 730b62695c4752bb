"""Does an exported model say on a device what the monitor says in Python? Adds up in a state file, see _tally.py.

    python stress/exported_streams.py 200 --state exported_streams.json

A stream is a few stretches of vibration, each with an offset and a step of its own, in chunks of any size. Between them
samples are missing: the device is told so, or gets samples that are not finite. Networks of the paper, of views and of
orders, of one axis, two and three, of one member and two, take turns with the rates of the datasets and others, and
with floats and counts. Each is compiled for a device and told the stream; `dualres.stream.Monitor` hears the same.
Networks of orders are told the speed of the shaft at each stretch, or that it is not known. A failure is

* a logit of any window that differs by more than 1e-4, or a probability of one that differs by more than 2e-5,
* another verdict, on the windows so far, after any of them,
* another number of windows, or of samples that were refused,
* of a device that searches for the speed, a factor that the readable search does not find by the same windows.

A device that takes counts rounds to whole ones what it has resampled; the monitor is then told these. It takes the
speed that it is told for exact, and where a device searches, is told the one that the device has found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy.special import softmax

from _devices import TARGETS, Device, Said, Target, Told, Values, Verdict
from _stretches import (
    BUILDS,
    CONFIG,
    FASTEST,
    ORDERS_BUILDS,
    SLOWEST,
    Build,
    Stream,
    Turning,
    at_64_khz,
    refused,
    rounded,
    stream_of,
    vibration,
)
from _tally import Attack, main
from _workers import Attempt
from dualres.config import HELD, Recipe
from dualres.export.destination import write_files
from dualres.export.device_network import axes_in, device_of
from dualres.export.device_speed import factors_fitting
from dualres.export.rates import ratio_for
from dualres.export.sources import copied, made
from dualres.judge.backends import scorer
from dualres.judge.model import Model
from dualres.judge.turning import labelled_speeds
from dualres.learn.closed_form import fit_orders, fit_views
from dualres.learn.fit import fit_network
from dualres.model.kinds import ORDERS, PAPER, VIEWS
from dualres.model_file.card import Card
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed
from dualres.stream import Monitor
from dualres.stream.monitor.event import WINDOW
from dualres.stream.monitor.framing import Framing, StreamWindow

LOGITS, PROBABILITIES = 1e-4, 2e-5  # that a device may be off by
CLASSES = ("good", "inner ring", "outer ring", "gear")
UPDATES = 100  # of the paper's networks, as the paper has it for bearings
LEARNED_AT = (12_800, 25_600, 48_000, 64_000)  # Hz
SEARCHES = (11, 21)  # speeds that take turns, where a device tries several
ONLY_TO_GO_ON = 25.0  # Hz; what a monitor is told of a stretch of unknown speed, of which another one is asked


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
    rng, windows, hz = np.random.default_rng([seed, 22]), [], []
    labels = np.repeat(np.arange(len(CLASSES)), len(LEARNED_AT))
    for label, rate in zip(labels, LEARNED_AT * len(CLASSES), strict=True):
        hz.append(rng.uniform(SLOWEST, FASTEST) if kind == ORDERS.method else None)
        signal = vibration(float(label), int(0.6 * rate), Fraction(rate), rng, hz=hz[-1]).astype(np.float32)
        windows.append(at_64_khz(signal, Fraction(rate))[: CONFIG.window])
    if kind == ORDERS.method:
        return fit_orders(np.stack(windows), labels, len(CLASSES), hz=np.array(hz))
    if kind == VIEWS.method:
        return fit_views(np.stack(windows), labels, len(CLASSES))
    return fit_network(np.stack(windows), labels, len(CLASSES), recipe=Recipe(updates=UPDATES), seed=seed).network


@dataclass(frozen=True)
class Monitored:
    """What the monitor says of a stream."""

    logits: Values  # in the order of a device
    probabilities: Values  # (windows, classes)


def monitored(model: Model, rate: Fraction, stream: Stream, factor: float = 1.0) -> Monitored:
    """By the monitor, at so many times the told speeds, and of the windows that it cuts the logits that it does not
    tell."""
    members, apart = model.card.members, model.card.apart
    logits = [
        scorer(network)(samples[None], np.array([factor * hz]))[0]
        for window, hz in windows_of(model, rate, stream)
        for axis, samples in enumerate(window.samples)
        for network in model.networks[axis % apart * members :][:members]
    ]
    return Monitored(np.array(logits, float), shares_of(model, rate, stream, factor))


def shares_of(model: Model, rate: Fraction, stream: Stream, factor: float = 1.0) -> Values:
    """Probabilities of every window, (windows, classes). No speed is used of a stretch of which none is told: another
    monitor hears the stream, too, and judges without any."""
    monitors = [Monitor(model, rate), *([Monitor(model, rate, speedless=True)] if labelled_speeds(model) else [])]
    asked, events = 0, []
    for part in stream:
        if isinstance(part, Turning):
            asked = 0 if part.hz else 1
            monitors[0].tell_speed(Speed((factor * (part.hz or ONLY_TO_GO_ON),), spread=0.0))
            continue
        said = [one.gap(part) if isinstance(part, int) else one.push(part) for one in monitors]
        events += said[asked]
    return np.array([list(event.probabilities.values()) for event in events if event.kind == WINDOW])


def windows_of(model: Model, rate: Fraction, stream: Stream) -> list[tuple[StreamWindow, float]]:
    """Those that a monitor cuts, each with the speed that is told of it in Hz; NaN where it is not known."""
    framing, hz, windows = Framing(rate, axes_in(model), CONFIG.rate, CONFIG.window), np.nan, []
    for part in stream:
        if isinstance(part, Turning):
            hz = part.hz or np.nan
            continue
        gap = part if isinstance(part, int) else refused(part)
        found = framing.gap(gap) if gap else framing.take(np.ascontiguousarray(np.transpose(part)))
        windows += [(window, hz) for window in found]
    return windows


@contextmanager
def compared(folder: Path, kind: str, target: Target, searching: bool = False) -> Iterator[Attempt]:
    """Tells streams to exports of one kind of network on one kind of device, and to the monitor."""
    builds = ORDERS_BUILDS if kind == ORDERS.method else BUILDS

    @cache
    def device(build: Build, lanes: int) -> Device:
        return Device(target, exported(build), lanes)

    @cache
    def exported(build: Build) -> Path:
        """What `write_c99` writes; its own check would compile all of it twice more."""
        model, into = learned(kind, build), folder / f"board-{builds.index(build)}"
        ratio = ratio_for(model, build.rate)
        files = made(model, build.rate, ratio, build.int16, tries=tries_of(build))
        write_files(copied(device_of(model)) | files, into)
        return into

    def tries_of(build: Build) -> int:
        return SEARCHES[builds.index(build) % len(SEARCHES)] if searching else 0

    def attempt(seed: int) -> tuple[str, Mapping[str, float]]:
        turn, number = divmod(seed, len(builds))
        build, lanes, model = builds[number], target.lanes[turn % len(target.lanes)], learned(kind, builds[number])
        turning = np.random.default_rng([seed, 23]) if kind == ORDERS.method else None
        stream = stream_of(build, np.random.default_rng([seed, 21]), turning)
        said = device(build, lanes).judge([told(part, build) for part in stream])
        heard = (Fraction(CONFIG.rate), rounded(stream, build.rate)) if build.int16 else (build.rate, stream)
        off = differences_of_search(said, model, *heard, tries_of(build)) if searching else None
        off = off or differences(said, monitored(model, *heard))
        assert said.verdicts[-1].refused == sum(map(refused, stream)), "another number of samples was refused"
        return "agreed", off

    yield attempt


def told(part: Samples | int | Turning, build: Build) -> Told:
    if isinstance(part, Turning):
        return part.hz
    if isinstance(part, int):
        return None
    return part.astype(np.int16) if build.int16 else part


def differences(said: Said, monitored: Monitored) -> dict[str, float]:
    """How far a device is from the monitor; an AssertionError where that is further than it may be."""
    wanted = monitored.probabilities
    assert said.verdicts[-1].windows == len(wanted), f"{said.verdicts[-1].windows} windows, not {len(wanted)}"
    votes = softmax(said.logits, axis=1)
    by_window = votes.reshape(len(wanted), -1, len(CLASSES)).mean(1)
    off = {
        "logits": float(np.abs(said.logits - monitored.logits).max()),
        "probabilities": float(np.abs(by_window - wanted).max()),
    }
    off["probabilities"] = max(off["probabilities"], *(verdict_off(one, wanted) for one in said.verdicts))
    assert off["logits"] <= LOGITS, f"a logit is off by {off['logits']:.2g}"
    assert off["probabilities"] <= PROBABILITIES, f"a probability is off by {off['probabilities']:.2g}"
    return off


def differences_of_search(said: Said, model: Model, rate: Fraction, stream: Stream, tries: int) -> dict[str, float]:
    """The same of a device that searches among speeds: whether every factor is one that the readable search finds by
    the windows so far, and the verdict there that of a monitor which is told so many times the speed."""
    windows = windows_of(model, rate, stream)
    wanted = {one.factor: shares_of(model, rate, stream, one.factor) for one in said.verdicts}
    assert said.verdicts[-1].windows == len(windows), f"{said.verdicts[-1].windows} windows, not {len(windows)}"
    for verdict in said.verdicts:
        known = [(window, hz) for window, hz in windows[: verdict.windows] if hz > 0]
        by_axis = zip(*(window.samples for window, _ in known), strict=True)
        seen = [model.seen(np.stack(samples), axis) for axis, samples in enumerate(by_axis)]
        found = factors_fitting(model, seen, np.array([hz for _, hz in known]), tries) if known else [1.0]
        assert np.abs(verdict.factor - np.array(found)).min() < 1e-9, f"the factor {verdict.factor}, not {found}"
    off = max(verdict_off(verdict, wanted[verdict.factor]) for verdict in said.verdicts)
    assert off <= PROBABILITIES, f"a probability is off by {off:.2g}"
    return {"probabilities": off, "factors": float(max(abs(np.log(one.factor)) for one in said.verdicts))}


def verdict_off(verdict: Verdict, wanted: Values) -> float:
    """By how much the probabilities so far are off, of windows whose own are `wanted`; an AssertionError where the
    verdict is another one."""
    mean = wanted[: verdict.windows].mean(axis=0)
    assert verdict.best == mean.argmax(), "another verdict"
    return float(np.abs(verdict.probabilities - mean).max())


KINDS = {
    "paper": (PAPER.method, "the paper's network", {}),
    "views": (VIEWS.method, "the network of views", {}),
    "orders": (ORDERS.method, "the network of orders", {}),
    "search": (ORDERS.method, "the network of orders, which searches for the speed", {"searching": True}),
}
ATTACKS = [
    Attack(
        f"{name}-{target.name}",
        f"streams through {title}, exported to {target.title}",
        partial(compared, kind=kind, target=target, **how),
        longest_s=300.0,
        programs=target.programs,
    )
    for target in TARGETS
    for name, (kind, title, how) in KINDS.items()
]

if __name__ == "__main__":
    main(__doc__, ATTACKS)
