"""What is followed of a recording: how strongly it vibrates, how impulsively, in which bands, and its fault lines.

Bands and impulsiveness are those of the middle one of many short frames: a few blows from elsewhere, which healthy
machines get every day, would be a fault in the mean of them all.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any, Self

import numpy as np

from dualres.errors import RecordingError
from dualres.explain.check import CheckedMachine, check_recording
from dualres.faultlines.fault_orders import PARTS
from dualres.faultlines.severity import velocity_rms, zone_of
from dualres.recordings.recording import Recording, axes_of
from dualres.utils.arrays import Exact

BANDS = 10
LOWEST_HZ, HIGHEST = 10.0, 0.47  # of the bands; the latter as a share of the rate
FRAME_S = 0.25  # of a piece that bands and impulsiveness are read from
BLOCK_S = 30.0  # of a recording that are taken at a time
STRIKING = (*PARTS, "gear", "mate")  # findings of a check whose score is zero while nothing strikes


@dataclass(frozen=True)
class RecordingLevels:
    """Of a recording, all axes together."""

    rate: float  # Hz
    seconds: float
    rms: float  # around the mean, in the unit of the samples, root mean square over axes
    kurtosis: float  # 3 for noise; the largest of all axes
    crest: float  # largest distance from the mean, in rms; the largest of all axes
    impulsiveness: float  # kurtosis of the middle frame; the largest of all axes
    bands: tuple[float | None, ...]  # rms in each of `BANDS`, of the middle frame; None where frames are too short
    bands_hz: tuple[float, ...]  # where they begin, and where the last one ends
    velocity_mm_s: float | None = None  # rms from 10 to 1,000 Hz, the largest of all axes, where the unit is known
    zone: str | None = None  # of the velocity, where the limits are given
    speed_rpm: float | None = None  # where it is stated or measured
    answer: str | None = None  # of the check, where machine or speed are known
    lines: Mapping[str, float] = field(default_factory=dict)  # of that check, score by part or pattern
    verdict: str | None = None  # of a model
    probability: float | None = None

    def as_data(self) -> dict[str, Any]:
        """For JSON, without what is not known."""
        return {name: value for name, value in asdict(self).items() if value not in (None, {}, ())}

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> Self:
        """From `as_data`, by way of JSON."""
        return cls(**{**data, "bands": tuple(data["bands"]), "bands_hz": tuple(data["bands_hz"])})

    @property
    def striking(self) -> float | None:
        """The highest score of what strikes."""
        return max((self.lines[name] for name in STRIKING if name in self.lines), default=None)


def levels_of(recording: Recording, machine: CheckedMachine | None = None) -> RecordingLevels:
    """Of all axes of a recording, and of its fault lines where the machine is known or its speed stated."""
    machine = (machine or CheckedMachine()).with_columns(recording.condition)
    rate, edges = float(recording.rate), band_edges(float(recording.rate))
    each = [_AxisLevels.of(axis, edges) for axis in axes_of(recording)]
    bands = np.sqrt(np.mean([one.bands for one in each], axis=0))
    known = recording.speed if recording.speed_told else None
    velocity, zone, answer, scores = None, None, None, {}
    if machine.known.orders or machine.known.teeth or known:
        found = check_recording(recording, machine)
        velocity, zone, answer = found.velocity_mm_s, found.zone, found.check.answer
        scores = {one.name: one.score for one in found.check.findings}
    elif machine.unit:
        velocity = max(velocity_rms(axis.signal, rate, machine.unit) for axis in axes_of(recording))
        zone = zone_of(velocity, machine.zones) if machine.zones else None
    return RecordingLevels(
        rate=rate,
        seconds=float(recording.length / recording.rate),
        rms=sqrt(float(np.mean([one.variance for one in each]))),
        kurtosis=max(one.fourth / one.variance**2 for one in each),
        crest=max(one.peak / sqrt(one.variance) for one in each),
        impulsiveness=max(one.impulsiveness for one in each),
        bands=tuple(float(level) if np.isfinite(level) else None for level in bands),
        bands_hz=tuple(edges.tolist()),
        velocity_mm_s=velocity,
        zone=zone,
        speed_rpm=known.rpm if known else None,
        answer=answer,
        lines=scores,
    )


def band_edges(rate: float) -> Exact:
    """In Hz, equally far apart on a logarithmic scale."""
    return np.asarray(np.geomspace(min(LOWEST_HZ, 0.01 * rate), HIGHEST * rate, BANDS + 1))


@dataclass(frozen=True)
class _AxisLevels:
    """Of one signal."""

    variance: float
    fourth: float  # moment
    peak: float
    impulsiveness: float
    bands: Exact  # mean square in each (bands,); NaN where no line of a frame lies in it

    @classmethod
    def of(cls, axis: Recording, edges: Exact) -> Self:
        rate, mean = float(axis.rate), axis.mean
        frame = min(max(int(FRAME_S * rate) // 2 * 2, 2), axis.length)
        sums, peak, count = np.zeros(2), 0.0, 0
        powers, kurtoses = list[Exact](), list[Exact]()
        for block in axis.blocks(max(int(BLOCK_S * rate), frame)):
            centred = block.astype(np.float64) - mean
            squares = centred * centred
            sums += [squares.sum(), squares @ squares]
            peak, count = max(peak, float(np.abs(centred).max())), count + len(block)
            if len(centred) >= frame:
                starts = np.linspace(0, len(centred) - frame, max(1, round(2 * len(centred) / frame) - 1)).astype(int)
                rows = np.lib.stride_tricks.sliding_window_view(centred, frame)[starts]
                powers.append(_band_powers(rows, edges, rate))
                kurtoses.append(_kurtosis(rows))
        variance = float(sums[0]) / count
        if not variance > 0:
            raise RecordingError(f"{axis.id}: every sample is {mean:g}; is the sensor connected?")
        bands, impulsiveness = np.median(np.concatenate(powers), axis=0), np.median(np.concatenate(kurtoses))
        return cls(variance, float(sums[1]) / count, peak, float(impulsiveness), bands)


def _kurtosis(rows: Exact) -> Exact:
    """Of each row around its mean; 3 where nothing changes."""
    around = rows - rows.mean(axis=1, keepdims=True)
    variance = (around**2).mean(axis=1)
    return np.where(variance > 0, (around**4).mean(axis=1) / np.where(variance > 0, variance**2, 1), 3.0)


def _band_powers(rows: Exact, edges: Exact, rate: float) -> Exact:
    """Mean square of each row in each band (rows, bands); NaN where no line lies in it."""
    frame = rows.shape[1]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(frame) / frame)
    spectra = 2 * np.abs(np.fft.rfft(rows * window)) ** 2 / (frame * (window**2).sum())
    places = np.ceil(edges * frame / rate).astype(int).clip(0, spectra.shape[1])
    sums = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(spectra, axis=1)], axis=1)
    power = np.maximum(np.diff(sums[:, places], axis=1), np.finfo(float).tiny)
    return np.where(np.diff(places) > 0, power, np.nan)
