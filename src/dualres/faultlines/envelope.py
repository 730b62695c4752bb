"""Spectra of a signal and of its envelope, and the band that the envelope is best taken of.

Impacts make something ring. The band in which it rings is found by the kurtogram (Antoni 2006): in which band, by short
frames of several lengths, does the power come in bursts? A knock from elsewhere is a burst as well, so the kurtosis is
the median over stretches of the recording: what repeats is in all of them.
"""

from dataclasses import dataclass

import numpy as np

from dualres.utils.arrays import Exact

FRAMES = (16, 32, 64, 128, 256)  # samples: bands of a rate's eighth to its 128th
LEAST_HZ = 500.0  # where bands lie: below are the lines of shafts and gears themselves
STRETCHES, STRETCH_S = 8, 0.4  # most stretches of a recording, and the shortest
TURNS = 40  # revolutions in a frame of a spectrum: lines of a few shaft orders are apart, and slip hardly smears them


@dataclass(frozen=True)
class Band:
    """Where a recording is most impulsive."""

    low_hz: float
    high_hz: float
    kurtosis: float  # of the complex envelope: 0 for Gaussian noise, -1 for a steady tone


@dataclass(frozen=True)
class PowerSpectrum:
    """Power at equally spaced frequencies."""

    step_hz: float
    power: Exact  # from 0 Hz on

    @property
    def hz(self) -> Exact:
        return self.step_hz * np.arange(len(self.power), dtype=np.float64)


def kurtogram(signal: Exact, rate: float) -> list[tuple[Exact, Exact, float]]:
    """For each length of frames the middles of its bands in Hz, their kurtosis, the median over stretches, and how far
    that of Gaussian noise strays."""
    stretches = int(np.clip(len(signal) / rate / STRETCH_S, 1, STRETCHES))
    levels = []
    for length in FRAMES:
        window = _hann(length)
        found = []
        for stretch in np.array_split(signal, stretches):
            frames = np.lib.stride_tricks.sliding_window_view(stretch, length)[:: length // 2]
            power = np.abs(np.fft.rfft(frames * window)) ** 2
            mean = power.mean(0)
            found.append((power**2).mean(0) / np.maximum(mean**2, np.finfo(float).tiny) - 2)
        strays = 2 / np.sqrt(2 * len(signal) / length)
        middles = rate / length * np.arange(2, length // 2 - 1, dtype=np.float64)  # those at the ends are not complex
        levels.append((middles, np.asarray(np.median(found, axis=0)[2:-2]), float(strays)))
    return levels


def impulsive_band(signal: Exact, rate: float, width_hz: float = LEAST_HZ) -> Band:
    """The band whose kurtosis is farthest beyond that of noise; its width is what frames of that length tell apart. The
    kurtosis of the few long frames is large by chance. Bands narrower than `width_hz` are left out."""
    best, farthest = Band(0.0, rate / 2, 0.0), -np.inf
    for middles, kurtosis, strays in kurtogram(signal, rate):
        half = float(middles[1] - middles[0])  # of a Hann window's main lobe, at half its height
        far = np.where((middles > LEAST_HZ) & (2 * half >= width_hz), kurtosis / strays, -np.inf)
        at = int(far.argmax())
        if far[at] > farthest:
            low = max(float(middles[at]) - half, LEAST_HZ / 2)
            best, farthest = Band(low, float(middles[at]) + half, float(kurtosis[at])), float(far[at])
    return best


def squared_envelope(signal: Exact, rate: float, band: Band) -> tuple[Exact, float]:
    """The squared magnitude of the analytic signal within a band, and its own lower rate in Hz."""
    spectrum = np.fft.rfft(signal - signal.mean())
    step = rate / len(signal)
    inside = spectrum[int(np.ceil(band.low_hz / step)) : int(band.high_hz / step) + 1]
    length = 2 * len(inside)  # a square has twice the bandwidth
    squared: Exact = np.abs(np.fft.ifft(inside, length)) ** 2
    return squared, length * step


def averaged_spectrum(signal: Exact, rate: float, frame_s: float) -> PowerSpectrum:
    """Mean power over Hann frames that overlap by half, of `frame_s` seconds or of the whole signal."""
    length = min(len(signal), max(16, round(min(frame_s * rate, len(signal)))))  # also of a frame without end
    window = _hann(length)
    frames = np.lib.stride_tricks.sliding_window_view(signal - signal.mean(), length)[:: max(1, length // 2)]
    power = np.zeros(length // 2 + 1)
    for frame in frames:
        power += np.abs(np.fft.rfft((frame - frame.mean()) * window)) ** 2
    return PowerSpectrum(rate / length, power / (len(frames) * (window**2).sum() * rate))


def envelope_spectrum(signal: Exact, rate: float, band: Band, shaft_hz: float) -> PowerSpectrum:
    """Of the squared envelope within a band."""
    return averaged_spectrum(*squared_envelope(signal, rate, band), TURNS / shaft_hz)


def _hann(length: int) -> Exact:
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length))
