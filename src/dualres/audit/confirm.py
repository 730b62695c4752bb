"""Whether two recordings really share a stretch of signal, or merely are of one machine."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dualres.audit.fingerprint import (
    TOP_HZ,
    FrequencyGrid,
    Series,
    correlate,
    fast_size,
    fingerprints,
    irfft,
    plain_correlation,
    rfft,
    top_of,
)
from dualres.audit.screen import SHORTEST_S
from dualres.audit.whitening import RATE, whitened
from dualres.recordings.recording import Samples
from dualres.utils.arrays import Reals

FRAME_S = 1.0  # s, the stretch over which a copy is confirmed
SHORT_FRAME_S = 0.5  # s, where less is shared

# Over one second, copies with noise at 20 dB reach 0.93. The most alike of 19,600 pairs of different PHM2009
# recordings, two repeats of one gearbox at one speed, reach 0.64: the same teeth meet again only after 15 turns, so
# that one second holds hardly three rounds to tell their pattern from noise. Over a third of a second they reach 0.71.
_COPY = 0.75
_SHORT_COPY = 0.85
# A machine that runs evenly is like itself at every turn of its shaft; a copy fits at one lag only.
_RIVAL = 0.8
_PEAK_S = 0.005  # s, around the best lag: not a rival but the peak itself

# Over seconds, lines are told from noise ever better, so that less is enough. The most alike of those PHM2009 pairs
# reach 0.58 in the whole band over 1.5 s, 0.46 over 2 s and 0.40 over 3 s; in one of four bands 0.70, 0.56 and 0.47.
_WEAKENED_S = 1.4
_WEAKENED = 0.3
_WEAKENED_SHORT = {TOP_HZ: 0.55, 1000.0: 0.7}  # by the band's width: so much more over a second, half over two seconds
_WEAKENED_RIVAL = 0.7
_LONGEST_S = 16.0  # s that are compared
_AT_ONCE = 8  # frames, which stay in the processor's cache
_EDGE_S = 0.25  # s at either end, where lines are not taken away completely
# A speed that is followed brings the teeth of one gear together again and again. The most alike of PHM2009's recordings
# reach 0.64 below 1 kHz, where the way hardly matters in which it was followed; copies reach 0.73 and more.
_FOLLOWED = 0.7
_BANDS_HZ = ((0.0, TOP_HZ), (0.0, 1000.0), (1000.0, 2000.0), (2000.0, 3000.0), (3000.0, TOP_HZ))


@dataclass(frozen=True)
class Match:
    """A stretch that two recordings have in common."""

    correlation: float  # normalised cross-correlation, negative for an inverted copy
    whitened: float  # the same after removing what every recording of the machine has
    lag_s: float  # s, where in the first recording the second one starts
    overlap_s: float  # s in common


def confirm(
    a: Samples, rate_a: float, b: Samples, rate_b: float, *, lag_s: float, followed: bool = False
) -> Match | None:
    """What `b` shares with `a` if it starts `lag_s` seconds into it; None if they merely resemble.

    More has to be shared where the speed of `b` was made to follow that of `a`.
    """
    start, end = max(0.0, lag_s), min(len(a) / rate_a, lag_s + len(b) / rate_b)
    if end - start < SHORTEST_S:
        return None
    pair = _Pair(a, rate_a, b, rate_b, lag_s, start, end)
    frame = min(FRAME_S, end - start)
    places = np.arange(start, end - frame + 1 / rate_a, frame).tolist()
    if followed:
        return pair.same(places, frame) if pair.likeness_below_1_khz() >= _FOLLOWED else None
    return pair.same(places, frame) or pair.same_somewhere() or pair.weakened()


@dataclass(frozen=True)
class _Pair:
    """Two signals, the second starting `lag_s` seconds into the first, and the stretch of the first that both have."""

    a: Samples
    rate_a: float
    b: Samples
    rate_b: float
    lag_s: float
    start: float  # s
    end: float  # s

    def cut(self, at: float, seconds: float) -> tuple[Samples, Samples]:
        """The same stretch of both, `at` seconds into the first."""
        return _stretch(self.a, self.rate_a, at, seconds), _stretch(self.b, self.rate_b, at - self.lag_s, seconds)

    def same(self, places: list[float], frame: float) -> Match | None:
        """What the frames that start at `places` have in common, each by its fingerprint."""
        grid = FrequencyGrid.spanning(frame)
        top = min(top_of(self.rate_a), top_of(self.rate_b))
        enough = _COPY if frame >= FRAME_S else _SHORT_COPY
        shared = []
        for first in range(0, len(places), _AT_ONCE):
            frames = [self.cut(at, frame) for at in places[first : first + _AT_ONCE]]
            xs, ys = (np.stack(side) for side in zip(*frames, strict=True))
            prints = fingerprints(xs, self.rate_a, grid, top), fingerprints(ys, self.rate_b, grid, top)
            for lags, x, y in zip(correlate(*prints, grid, 4), xs, ys, strict=True):
                alike, shift_s, rival = _peak(lags, grid.seconds, top)
                if abs(alike) >= enough and rival <= _RIVAL * abs(alike) and abs(shift_s) < _PEAK_S:
                    shared.append((plain_correlation(x, self.rate_a, y, self.rate_b), alike, self.lag_s + shift_s))
        if not shared:
            return None
        correlation, alike, lag = (float(v) for v in np.median(shared, axis=0))
        return Match(correlation, alike, lag, len(shared) * frame)

    def in_common(self) -> tuple[Samples, Samples]:
        return self.cut(self.start, min(self.end - self.start, _LONGEST_S))

    @cached_property
    def noise(self) -> tuple[Series, Series]:
        """What is left of `in_common` once it is whitened."""
        x, y = self.in_common()
        one, other = whitened(x, self.rate_a), whitened(y, self.rate_b)
        length = min(len(one), len(other))
        return one[:length], other[:length]

    def same_somewhere(self) -> Match | None:
        """As `same`, of the second and of the half second in which their noise agrees best."""
        one, other = self.noise
        agreement = np.concatenate([[0.0], np.cumsum(one * other, dtype=np.float64)])
        for frame in (FRAME_S, SHORT_FRAME_S):
            length = int(frame * RATE)
            if length < len(agreement):
                within = np.abs(agreement[length:] - agreement[:-length])
                match = self.same([self.start + int(within.argmax()) / RATE], frame)
                if match:
                    return match
        return None

    def without_edges(self) -> tuple[Series, Series]:
        edge = int(_EDGE_S * RATE)
        one, other = self.noise
        return one[edge:-edge], other[edge:-edge]

    def likeness_below_1_khz(self) -> float:
        """0 where a lag of their own would make them more alike."""
        alike, shift_s, *_ = next(_likeness(*self.without_edges(), [(0.0, 1000.0)]))
        return abs(alike) if abs(shift_s) < _PEAK_S else 0.0

    def weakened(self) -> Match | None:
        """What is left of a copy with noise, or of which a band is gone: some likeness, but over seconds."""
        if self.end - self.start < _WEAKENED_S + 2 * _EDGE_S:
            return None
        one, other = self.without_edges()
        seconds = len(one) / RATE
        for alike, shift_s, rival, width in _likeness(one, other):
            enough = abs(alike) >= _WEAKENED + _WEAKENED_SHORT[width] / seconds
            if enough and rival <= _WEAKENED_RIVAL * abs(alike) and abs(shift_s) < _PEAK_S:
                x, y = self.in_common()
                correlation = plain_correlation(x, self.rate_a, y, self.rate_b)
                return Match(correlation, alike, self.lag_s + shift_s, seconds)
        return None


def _likeness(
    one: Series, other: Series, bands_hz: Sequence[tuple[float, float]] = _BANDS_HZ
) -> Iterator[tuple[float, float, float, float]]:
    """As `_peak`, of the noise in each band, and the band's width in Hz."""
    size = fast_size(len(one))
    x, y = rfft(one, size), rfft(other, size)
    seconds = size / RATE
    for low, high in bands_hz:
        band = slice(int(low * seconds), int(high * seconds))
        norm = np.sqrt(np.vdot(x[band], x[band]).real * np.vdot(y[band], y[band]).real)
        cross = np.zeros(len(x), np.complex64)
        if norm > 0:
            cross[band] = x[band] * y[band].conj() / norm
        yield *_peak(irfft(cross, size) * (size / 2), seconds, high - low), high - low


def _stretch(signal: Samples, rate: float, start_s: float, seconds: float) -> Samples:
    length = round(seconds * rate)
    first = min(max(0, round(start_s * rate)), max(0, len(signal) - length))
    return signal[first : first + length]


def _peak(lags: Reals, seconds: float, top_hz: float) -> tuple[float, float, float]:
    """The largest correlation with its sign, its lag in s, and the size of the largest one elsewhere."""
    size = np.abs(lags)
    best = int(size.argmax())
    step_s = seconds / len(lags)
    around = int(max(_PEAK_S, 4 / top_hz) / step_s)
    elsewhere = np.roll(size, -best)[around : len(lags) - around]
    shift = best if best < len(lags) / 2 else best - len(lags)
    return float(lags[best]), shift * step_s, float(elsewhere.max(initial=0))
