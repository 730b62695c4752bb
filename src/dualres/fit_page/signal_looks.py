"""How recordings look to an eye: a stretch of waveform and the mean spectrum; and which of others looks most alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dualres.recordings.recording import Recording, axes_of
from dualres.utils.arrays import Exact
from dualres.utils.progress import Progress, quiet

COLUMNS = 240  # of a drawn waveform: each from its lowest to its highest sample
BANDS = 160  # of a spectrum, equally wide on a logarithmic scale
LOWEST_HZ = 10.0
SMOOTH = 9  # bands, half an octave: two machines of one kind do not run at one speed
LOOK = "Look at the recordings"  # the stage that progress is told of


@dataclass(frozen=True)
class SignalPicture:
    """A recording as it is drawn."""

    name: str
    low: Exact  # of the first stretch, around its mean, (COLUMNS,)
    high: Exact
    seconds: float  # of that stretch
    rms: float  # of the whole recording, each stretch around its mean
    peak: float  # largest distance from there
    spectrum: Exact  # dB around its own mean, (BANDS,): a model is told no level either


def looks_of(recordings: Sequence[Recording], stretch_s: float, progress: Progress = quiet) -> dict[str, SignalPicture]:
    """All recordings by their ids, in stretches of `stretch_s` seconds, up to the highest frequency that all have."""
    highest, looks = highest_hz(recordings), {}
    for done, recording in enumerate(recordings, start=1):
        looks[recording.id] = look_of(recording, stretch_s, highest)
        progress(LOOK, done, len(recordings), "")
    return looks


def highest_hz(recordings: Sequence[Recording]) -> float:
    """Half the lowest rate: what all spectra reach."""
    return float(min(axes_of(one)[0].rate for one in recordings) / 2)


def look_of(recording: Recording, stretch_s: float, highest: float) -> SignalPicture:
    """Of several axes the first one, in one pass."""
    signal = axes_of(recording)[0]
    samples = max(int(stretch_s * signal.rate), 2)
    first, window = np.zeros(samples), np.hanning(samples)
    squares, peak, count, power = 0.0, 0.0, 0, np.zeros(samples // 2 + 1)
    for block in signal.blocks(samples):
        if len(block) < samples and count:
            break  # a rest, which has other lines
        centred = np.pad(block - block.mean(dtype=np.float64), (0, samples - len(block)))  # a short one is filled up
        first = first if count else centred
        squares += float(centred @ centred)
        peak = max(peak, float(np.abs(centred).max()))
        power += np.abs(np.fft.rfft(centred * window)) ** 2
        count += 1
    columns = np.array_split(first, min(COLUMNS, samples))
    return SignalPicture(
        recording.id,
        np.array([column.min() for column in columns]),
        np.array([column.max() for column in columns]),
        samples / float(signal.rate),
        float(np.sqrt(squares / (count * samples))),
        peak,
        _in_bands(power / count, float(signal.rate), highest),
    )


def nearest(look: SignalPicture, others: Mapping[str, SignalPicture]) -> tuple[str, float]:
    """The one whose smoothed spectrum differs least, and by how much: dB, root mean square over the bands."""
    differences = {name: difference(look.spectrum, other.spectrum) for name, other in others.items()}
    name = min(differences, key=differences.__getitem__)
    return name, differences[name]


def difference(one: Exact, other: Exact) -> float:
    """Of two spectra in dB, whose levels do not count, smoothed over half an octave."""
    smooth = np.convolve(one - other, np.full(SMOOTH, 1 / SMOOTH), mode="valid")
    return float(np.sqrt(np.mean(smooth**2)))


def _in_bands(power: Exact, rate: float, highest: float) -> Exact:
    """The mean density of each band in dB, around the mean of all; where bands are narrower than lines, the line's."""
    edges = np.geomspace(min(LOWEST_HZ, highest / 2), highest, BANDS + 1)
    upper = (np.arange(len(power)) + 0.5) * rate / (2 * (len(power) - 1))  # where each line's share ends
    below = np.interp(edges, upper, np.cumsum(power))
    density = np.diff(below) / np.diff(edges)
    level = 10 * np.log10(np.maximum(density, density.max() * 1e-12 + np.finfo(np.float64).tiny))
    return np.asarray(level - level.mean())
