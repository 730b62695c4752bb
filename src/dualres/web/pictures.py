"""What the page draws of a stretch of a signal: spectrum, spectrogram at two resolutions, envelope; and its sound."""

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from dualres.errors import RecordingError
from dualres.explain.report import MachineFacts, line_data
from dualres.faultlines.assess import LEAST_TURNS, assess
from dualres.faultlines.envelope import PowerSpectrum, averaged_spectrum, envelope_spectrum, impulsive_band
from dualres.faultlines.lines import machine_lines
from dualres.recordings.recording import Samples

MOST = 1 << 21  # samples that one picture is made of
POINTS = 1200  # of a curve: more than a screen has columns for
FRAME_S = 0.25  # of the spectrum
RESOLUTIONS_S = (0.004, 0.016)  # frames of the spectrograms, those of the network
COLUMNS, ROWS = 480, 128  # of a spectrogram
AT_ONCE = 60  # columns of it
RANGE_DB, MARGIN_DB = 70.0, 6.0  # from the darkest to the brightest at most; how far the median is above the darkest
UNKNOWN_HZ = 10.0  # a shaft's rate, for the resolution of the envelope's spectrum where no speed is known


def spectrum(samples: Samples, rate: float) -> dict[str, Any]:
    """Power density in dB over Hz."""
    return _curve(averaged_spectrum(_exact(samples), rate, FRAME_S))


def envelope(samples: Samples, rate: float, machine: MachineFacts) -> dict[str, Any]:
    """The squared envelope's spectrum in the most impulsive band, with fault lines as `dualres explain` finds them."""
    signal, shaft_hz = _exact(samples), machine.shaft_hz
    if shaft_hz and len(signal) / rate * shaft_hz >= LEAST_TURNS:
        heard = assess(signal, rate, shaft_hz, machine_lines(shaft_hz, machine.bearing, machine.teeth))
        band, found, lines = heard.band, heard.envelope, [line_data(one) for one in heard.found]
    else:
        band = impulsive_band(signal, rate)
        found, lines = envelope_spectrum(signal, rate, band, shaft_hz or UNKNOWN_HZ), []
    return {**_curve(found, highest=2000.0), "band": vars(band), "lines": lines}


def spectrogram(samples: Samples, rate: float) -> tuple[dict[str, Any], bytes]:
    """Two grids of brightness, fine in time and fine in frequency, row by row from the lowest frequency."""
    signal, grids = _exact(samples), []
    for frame_s in RESOLUTIONS_S:
        length = max(16, round(frame_s * rate))
        if length > len(signal):
            raise RecordingError("the stretch is too short for a spectrogram; show a longer one")
        starts = np.linspace(0, len(signal) - length, COLUMNS).astype(int)
        window, frames = np.hanning(length), np.lib.stride_tricks.sliding_window_view(signal, length)
        power = np.empty((ROWS, COLUMNS))
        edges = np.unique(np.linspace(0, length // 2, ROWS + 1).astype(int)[:-1])
        for first in range(0, COLUMNS, AT_ONCE):
            lines = np.abs(np.fft.rfft(frames[starts[first : first + AT_ONCE]] * window)) ** 2
            bands = np.maximum.reduceat(lines[:, :-1], edges, axis=1)
            power[:, first : first + AT_ONCE] = bands[:, np.arange(ROWS) * len(edges) // ROWS].T
        level = 10 * np.log10(power + power.max() * 1e-12 + 1e-300)
        dark = max(float(np.median(level)) - MARGIN_DB, float(level.max()) - RANGE_DB)  # the noise is dark
        bright = (level - dark) / max(float(level.max()) - dark, 1.0)
        grids.append((255 * np.clip(bright, 0, 1)).astype(np.uint8))
    told = {"columns": COLUMNS, "rows": ROWS, "highest_hz": rate / 2, "frames_s": RESOLUTIONS_S}
    return told, b"".join(grid.tobytes() for grid in grids)


def sound(samples: Samples, rate: float) -> bytes:
    """A WAV file of 16 bits, as loud as it goes."""
    centred = _exact(samples)
    counts = np.round(centred * (32000 / max(float(np.abs(centred).max()), 1e-30))).astype("<i2").tobytes()
    hz = max(1, round(rate))
    form = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(counts), b"WAVE", b"fmt ", 16, 1, 1, hz, 2 * hz, 2, 16,
                       b"data", len(counts))  # fmt: skip
    return form + counts


def shorter(first: int, last: int) -> tuple[int, int]:
    """The middle of a stretch that is too long for a picture, or all of it."""
    surplus = max(0, last - first - MOST)
    return first + surplus // 2, last - (surplus - surplus // 2)


def _exact(samples: Samples) -> npt.NDArray[np.float64]:
    exact = samples.astype(np.float64)
    if not np.isfinite(exact).all():
        raise RecordingError("samples of this stretch are not finite; repair or leave out the recording")
    if len(exact) < 64:
        raise RecordingError("the stretch is too short; show a longer one")
    return np.asarray(exact - exact.mean())


def _curve(one: PowerSpectrum, highest: float = np.inf) -> dict[str, Any]:
    """At most `POINTS` points, each the highest of its neighbours, so that no line is lost."""
    power = one.power[: int(min(highest / one.step_hz, len(one.power))) + 1][1:]
    starts = np.unique(np.arange(POINTS) * len(power) // POINTS)
    level = 10 * np.log10(np.maximum.reduceat(power, starts) + np.finfo(np.float64).tiny)
    middles = (starts + np.append(starts[1:], len(power)) + 1) / 2 * one.step_hz
    return {"hz": middles.round(4).tolist(), "db": level.round(3).tolist()}
