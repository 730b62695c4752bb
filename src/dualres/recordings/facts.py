"""What a signal is at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dualres.recordings.recording import Recording

BANDS = 60


@dataclass(frozen=True)
class Facts:
    """A recording in a few numbers."""

    samples: int
    seconds: float
    mean: float
    rms: float  # around the mean
    crest: float  # largest distance from the mean, in rms
    spectrum: tuple[float, ...]  # log power of equal bands up to half the rate: 0 for the weakest, 1 for the strongest


def facts_of(recording: Recording) -> Facts:
    signal = recording.signal.astype(float)
    centred = signal - signal.mean()
    rms = centred.std()
    power = np.abs(np.fft.rfft(centred * np.hanning(len(centred)))) ** 2
    level = np.log10([band.mean() for band in np.array_split(power[1:], BANDS)])
    scaled = (level - level.min()) / max(float(np.ptp(level)), 1e-12)
    return Facts(
        samples=len(signal),
        seconds=float(len(signal) / recording.rate),
        mean=float(signal.mean()),
        rms=float(rms),
        crest=float(np.abs(centred).max() / rms),
        spectrum=tuple(scaled.tolist()),
    )
