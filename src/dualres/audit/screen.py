"""Which of many pairs of recordings may share a stretch of signal: all are compared, cheaply.

Two noises that have nothing in common correlate at no lag more than at any other. A pair of which one lag stands out is
a suspect, to be looked at closely. A recording is compared as it is and played backwards, at once; then half a second
from its middle is compared at other speeds, below 1 kHz, where a stretch does the least harm.
How fast, and whether steadily, is found out by `course`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.audit.course import Meeting, played
from dualres.audit.fingerprint import ComplexSpectrum, FrequencyGrid, correlate, irfft, rfft
from dualres.audit.whitening import RATE, whitened
from dualres.recordings.recording import Recording, Samples

Rows = npt.NDArray[np.intp]

LONGEST_S = 8.0  # s; longer recordings are compared in pieces, so that half a second still stands out in them
SHORTEST_S = 0.25  # s; less noise than that identifies nothing
MOST_STRETCHED = 0.03  # faster or slower

# The largest of all correlations of two unrelated noises is near 4.5 standard deviations; above this there are a few
# in a large split of ten thousand pairs. Above it a pair is only looked at closely, so it may be low.
_SUSPICIOUS = 5.7
_SNIPPET_S = 0.5  # s, of which a stretched copy is known
_SNIPPET_STEP = 0.0025  # of the stretches, at which half a second below 1 kHz still fits
_COARSER = 4  # times is the grid on which stretches are screened, up to 1 kHz
_STRETCHES = np.arange(-13, 14) * _SNIPPET_STEP  # 0 as well: a speed that wobbles may be the right one there
_AT_ONCE = 3  # stretches whose sum is correlated
_AT_ONCE_BYTES = 2**21  # of correlations, which stay in the processor's cache


@dataclass(frozen=True)
class Piece:
    """A stretch of a recording, as it is compared."""

    recording: Recording
    start_s: float
    seconds: float
    recording_s: float  # of all of it
    spectrum: ComplexSpectrum  # of its noise, of unit energy


@dataclass(frozen=True)
class Suspect:
    """How a judged recording might be a copy of a learned one."""

    learned: Recording
    meeting: Meeting  # near which they may be alike; of one played backwards, the start
    backwards: bool = False
    otherwise: bool = False  # at another speed, of which the meeting says roughly which


def pieces_of(recording: Recording, signal: Samples, grid: FrequencyGrid) -> Iterator[Piece]:
    rate = float(recording.rate)
    length = int(rate * grid.seconds)
    for start in range(0, len(signal), length):
        part = signal[start : start + length]
        if start == 0 or len(part) >= SHORTEST_S * rate:
            spectrum = rfft(whitened(part, rate)[: grid.size], grid.size)
            energy = float(np.vdot(spectrum, spectrum).real)
            unit = spectrum / np.float32(np.sqrt(energy)) if energy > 0 else spectrum
            yield Piece(recording, start / rate, len(part) / rate, len(signal) / rate, unit)


def suspects(
    pieces: Sequence[Piece],
    spectra: ComplexSpectrum,
    of_judged: Sequence[Piece],
    *,
    grid: FrequencyGrid,
    rows: Rows,
    rows_otherwise: Rows,
) -> Iterator[Suspect]:
    """Learned recordings that stand out against the judged one; `spectra` holds those of the pieces.

    Only those in `rows` are looked at, and only those in `rows_otherwise` at other speeds.
    """
    seconds = of_judged[-1].recording_s
    for other in of_judged:
        # Lag 0 of the piece played backwards is its last sample.
        turns = np.arange(grid.size // 2 + 1) * ((round(other.seconds * RATE) - 1) / grid.size)
        backwards = other.spectrum.conj() * np.exp(-2j * np.pi * turns).astype(np.complex64)
        for row, _ in _outstanding(spectra, rows, (other.spectrum + backwards)[None], grid):
            piece = pieces[row]
            ways = correlate(piece.spectrum, np.stack([other.spectrum, backwards]), grid)
            way = int(np.abs(ways).max(1).argmax())
            lag_s = float(np.abs(ways[way]).argmax()) / RATE
            for unwrapped in (lag_s, lag_s - grid.seconds):  # a circular lag stands for both
                if way:
                    before_s = seconds - other.start_s - other.seconds
                    yield Suspect(piece.recording, Meeting(piece.start_s + unwrapped, before_s), backwards=True)
                else:
                    among_s = (max(0, unwrapped) + min(piece.seconds, unwrapped + other.seconds)) / 2
                    here_s = other.start_s + among_s - unwrapped
                    yield Suspect(piece.recording, Meeting(piece.start_s + among_s, here_s))
    if len(rows_otherwise):
        yield from _stretched(pieces, spectra, rows_otherwise, of_judged[len(of_judged) // 2], grid=grid)


def _outstanding(
    spectra: ComplexSpectrum, rows: Rows, others: ComplexSpectrum, grid: FrequencyGrid
) -> Iterator[tuple[int, int]]:
    """Which `rows` of `spectra` and which of `others` correlate at one lag far more than at the others."""
    at_once = max(1, _AT_ONCE_BYTES // (4 * grid.size * len(others)))
    mirrored = others.conj()
    for some in _consecutive(rows, at_once):
        lags = irfft(spectra[some[0] : some[-1] + 1, None] * mirrored, grid.size)  # a slice is not copied
        spread = np.sqrt(np.einsum("...i,...i->...", lags, lags) / lags.shape[-1])  # they have no offset
        standing = np.maximum(lags.max(-1), -lags.min(-1)) > _SUSPICIOUS * spread
        for row, column in np.argwhere(standing).tolist():
            yield int(some[row]), column


def _consecutive(rows: Rows, at_most: int) -> Iterator[Rows]:
    """Rows that follow each other, at most so many at once."""
    for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):
        for first in range(0, len(run), at_most):
            yield run[first : first + at_most]


def _stretched(
    pieces: Sequence[Piece], spectra: ComplexSpectrum, rows: Rows, other: Piece, *, grid: FrequencyGrid
) -> Iterator[Suspect]:
    """Learned recordings that hold the middle of a judged piece, played faster or slower."""
    series = irfft(other.spectrum, grid.size)[: round(other.seconds * RATE)]
    if other.seconds < (1 + MOST_STRETCHED) * _SNIPPET_S:
        return
    coarse = FrequencyGrid(grid.size // _COARSER)
    kept = coarse.size // 2 + 1
    middle = len(series) / 2
    smooth = irfft(other.spectrum[:kept], grid.size)[: len(series)]
    count = round(_SNIPPET_S * RATE / _COARSER)
    snippets = [played(smooth, middle, s, count=count, step=_COARSER) for s in _STRETCHES]
    prints = rfft(np.stack(snippets), coarse.size)
    sums = prints.reshape(-1, _AT_ONCE, kept).sum(1)
    for row, column in _outstanding(spectra[:, :kept], rows, sums, coarse):
        piece = pieces[row]
        members = slice(column * _AT_ONCE, (column + 1) * _AT_ONCE)
        lags = np.abs(correlate(piece.spectrum[:kept], prints[members], coarse))
        which, lag = np.unravel_index(lags.argmax(), lags.shape)
        there_s = float(lag) * _COARSER / RATE + _SNIPPET_S / 2
        here_s = other.start_s + middle / RATE
        meeting = Meeting(piece.start_s + there_s, here_s, float(_STRETCHES[members][which]))
        yield Suspect(piece.recording, meeting, otherwise=True)
