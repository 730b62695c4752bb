"""At which speed, steady or not, one signal would have to be played to be another, from a place where they meet.

A signal that is played at a stretch of 0.01 takes 1 % more time than the other.
"""

from dataclasses import dataclass

import numpy as np

from dualres.audit.fingerprint import Series, fast_size, irfft, refined, rfft
from dualres.audit.whitening import RATE, at_common_rate, flattened
from dualres.recordings.recording import Samples
from dualres.utils.arrays import Exact, Reals

_FIT = 0.3  # correlation at the best stretch
# Ever longer stretches of signal (s) at ever closer speeds (reach, steps): the first is short enough for a speed that
# wobbles.
_FITS = ((0.25, 0.0015, 31), (0.5, 3e-4, 13), (1.5, 1e-4, 9))
_NEAR_S = 0.02  # s, around the place where they are said to meet
AROUND_S = 1.0  # s on either side of it that are looked at first
_FINER = 4  # times as many samples, so that straight lines between them will do

_STEP_S, _FRAME_S = 0.05, 0.2  # s, of a speed that is followed: from place to place, and what is compared at each
_REACH_S = 0.001  # s: a speed of 2 % more than at the place before
_SPEEDING = 0.3  # of what a place was missed by makes the speed up; more would make it nervous
_FOLLOWED = 0.2  # correlation; unrelated noise reaches 0.1
_LOST = 5  # places in a row with less
_CLOSER, _CLOSE_S, _CLOSE_FRAME_S = (
    6,
    0.0005,
    0.12,
)  # times, and s: a course that is found is mended, for its speed ran after the true one
_SHORTEST_S = 1.2  # s, of a course


@dataclass(frozen=True)
class Sound:
    """A signal that something is looked for in, from somewhere on, without its lines: quarter by quarter of a second.

    Lines that a wobble smears are not narrow enough to be told from noise over longer.
    """

    noise: Series  # at `RATE`
    start_s: float

    @classmethod
    def around(cls, signal: Samples, rate: float, at_s: float, seconds: float) -> "Sound":
        first = max(0, int((at_s - seconds) * rate))
        return cls(flattened(signal[first : int((at_s + seconds) * rate) + 1], rate), first / rate)

    def place(self, at_s: float) -> float:
        """In samples."""
        return (at_s - self.start_s) * RATE


@dataclass(frozen=True)
class Meeting:
    """Places in two signals at which they are alike, and at what stretch the second would be the first."""

    learned_s: float
    judged_s: float
    stretch: float = 0.0

    @property
    def lag_s(self) -> float:
        """Where in the first the second one starts, once it is played so."""
        return self.learned_s - self.judged_s / (1 + self.stretch)


@dataclass(frozen=True)
class Course:
    """When what a learned signal holds is to be heard in a judged one, both rising, in s."""

    learned_s: Exact
    judged_s: Exact

    def undone(self, judged: Samples, rate: float) -> Series:
        """The judged signal as the learned one has it, at `RATE`, from the first of `learned_s` on."""
        first, last = self.judged_s[0], self.judged_s[-1]
        cut = max(0, int((first - _NEAR_S) * rate))
        fine = refined(at_common_rate(judged[cut : int((last + _NEAR_S) * rate) + 1], rate), _FINER)
        count = int((self.learned_s[-1] - self.learned_s[0]) * RATE)
        at_s = np.interp(self.learned_s[0] + np.arange(count) / RATE, self.learned_s, self.judged_s)
        places = (at_s - cut / rate) * (RATE * _FINER)
        return np.asarray(np.interp(places, np.arange(len(fine)), fine), np.float32)

    @property
    def stretches(self) -> tuple[float, float]:
        """The least and the greatest, without the few that stand out."""
        speeds = np.diff(self.judged_s) / np.diff(self.learned_s) - 1
        return float(np.quantile(speeds, 0.1)), float(np.quantile(speeds, 0.9))


def played(series: Series, middle: float, stretch: float, *, count: int, step: float) -> Reals:
    """`count` values `step` samples apart around `middle`, of a series that is played so much faster."""
    at = middle + (np.arange(count) - count / 2) * step * (1 + stretch)
    return np.asarray(np.interp(at, np.arange(len(series)), series), np.float32)


def met(learned: Sound, judged: Sound, near: Meeting) -> list[Meeting]:
    """Where the two fit best near a meeting: over a quarter of a second, and over ever longer, as long as they do."""
    fine = refined(judged.noise, _FINER)
    here, margin = judged.place(near.judged_s), int(_NEAR_S * RATE)
    there, stretch = learned.place(near.learned_s), near.stretch
    found: list[Meeting] = []
    for seconds, reach, steps in _FITS:
        count = int(min(seconds * RATE, 1.9 * min(here, len(judged.noise) - here)))
        first = int(there - count / 2)
        if count < 2 * margin or first - margin < 0 or first + count + margin > len(learned.noise):
            break
        around = learned.noise[first - margin : first + count + margin]
        size = fast_size(len(around))
        tried = stretch + np.linspace(-reach, reach, steps)
        copies = np.stack([played(fine, _FINER * here, s, count=count, step=_FINER) for s in tried])
        lags = irfft(rfft(around, size) * rfft(copies, size).conj(), size)[:, : 2 * margin + 1]
        row, lag = (int(i) for i in np.unravel_index(np.abs(lags).argmax(), lags.shape))
        own = around[lag : lag + count]
        norm = np.sqrt(np.vdot(own, own) * np.vdot(copies[row], copies[row]))
        if not abs(lags[row, lag]) > _FIT * norm:
            break
        stretch, there = float(tried[row]), first - margin + lag + count / 2
        found.append(Meeting(learned.start_s + there / RATE, near.judged_s, stretch))
    return found


def followed(learned: Sound, judged: Sound, start: Meeting) -> Course | None:
    """Where the judged signal goes on in the learned one before and after they meet, while its speed varies.

    None where they part too soon.
    """
    fine = refined(judged.noise, _FINER)
    middle = learned.place(start.learned_s), judged.place(start.judged_s)
    after, before = (_one_way(learned.noise, fine, middle, way * _STEP_S, stretch=start.stretch) for way in (1, -1))
    there, here = np.array([*before[::-1], middle, *after]).T
    if np.ptp(there) < _SHORTEST_S * RATE:
        return None
    for _ in range(_CLOSER):
        here = here + _late(learned.noise, fine, there, here)
    if np.diff(here).min() <= 0:
        return None
    return Course(there / RATE + learned.start_s, here / RATE + judged.start_s)


def _late(learned: Series, fine: Series, there: Exact, here: Exact) -> Exact:
    """By how many samples each place of the judged signal misses the learned one's, played as they all say."""
    count, reach = int(_CLOSE_FRAME_S * RATE), int(_CLOSE_S * RATE)
    begin, end = int(np.ceil(there[0])), int(there[-1])
    at = np.interp(np.arange(begin, end), there, here)
    heard = np.interp(_FINER * at, np.arange(len(fine)), fine).astype(np.float32)
    late = np.zeros(len(there))
    for i, place in enumerate(there):
        first = min(max(round(place - count / 2), begin + reach), end - count - reach)
        frame = learned[first : first + count]
        within = heard[first - begin - reach : first - begin + count + reach]
        alike = np.abs(np.correlate(within, frame, "valid"))
        best = int(alike.argmax())
        own = within[best : best + count]
        if alike[best] > _FOLLOWED * np.sqrt(np.vdot(frame, frame) * np.vdot(own, own)):
            late[i] = best - reach + _vertex(alike, best)
    padded = np.pad(late, 1, "edge")
    return (padded[:-2] + 2 * late + padded[2:]) / 4


def _one_way(
    learned: Series, fine: Series, middle: tuple[float, float], step_s: float, *, stretch: float
) -> list[tuple[float, float]]:
    """Places in both, in samples, from the middle on; those at the end at which they differ are left out."""
    step, count, reach = step_s * RATE, int(_FRAME_S * RATE), int(_REACH_S * RATE)
    there, here = middle
    found: list[tuple[float, float]] = []
    missed, sign = 0, 0.0
    while missed < _LOST:
        there, here = there + step, here + step * (1 + stretch)
        first = round(there - count / 2)
        if first < 0 or first + count > len(learned) or not 0 < _FINER * here < len(fine):
            break
        frame = learned[first : first + count]
        # What is heard around `here` is compared with what was learned around `there`, to the fraction of a sample.
        at = here + (first + count / 2 - there) * (1 + stretch)
        heard = played(fine, _FINER * at, stretch, count=count + 2 * reach, step=_FINER)
        alike = np.correlate(heard, frame, "valid")
        best = int((np.abs(alike) if not sign else sign * alike).argmax())
        own = heard[best : best + count]
        if abs(alike[best]) > _FOLLOWED * np.sqrt(np.vdot(frame, frame) * np.vdot(own, own)):
            missed, sign = 0, sign or float(np.sign(alike[best]))
            late = (best - reach + _vertex(np.abs(alike), best)) * (1 + stretch)
            here += late
            stretch += _SPEEDING * late / step
        else:
            missed += 1
        found.append((there, here))
    return found[: len(found) - missed]


def _vertex(values: Reals, best: int) -> float:
    """Where the parabola through the largest value and its neighbours is highest, from the former, in samples."""
    if not 0 < best < len(values) - 1:
        return 0.0
    before, there, after = (float(v) for v in values[best - 1 : best + 2])
    bend = before - 2 * there + after
    return 0.5 * (before - after) / bend if bend < 0 else 0.0
