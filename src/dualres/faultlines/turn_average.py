"""What strikes at one place of a turn: the envelope, averaged turn by turn.

Many healthy machines have strong lines at multiples of a shaft's rate. A broken tooth differs by where in the turn it
is heard: its harmonics peak together, once. The average over turns shows that; what merely rises and falls with the
shaft is left out with the lowest harmonics. A speed that wanders would smear a long average, so frames of a few turns
are averaged first, and then with one another where they fit best. That search, and the search for the speed, find a
peak in noise as well: the same is done for turns of other lengths, and what counts is how far the peak is above theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dualres.utils.arrays import Exact

A_TURN = 64  # samples of the envelope in a turn of the shaft
HARMONICS = np.arange(3, 25, dtype=np.int64)  # of the turn: lower ones are how load and eccentricity come and go
FRAME = 16  # turns that are averaged as they are
LOOKED_AT = 512  # of the shaft that are looked at
SLIP, SLIP_UNSURE, SLIP_STEP = 0.003, 0.02, 0.0015  # by which the turn's length is searched for
RIVALS, RANGE = 36, (0.6, 1.7)  # turns of other lengths, in the turn's own
LEAST_RIVALS = 12
APART = 0.03  # between a rival's length and simple ratios of the turn's
SHIFTS = 256  # places in a turn at which frames are tried


@dataclass(frozen=True)
class TurnPeak:
    """The highest place in the average over turns of one length."""

    stands_out: float  # how far above the peaks of rivals, in their standard deviations
    crest: float  # the peak over the root mean square of the average: the sharper, the higher


def turn_peak(envelope: Sequence[Exact], length: float, speed_factor: float, speed_found: bool) -> TurnPeak | None:
    """Of pieces of an envelope, `A_TURN` samples in a turn of the shaft, and what turns once in `length` of its turns.

    None where they hold too few of its turns.
    """
    slip = SLIP if speed_found else SLIP_UNSURE
    steps = round(slip / SLIP_STEP)
    shares = 1 + SLIP_STEP * np.arange(-steps, steps + 1, dtype=np.float64)
    tried = np.asarray(shares * A_TURN * length / speed_factor, dtype=np.float64)
    kept = HARMONICS if length == 1 else _not_the_shafts(length)
    own = _sharpest(envelope, tried, kept)
    others = [_sharpest(envelope, ratio * tried, kept) for ratio in _rivals().tolist()]
    rivals = [float(one.max()) for one in others if one is not None]
    if own is None or len(rivals) < LEAST_RIVALS:
        return None
    spread, level = max(float(np.std(rivals)), 1e-12), max(float(own.std()), 1e-12)
    return TurnPeak((float(own.max()) - float(np.mean(rivals))) / spread, float(own.max()) / level)


def _rivals() -> Exact:
    """Ratios of other lengths to the turn's own."""
    ratios = np.geomspace(*RANGE, RIVALS)
    simple = np.array([above / below for above in range(1, 5) for below in range(1, 5)])
    return np.asarray(ratios[np.abs(ratios[:, None] / simple - 1).min(axis=1) > APART])


def _not_the_shafts(length: float) -> npt.NDArray[np.int64]:
    """Harmonics of a mate's turn that are none of the shaft's."""
    orders = HARMONICS / length
    return np.asarray(HARMONICS[np.abs(orders - np.round(orders)) > 0.02])


def _sharpest(pieces: Sequence[Exact], tried: Exact, kept: npt.NDArray[np.int64]) -> Exact | None:
    """Of averages over turns that are so many samples long, the one with the most in it; None for too few turns."""
    long_enough = [piece for piece in pieces if len(piece) > FRAME * tried.max() + 1]
    if not long_enough or not len(kept):
        return None
    return max((_average(long_enough, float(samples), kept) for samples in tried), key=np.std)


def _average(pieces: Sequence[Exact], samples: float, kept: npt.NDArray[np.int64]) -> Exact:
    """The average over turns that are `samples` long, by the harmonics that are kept: (2 * A_TURN,)."""
    frames = np.concatenate([_frames(piece, samples) for piece in pieces])[:, kept]
    phases = np.exp(2j * np.pi * np.outer(np.arange(SHIFTS) / SHIFTS, kept))
    mean = frames[0]
    for _ in range(2):  # where a frame fits best depends on the mean of all
        fits = (frames * mean.conj() @ phases.T).real.argmax(axis=1)
        mean = (frames * phases[fits]).mean(axis=0)
    whole = np.zeros(A_TURN + 1, dtype=np.complex128)
    whole[kept] = mean
    return np.asarray(np.fft.irfft(whole, 2 * A_TURN) * 2)


def _frames(piece: Exact, samples: float) -> Exact:
    """The spectrum of every frame's average turn, (frames, harmonics)."""
    count = int((len(piece) - 1) / (samples * FRAME))
    within = (np.arange(FRAME)[:, None] + np.arange(A_TURN) / A_TURN) * samples
    places = FRAME * samples * np.arange(count)[:, None, None] + within
    turns = np.interp(places, np.arange(len(piece)), piece).mean(axis=1)
    return np.asarray(np.fft.rfft(turns, axis=1))
