"""What a recording looks like at a glance, without any model: for maps of many and for what classes have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dualres.config import DEFAULT_RESAMPLER, ORDER_SIZES, ModelConfig
from dualres.errors import RecordingError
from dualres.explain.regions import order_groupings
from dualres.faultlines.envelope import averaged_spectrum
from dualres.faultlines.order_evidence import order_evidence
from dualres.faultlines.order_spectra import order_spectra
from dualres.kernel.orders import looks_of
from dualres.model.reference.orders import views_of_looks
from dualres.recordings.recording import Recording, axes_of
from dualres.recordings.windows import window_blocks
from dualres.utils.arrays import Exact, Floats

WINDOWS = 8  # that views are taken of, from a recording's start
SECONDS = 10.0  # of a recording, from its start, that its spectra are taken of
FRAME_S = 0.064  # of the spectrum
POINTS = 240  # of a spectrum, up to half of its rate
HIGHEST, STEP = 13.0, 0.05  # orders of an envelope, and from one to the next


@dataclass(frozen=True)
class Glance:
    """Of a recording, or of its first axis."""

    spectrum: Floats  # dB of power density, equally spaced from 0 Hz to half the rate, (POINTS,)
    rate: float  # Hz
    by_hz: dict[str, Floats]  # mean views in regions, on an axis of Hz, (regions,) each
    by_order: dict[str, Floats]  # the same over multiples of the shaft's rate; empty where no speed is known
    envelope: Floats | None  # how far each order stands out, (orders,); None likewise


def glance_at(recording: Recording) -> Glance:
    """A few hundred numbers; an error for what is shorter than a window."""
    first = axes_of(recording)[0]
    rate, config, speed = float(first.rate), ModelConfig(), recording.speed
    windows = next(
        window_blocks(
            replace(first, id=recording.id), rate=config.rate, window=config.window, resampler=DEFAULT_RESAMPLER,
            at_once=WINDOWS, limit=WINDOWS,
        )
    )  # fmt: skip
    looks = looks_of(config, windows)

    def views(hz: Exact, by_order: bool) -> dict[str, Floats]:
        found = views_of_looks(config, looks, hz)
        return {
            name: (group.sums(found[name].mean(0)[None])[0] / np.bincount(group.of_feature)).astype(np.float32)
            for name, group in order_groupings(config, by_order).items()
        }

    count = len(windows)
    by_hz = views(np.full(count, ORDER_SIZES.usual_hz), by_order=False)
    starts: Exact = config.window_s / 2 * np.arange(count, dtype=np.float64)
    by_order = views(speed.over(starts, config.window_s), by_order=True) if speed else {}
    signal = np.asarray(next(iter(first.blocks(int(SECONDS * rate)))), dtype=np.float64)
    return Glance(_spectrum(signal, rate), rate, by_hz, by_order, _envelope(signal, recording, rate))


def _spectrum(signal: Exact, rate: float) -> Floats:
    """Each point the mean power around it."""
    power = averaged_spectrum(signal, rate, FRAME_S).power[1:]
    edges = np.linspace(0, len(power), POINTS + 1)
    sums = np.interp(edges, np.arange(len(power) + 1), np.concatenate([[0.0], np.cumsum(power)]))
    level = np.diff(sums) / np.diff(edges)
    return np.asarray(10 * np.log10(np.maximum(level, np.finfo(np.float64).tiny)), np.float32)


def _envelope(signal: Exact, recording: Recording, rate: float) -> Floats | None:
    """Each point the largest around it, so that no line is lost."""
    speed = recording.speed
    if speed is None:
        return None
    try:
        spectra = order_spectra([[signal]], rate, speed.over, seconds=len(signal) / rate, highest=HIGHEST + 1)
    except RecordingError:  # too few turns, or too low a rate
        return None
    evidence = order_evidence(spectra)
    own = evidence.step * np.arange(len(evidence.envelope), dtype=np.float64) / evidence.speed_factor
    place = np.round(own / STEP).astype(int)
    found = np.zeros(round(HIGHEST / STEP) + 1)
    within = place < len(found)
    np.maximum.at(found, place[within], evidence.envelope[within])
    return found.astype(np.float32)


def envelope_orders() -> Exact:
    """Where the points of an envelope lie."""
    return STEP * np.arange(round(HIGHEST / STEP) + 1, dtype=np.float64)


@dataclass(frozen=True)
class ClassCurves:
    """What recordings of a class have in common: means, NaN where none of them reaches."""

    label: str
    count: int
    spectrum: Exact  # dB, (points,)
    envelope: Exact | None  # (orders,)


def curves_of_classes(glances: Sequence[Glance], labels: Sequence[str | None], hz: Exact) -> list[ClassCurves]:
    """Of every class that has a recording, at these frequencies."""
    found = []
    for label in sorted({label for label in labels if label}):
        own = [one for one, name in zip(glances, labels, strict=True) if name == label]
        turning = [one.envelope for one in own if one.envelope is not None]
        envelope = np.asarray(np.mean(turning, axis=0), np.float64) if turning else None
        found.append(ClassCurves(label, len(own), _mean([spectrum_at(one, hz) for one in own]), envelope))
    return found


def spectrum_at(one: Glance, hz: Exact) -> Exact:
    """In dB; NaN above what was recorded."""
    own = one.rate / 2 * (np.arange(POINTS) + 0.5) / POINTS
    level = np.interp(hz, own, one.spectrum.astype(np.float64))
    return np.where(hz <= one.rate / 2, level, np.nan)


def _mean(rows: Sequence[Exact]) -> Exact:
    known = np.isfinite(rows)
    sums = np.where(known, rows, 0.0).sum(0)
    return np.where(known.any(0), sums / np.maximum(known.sum(0), 1), np.nan)
