"""One measurement on both sides of a split, found in the samples themselves."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from dualres.machinery.progress import Progress
from dualres.recordings.audit.finding import Finding, Recordings, Severity
from dualres.recordings.audit.fingerprint import (
    TOP_HZ,
    Grid,
    Reals,
    Spectrum,
    correlate,
    fingerprint,
    plain_correlation,
    top_of,
)
from dualres.recordings.recording import Recording, Samples

LONGEST_S = 64.0  # s; longer recordings are fingerprinted in pieces, so that a short one still stands out in them
SHORTEST_S = 0.25  # s; less noise than that identifies nothing
_FRAME_S = 1.0  # s, the stretch over which a copy is confirmed
_BLOCK_BYTES = 2**28  # of fingerprints held at a time
_KEPT_BYTES = 2**28  # of signals held so that they are not read twice

# The largest of all correlations of two unrelated noises is near 4.5 standard deviations, and near 6 over the tens of
# thousands of pairs of a large split. Above this a pair is only looked at closely, so it may be low.
_SUSPICIOUS = 7.0
# Over one second, copies with noise at 20 dB reach 0.93 and at 10 dB 0.78. The most alike of 19,600 pairs of different
# PHM2009 recordings, two repeats of one gearbox at one speed, reach 0.64: the same teeth meet again only after 15
# turns, so that one second holds hardly three rounds to tell their pattern from noise. Over a third of a second they
# reach 0.71.
_COPY = 0.75
_SHORT_COPY = 0.85
# A machine that runs evenly is like itself at every turn of its shaft; a copy fits at one lag only.
_RIVAL = 0.8
_PEAK_S = 0.005  # s, around the best lag: not a rival but the peak itself


@dataclass(frozen=True)
class Traits:
    """What a signal is besides its shape."""

    sha256: str  # of the samples
    samples: int
    seconds: float
    offset: float
    rms: float  # around the offset
    clipped: float  # share of samples at the largest or smallest value, one of each excepted


@dataclass(frozen=True)
class _Piece:
    recording: Recording
    start_s: float
    spectrum: Spectrum


@dataclass(frozen=True)
class Match:
    """A stretch that two recordings have in common."""

    correlation: float  # normalised cross-correlation, negative for an inverted copy
    whitened: float  # the same after removing what every recording of the machine has
    lag_s: float  # s, where in the first recording the second one starts
    overlap_s: float  # s in common


class Shelf:
    """Signals by recording, the first ones kept in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, Samples] = {}
        self._bytes = 0

    def signal(self, recording: Recording) -> Samples:
        if recording.id in self._kept:
            return self._kept[recording.id]
        signal = recording.signal
        if self._bytes + signal.nbytes <= _KEPT_BYTES:
            self._kept[recording.id] = signal
            self._bytes += signal.nbytes
        return signal


def traits(signal: Samples, rate: float) -> Traits:
    """The traits of a signal at `rate` Hz."""
    offset = float(signal.mean(dtype=np.float64))
    at_limits = int(np.count_nonzero((signal == signal.max()) | (signal == signal.min())))
    rms = float(np.sqrt(np.mean((signal - np.float32(offset)) ** 2, dtype=np.float64)))
    digest, clipped = hashlib.sha256(signal.tobytes()).hexdigest(), max(at_limits - 2, 0) / len(signal)
    return Traits(digest, len(signal), len(signal) / rate, offset, rms, clipped)


def identical(support: Recordings, evaluation: Recordings, known: dict[str, Traits]) -> list[Finding]:
    """The same samples under two names: a leak across the sides, a warning within one."""
    owners: dict[str, list[str]] = defaultdict(list)
    learned, judged = {r.id for r in support}, {r.id for r in evaluation}
    for name in dict.fromkeys(r.id for r in (*support, *evaluation)):
        owners[known[name].sha256].append(name)
    found = []
    for digest, names in owners.items():
        if len(names) < 2:
            continue
        across = bool(learned & set(names)) and bool(judged & set(names))
        where = "on both sides of the split" if across else "on one side of the split"
        message = f"{', '.join(names)} hold the same samples, {where}"
        severity: Severity = "leak" if across else "warning"
        found.append(Finding("identical-content", severity, message, tuple(names), {"sha256": digest}))
    return found


def copies(
    support: Recordings, evaluation: Recordings, known: dict[str, Traits], shelf: Shelf, progress: Progress
) -> Iterator[Finding]:
    """Evaluated recordings that share a stretch of signal with a support recording.

    Shifted, scaled, inverted, offset, resampled, trimmed, embedded and slightly noisy copies are found; identical ones
    are left to `identical`.
    """
    usable = {name for name, t in known.items() if t.seconds >= SHORTEST_S and t.rms > 0}
    skipped = tuple(dict.fromkeys(r.id for r in (*support, *evaluation) if r.id not in usable))
    if skipped:
        message = f"{len(skipped)} recordings are silent or shorter than {SHORTEST_S} s and were not compared"
        yield Finding("not-compared", "warning", message, skipped)
    support = [r for r in support if r.id in usable]
    if not support:
        return
    grid = Grid.spanning(min(LONGEST_S, max(known[r.id].seconds for r in support)))
    blocks = list(_blocks(support, known, grid))
    reported = set()
    for b, block in enumerate(blocks):
        pieces = [piece for r in block for piece in _pieces(r, shelf.signal(r), grid)]
        spectra = np.stack([piece.spectrum for piece in pieces])
        for e, judged in enumerate(evaluation, start=1):
            if judged.id in usable:
                for learned, lag_s in _suspects(pieces, spectra, judged, shelf.signal(judged), grid):
                    pair = (learned.id, judged.id)
                    if pair in reported or known[learned.id].sha256 == known[judged.id].sha256:
                        continue
                    match = confirm(shelf.signal(learned), learned, shelf.signal(judged), judged, lag_s)
                    if match:
                        reported.add(pair)
                        yield _copied(learned, judged, match)
            progress("Compare", (b * len(evaluation) + e) // len(blocks), len(evaluation), "")


def _blocks(support: Recordings, known: dict[str, Traits], grid: Grid) -> Iterator[list[Recording]]:
    """Support recordings, as many at a time as their fingerprints may take memory."""
    block: list[Recording] = []
    size = 0.0
    for r in support:
        own = 4 * grid.size * np.ceil(known[r.id].seconds / grid.seconds)
        if block and size + own > _BLOCK_BYTES:
            yield block
            block, size = [], 0
        block.append(r)
        size += own
    yield block


def _pieces(recording: Recording, signal: Samples, grid: Grid) -> Iterator[_Piece]:
    rate = float(recording.rate)
    length = int(rate * grid.seconds)
    for start in range(0, len(signal), length):
        part = signal[start : start + length]
        if start == 0 or len(part) >= SHORTEST_S * rate:
            yield _Piece(recording, start / rate, fingerprint(part, rate, grid, top_of(rate)))


def _suspects(
    pieces: Sequence[_Piece], spectra: Spectrum, judged: Recording, signal: Samples, grid: Grid
) -> Iterator[tuple[Recording, float]]:
    """Support recordings that stand out against the evaluated one, with the lags in s at which they do."""
    at_once = max(1, 2**24 // (4 * grid.size))  # a few megabytes, which stay in the processor's cache
    for other in _pieces(judged, signal, grid):
        for first in range(0, len(pieces), at_once):
            lags = correlate(spectra[first : first + at_once], other.spectrum, grid)
            size = np.abs(lags)
            best = size.argmax(1)
            spread = lags.std(1)
            for row in np.flatnonzero(size.max(1) > _SUSPICIOUS * spread).tolist():
                piece = pieces[first + row]
                if piece.recording.id == judged.id:
                    continue
                lag = best[row] / (2 * TOP_HZ)
                for unwrapped in (lag, lag - grid.seconds):  # a circular lag stands for both
                    yield piece.recording, piece.start_s + unwrapped - other.start_s


def confirm(a: Samples, first: Recording, b: Samples, second: Recording, lag_s: float) -> Match | None:
    """What `second` shares with `first` if it starts `lag_s` seconds into it; None if they merely resemble."""
    rate_a, rate_b = float(first.rate), float(second.rate)
    start, end = max(0.0, lag_s), min(len(a) / rate_a, lag_s + len(b) / rate_b)
    frame = min(_FRAME_S, end - start)
    if frame < SHORTEST_S:
        return None
    grid = Grid.spanning(frame)
    top = min(top_of(rate_a), top_of(rate_b))
    enough = _COPY if frame == _FRAME_S else _SHORT_COPY
    shared = []
    for at in np.arange(start, end - frame + 1 / rate_a, frame).tolist():
        x, y = _stretch(a, rate_a, at, frame), _stretch(b, rate_b, at - lag_s, frame)
        lags = correlate(fingerprint(x, rate_a, grid, top), fingerprint(y, rate_b, grid, top), grid, finer=4)
        whitened, shift_s, rival = _peak(lags, grid, top)
        if abs(whitened) >= enough and rival <= _RIVAL * abs(whitened) and abs(shift_s) < _PEAK_S:
            shared.append((plain_correlation(x, rate_a, y, rate_b), whitened, lag_s + shift_s))
    if not shared:
        return None
    correlation, whitened, lag = (float(v) for v in np.median(shared, axis=0))
    return Match(correlation, whitened, lag, len(shared) * frame)


def _stretch(signal: Samples, rate: float, start_s: float, seconds: float) -> Samples:
    length = round(seconds * rate)
    first = min(max(0, round(start_s * rate)), max(0, len(signal) - length))
    return signal[first : first + length]


def _peak(lags: Reals, grid: Grid, top_hz: float) -> tuple[float, float, float]:
    """The largest correlation with its sign, its lag in s, and the size of the largest one elsewhere."""
    size = np.abs(lags)
    best = int(size.argmax())
    step_s = grid.seconds / len(lags)
    around = int(max(_PEAK_S, 4 / top_hz) / step_s)
    elsewhere = np.roll(size, -best)[around : len(lags) - around]
    shift = best if best < len(lags) / 2 else best - len(lags)
    return float(lags[best]), shift * step_s, float(elsewhere.max(initial=0))


def _copied(learned: Recording, judged: Recording, match: Match) -> Finding:
    message = (
        f"{judged.id} in the evaluation and {learned.id} in the support share {match.overlap_s:.2f} s of signal: "
        f"it starts {match.lag_s:+.4f} s into the latter, correlation {match.correlation:.3f}"
    )
    return Finding("copied-signal", "leak", message, (learned.id, judged.id), asdict(match))
