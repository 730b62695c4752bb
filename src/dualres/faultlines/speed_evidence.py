"""What speaks for a line at each frequency: the evidence that a speed is estimated by (`speed_estimate`).

Four curves: the low spectrum; the envelopes of two low bands, where harmonics of a shaft beat at its rate; those of
higher bands, where impacts and friction come and go with it; and the spacing of lines over the whole spectrum, such as
sidebands of a gear. Lines of the mains are no evidence.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dualres.utils.arrays import Complex, Exact, Floats

MOST_S = 12.0  # of a recording that are looked at
FRAME_S = 8.0  # of a spectrum, at most
AROUND_HZ = 20.0  # over which a line stands out
MAINS_HZ, MAINS_WIDTH_HZ, MAINS_MOST_HZ = (50, 60), 0.5, 1000.0
LOW_BANDS_HZ = ((60.0, 200.0), (150.0, 400.0))
HIGH_BANDS, FROM_HZ = 5, 400.0  # geometric ones, from there to nearly half the rate
NARROWEST_HZ = 120.0  # of a band: it must carry the rate of a fast shaft

STEP = 0.004  # of the grid, in natural logarithms
GRID = 1.6 * np.exp(STEP * np.arange(1440))  # Hz: from a third of the slowest shaft to four times the fastest
REACH = 2  # grid points by which a line may be off

# What one unit of the low spectrum is worth: at the rate, the mean at 2, 3 and 4 times it, the larger at 1/2 and 3/2.
SPECTRUM = (0.885, 0.612, -0.439)
# Where a speed only has to be found near a stated one, or among those that fit a model, the low spectrum is enough.
DECIMATED = 32  # samples of which one is kept
GROUPS = 5  # taps of the filter, in such groups
CUTOFF = 1 / 64  # of the rate; what is kept reaches half as far
KAISER = 8.0
SHORT_FRAME_S = 4.0  # of a spectrum, at most


@dataclass(frozen=True)
class SpeedEvidence:
    """Curves over `GRID` of what speaks for a line: about 0 to 1 in noise, more where there is one."""

    features: Exact  # in the order of `WEIGHTS`, (13, grid)
    lines: Exact  # of the spectrum and of the low envelope, without those of the mains, (2, grid)
    rivals: Exact  # the same with the mains': what may be another shaft's, (2, grid)


def grid_steps(ratio: float) -> int:
    """How far apart on the grid two frequencies of this ratio are."""
    return round(float(np.log(ratio)) / STEP)


def speed_evidence(samples: Exact, rate: float) -> SpeedEvidence:
    """What a signal says of every frequency of the grid."""
    samples = samples[: _smooth_length(min(len(samples), int(MOST_S * rate)))]
    samples = samples - samples.mean()
    spectrum = np.fft.rfft(samples)
    step = rate / len(samples)
    with_mains, without_mains = _low_lines(spectrum, step)
    bands = _envelopes(spectrum, step)
    low, high = bands[:2], bands[2:]
    spacing = 2 * np.sqrt(np.clip(_spacing(samples, rate), 0, 20))
    curves = [_near(curve) for curve in (np.minimum(without_mains, 8), low.mean(0), high.mean(0), spacing)]
    features = [part for curve in curves for part in _comb(curve)] + [_near(np.maximum(bands.max(0), 0))]
    lines, rivals = [_near(without_mains), curves[1]], [_near(with_mains), curves[1]]
    return SpeedEvidence(np.array(features), np.array(lines), np.array(rivals))


def lowpassed(samples: Floats) -> Floats:
    """Signals (n, samples), a multiple of `DECIMATED`, at the 32nd part of their rate; without the (GROUPS - 1) samples
    at the ends whose neighbours are not there: (n, samples / DECIMATED - GROUPS + 1)."""
    n, length = samples.shape
    products = samples.reshape(n, length // DECIMATED, DECIMATED) @ _TAPS  # one by one, so the same whoever is beside
    kept = length // DECIMATED - GROUPS + 1
    found: Floats = np.sum([products[:, group : group + kept, group] for group in range(GROUPS)], axis=0)
    return found


def shaft_evidence(signal: Exact, rate: float, hz: Exact) -> Exact:
    """Of shafts that turn at `hz` (n,), in nats: how much their lines stand out of a low-passed signal at `rate` Hz."""
    stands = np.array(SPECTRUM) @ low_spectrum_comb(signal - signal.mean(), rate, SHORT_FRAME_S)
    return np.asarray(np.interp(np.log(hz), np.log(GRID), stands))


def _taps() -> Floats:
    """Of the filter, tap by tap of a group: (DECIMATED, GROUPS)."""
    count = DECIMATED * GROUPS
    at = np.arange(count) - (count - 1) / 2
    taps = np.sinc(2 * CUTOFF * at) * np.kaiser(count, KAISER)
    return np.ascontiguousarray((taps / taps.sum()).reshape(GROUPS, DECIMATED).T, dtype=np.float32)


_TAPS = _taps()


def low_spectrum_comb(samples: Exact, rate: float, frame_s: float = FRAME_S) -> Exact:
    """The first three features, of a signal that is low-passed already, by frames of at most `frame_s`: (3, grid)."""
    power, fine = _mean_power(samples, rate, padded=2, frame_s=frame_s)
    stands = _prominent(power[: int((GRID[-1] + AROUND_HZ) / fine)], fine)
    return np.array(_comb(_near(np.minimum(_on_grid(*_without_mains(stands, fine)), 8), reach=1)))


def _comb(curve: Exact) -> tuple[Exact, Exact, Exact]:
    """Of each candidate: at its rate, the mean at its next harmonics, the larger of the two places between them."""
    harmonics = (_at(curve, 2.0) + _at(curve, 3.0) + _at(curve, 4.0)) / 3
    return curve, harmonics, np.maximum(_at(curve, 0.5), _at(curve, 1.5))


def _low_lines(spectrum: Complex, step: float) -> tuple[Exact, Exact]:
    """How far lines stand out of the low spectrum: all, and without those of the mains."""
    stands, fine = _prominence(_lowpassed(spectrum, 2000.0, step))
    return _on_grid(np.clip(stands, -1, 12), fine), _on_grid(*_without_mains(stands, fine))


def _without_mains(stands: Exact, fine: float) -> tuple[Exact, float]:
    mains = _mains(len(stands), fine, max(MAINS_WIDTH_HZ, 2 * fine))
    return np.clip(np.where(mains, np.minimum(stands, 1.5), stands), -1, 12), fine


def _envelopes(spectrum: Complex, step: float) -> Exact:
    """How far lines stand out of the envelopes' spectra: of two low bands and of the higher ones, (bands, grid)."""
    power = np.abs(spectrum) ** 2
    level = _smoothed(power, 250 / step)
    white = spectrum / np.sqrt(level + 1e-3 * level.mean() + np.finfo(float).tiny)
    white[_mains(len(white), step, MAINS_WIDTH_HZ)] = 0
    nyquist = step * (len(spectrum) - 1)
    edges = np.geomspace(FROM_HZ, max(0.94 * nyquist, 2 * FROM_HZ), HIGH_BANDS + 1).tolist()
    curves = []
    for low, high in (*LOW_BANDS_HZ, *pairwise(edges)):
        inside = white[int(low / step) : int(high / step)]
        if high > nyquist or len(inside) * step < NARROWEST_HZ:
            curves.append(np.zeros(len(GRID)))
            continue
        # A square has twice the bandwidth; only its lower part is read, and what folds back must not reach it.
        length = _smooth_length(len(inside) + min(len(inside), int(1100 / step)))
        squared = np.abs(np.fft.ifft(inside, length)) ** 2
        stands, fine = _prominence(_lowpassed(np.fft.rfft(squared - squared.mean()), 1000.0, step))
        curves.append(np.clip(_on_grid(stands, fine), -2, 8))
    return np.array(curves)


def _spacing(samples: Exact, rate: float) -> Exact:
    """How much the spectrum's lines repeat at each distance, in standard deviations of what they do elsewhere."""
    power, step = _mean_power(samples, rate, padded=1)
    first, last = int(50 / step), int(0.47 * rate / step)
    lines = np.maximum(_log_over_surroundings(power, 250 / step), 0)[first:last]
    if len(lines) * step < 2 * GRID[-1]:
        return np.zeros(len(GRID))
    transformed = np.fft.rfft(lines - lines.mean(), _smooth_length(int(1.15 * (len(lines) + GRID[-1] / step))))
    repeats = np.fft.irfft(np.abs(transformed) ** 2)[: int(1.1 * GRID[-1] / step)]
    shortest = int(1.5 / step) + 2  # a line's own width
    repeats[:shortest] = repeats[shortest]
    repeats -= _smoothed(repeats, 12 / step)
    noise = repeats[int(60 / step) :].std()
    return _on_grid(repeats / noise if noise > 0 else np.zeros_like(repeats), step)


def _prominence(signal_and_rate: tuple[Exact, float]) -> tuple[Exact, float]:
    """How far lines stand out, and the step between frequencies in Hz."""
    power, fine = _mean_power(*signal_and_rate, padded=2)
    return _prominent(power, fine), fine


def _prominent(power: Exact, fine: float) -> Exact:
    """The logarithm of power over that of `AROUND_HZ`."""
    stands = _log_over_surroundings(power, AROUND_HZ / fine)
    stands[:3] = 0
    return stands


def _mean_power(signal: Exact, rate: float, padded: int, frame_s: float = FRAME_S) -> tuple[Exact, float]:
    """Over Hann frames that overlap by half or more and are padded to so many times their length; its step in Hz."""
    total = _smooth_length(padded * min(len(signal), int(frame_s * rate)))
    length = total // padded
    window = _hann(length)
    count = 1 + int(np.ceil((len(signal) - length) / (length / 2)))
    frames = [signal[start : start + length] for start in np.linspace(0, len(signal) - length, count).astype(int)]
    power = np.zeros(total // 2 + 1)
    for frame in frames:
        spectrum = np.fft.rfft((frame - frame.mean()) * window, total)
        power += np.square(spectrum.real) + np.square(spectrum.imag)
    return power / count, rate / total


@lru_cache(8)
def _hann(length: int) -> Exact:
    """A periodic window."""
    window: Exact = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    return window


def _log_over_surroundings(power: Exact, width: float) -> Exact:
    level = np.log(power + 1e-12 * power.mean() + np.finfo(float).tiny)
    return np.asarray(level - _smoothed(level, width))


def _smoothed(values: Exact, width: float) -> Exact:
    """The mean over an odd number of neighbours, about `width`."""
    count = min(max(3, int(width) | 1), len(values) // 2 * 2 - 1)
    sums = np.cumsum(np.pad(values, (count // 2 + 1, count // 2), mode="edge"))
    return np.asarray((sums[count:] - sums[:-count]) / count)


def _lowpassed(spectrum: Complex, below_hz: float, step: float) -> tuple[Exact, float]:
    """The signal of a spectrum's lower part, and its rate in Hz."""
    count = _smooth_length(min(len(spectrum) - 1, int(below_hz / step)))
    return np.fft.irfft(spectrum[: count + 1]), 2 * count * step


def _mains(count: int, step: float, width_hz: float) -> npt.NDArray[np.bool_]:
    """Which of so many frequencies are near a harmonic of the mains."""
    hz = step * np.arange(count)
    near = [np.abs(hz - mains * np.round(hz / mains)) <= width_hz for mains in MAINS_HZ]
    return np.asarray(np.logical_or(*near) & (hz > min(MAINS_HZ) / 2) & (hz < MAINS_MOST_HZ))


def _on_grid(curve: Exact, step: float) -> Exact:
    return np.asarray(np.interp(GRID, step * np.arange(len(curve)), curve, right=0.0))


def _near(curve: Exact, reach: int = REACH) -> Exact:
    """The largest within reach: a line may lie between, and a harmonic may be off."""
    around = np.pad(curve, reach, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).max(1))


def _at(curve: Exact, ratio: float) -> Exact:
    """The curve at `ratio` times each frequency of the grid, 0 beyond its ends."""
    at = np.arange(len(curve)) + grid_steps(ratio)
    return np.where((at >= 0) & (at < len(curve)), curve[at % len(curve)], 0.0)


def _smooth_length(most: int) -> int:
    """The largest product of 2, 3 and 5 up to `most`: transforms of it are fast."""
    twos = np.arange(max(most, 1).bit_length())
    products = np.multiply.outer(np.multiply.outer(2.0**twos, 3.0**twos), 5.0**twos).ravel()
    return int(products[products <= max(most, 1)].max())
