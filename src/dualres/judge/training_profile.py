"""What the labelled recordings of a model looked like, and what is different about another one."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dualres.errors import MISFIT, ModelFileError
from dualres.kernel.resample import moments
from dualres.recordings.formats.contents import Vector, printable
from dualres.recordings.recording import Recording, Samples, axes_of
from dualres.utils.arrays import Exact
from dualres.utils.rates import exact_rate

SAME_RATE = Fraction(1, 100)  # clocks differ by less, rates that somebody chose by more
# A worn machine is several times as loud as a good one, and an unmet fault may be louder still. The step from g to
# m/s^2 is a factor of 9.8, that from V to mV of 1000.
FAR = 8.0
FAR_SPEED = 1.8  # times beyond the labelled speeds; a search for an unknown speed looks no farther
MOST_NAMES = 8  # names that are more than these tell files apart, and no sensors
POWER = 0.99  # of a signal's power lies within its bandwidth
MARGIN = 1.25  # of the native rate: what resampling leaves above half of it lies near
_TINY = 1e-300

_BY_PLACE = re.compile(r"(?:channel|column|set) \d+|array(?:\[\d+\])?")  # what readers call signals without a name
_UNIT_IN_TITLE = re.compile(r"\s*(?!\[\d+\])[\[(][^\[\]()]*[\])]\s*$")  # x[0] is a place in a matrix
_NUMBER = re.compile(r"\d{2,}")  # of a recording, as in X122_DE_time; sensors have few numbers, of one digit
_ANY = "#"

Range = tuple[float, float]  # the lowest and the highest among recordings


@dataclass(frozen=True)
class Difference:
    """In what a recording is unlike all those that a model learned from."""

    what: str  # rate, unit, channel, level, speed or reading
    here: float | str | None  # in Hz, of the samples' unit, or in rpm; None where the file does not say it
    learned: list[float] | list[str]

    def __str__(self) -> str:
        here, learned = _listed([self.here]), _listed(self.learned)
        if self.what == "rate" and self.here is None:
            return f"no rate in the file, taken as {learned} Hz"
        if self.what == "rate":
            return f"{here} Hz, learned at {learned} Hz"
        if self.what == "level":
            return f"level {here}, learned at {' to '.join(map(_text, self.learned))}"
        if self.what == "speed":
            return f"{here} rpm, learned at {' to '.join(map(_text, self.learned))} rpm{self._other_unit}"
        return f"{self.what} {here}, learned from {learned}" if self.learned else here

    @property
    def _other_unit(self) -> str:
        """The question whether a speed was meant in Hz, where that would be like the labelled ones."""
        low, high = map(float, self.learned)
        rpm = float(self.here or 0)
        return f"; was {rpm:g}Hz meant?" if low / FAR_SPEED <= 60 * rpm <= high * FAR_SPEED else ""


@dataclass(frozen=True)
class TrainingProfile:
    """Names of channels (# for the number of a recording), rates and units, and ranges of how signals looked."""

    channels: tuple[str, ...] = ()
    rates: tuple[Fraction, ...] = ()  # Hz, ascending
    units: tuple[str, ...] = ()
    looks: Mapping[str, Range] = field(default_factory=dict)  # level (rms), crest, bandwidth_hz, seconds, speed_rpm

    @classmethod
    def of(cls, recordings: Iterable[Recording], looks: Mapping[str, Range]) -> "TrainingProfile":
        """From the labelled recordings themselves; none of them is read."""
        every = tuple(axis for one in recordings for axis in axes_of(one))
        return cls(
            _names(every),
            tuple(sorted({one.rate for one in every})),
            tuple(sorted({one.origin.unit for one in every if one.origin.unit})),
            looks,
        )

    @classmethod
    def parsed(cls, data: Mapping[str, Any]) -> "TrainingProfile":
        """As it stands in a card."""
        try:
            channels, units = (tuple(map(str, data.get(name, ()))) for name in ("channels", "units"))
            rates = tuple(map(exact_rate, data.get("rates", ())))
            looks = {str(name): (float(low), float(high)) for name, (low, high) in data.get("looks", {}).items()}
        except MISFIT as error:
            raise ModelFileError(f"learned_from in the model's card cannot be understood ({error})") from error
        return cls(channels, rates, units, looks)

    def as_data(self) -> dict[str, Any]:
        """For a card; what is not known is left out."""
        data: dict[str, Any] = {
            "channels": list(self.channels),
            "rates": list(map(str, self.rates)),
            "units": list(self.units),
            "looks": {name: list(ends) for name, ends in self.looks.items()},
        }
        return {name: value for name, value in data.items() if value}

    @property
    def rate(self) -> Fraction | None:
        """In Hz, where there was one."""
        return self.rates[0] if len(self.rates) == 1 else None

    def channel_in(self, listing: Sequence[Vector]) -> str | None:
        """The only signal of a file that goes by a name that is remembered."""
        met = [one.name for one in listing if one.fault is None and self._knows(one.name)]
        return met[0] if len(met) == 1 else None

    def differences(self, recording: Recording, level: float | None = None) -> tuple[Difference, ...]:
        """What is unlike all that is remembered; `level` is the signal's rms. What is not known is no difference."""
        found, origin, rate = [], recording.origin, recording.rate
        learned = [float(one) for one in self.rates]
        if origin.rate_assumed:
            found.append(Difference("rate", None, learned))
        elif learned and all(abs(rate - one) > SAME_RATE * one for one in self.rates):
            found.append(Difference("rate", float(rate), learned))
        for unit in dict.fromkeys(axis.origin.unit for axis in axes_of(recording)):
            if unit and self.units and _spelled(unit) not in map(_spelled, self.units):
                found.append(Difference("unit", unit, list(self.units)))
        for name in map(_name, axes_of(recording)):
            if name and self.channels and not self._knows(name):
                found.append(Difference("channel", name, list(self.channels)))
        if origin.remark:
            found.append(Difference("reading", origin.remark, []))
        if level is not None and "level" in self.looks:
            low, high = self.looks["level"]
            if not low / FAR <= level <= high * FAR:
                found.append(Difference("level", rounded(level), [low, high]))
        if recording.speed and recording.speed.source == "stated" and "speed_rpm" in self.looks:
            low, high = self.looks["speed_rpm"]
            if not low / FAR_SPEED <= recording.speed.rpm <= high * FAR_SPEED:
                found.append(Difference("speed", rounded(recording.speed.rpm), [low, high]))
        return tuple(found)

    def _knows(self, name: str) -> bool:
        plain = _plain(name)
        patterns = (_NUMBER.pattern.join(map(re.escape, _plain(one).split(_ANY))) for one in self.channels)
        return any(re.fullmatch(pattern, plain) for pattern in patterns) or plain in map(_plain, self.channels)


def rounded(number: float) -> float:
    """To three digits: nobody hears the fourth."""
    return float(f"{number:.3g}")


def _names(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Of the channels; # stands for numbers that differ between files of one channel each."""
    numbered = defaultdict(list)
    for recording in recordings:
        if name := _name(recording):
            numbered[name if _BY_PLACE.fullmatch(name) else _NUMBER.sub(_ANY, name)].append((name, recording.origin))
    found = set()
    for masked, members in numbered.items():
        names, files = {name for name, _ in members}, {(origin.path, name) for name, origin in members}
        one_each = len({path for path, _ in files}) == len(files)
        found |= {masked} if len(names) > 1 and one_each else names
    return tuple(sorted(found)) if len(found) <= MOST_NAMES else ()


def _name(recording: Recording) -> str | None:
    """Of the channel; None where a file holds one signal that nobody named."""
    name = recording.origin.channel
    return None if name is None or (recording.origin.alone and _BY_PLACE.fullmatch(name)) else name


def _plain(name: str) -> str:
    return _UNIT_IN_TITLE.sub("", name).strip().casefold()


def _spelled(unit: str) -> str:
    """The same for m/s^2, m/s² and m/s2."""
    return unit.replace("²", "2").replace("^", "").replace("μ", "µ")


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(_text, values))


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else printable(str(value))


class LevelMeter:
    """The level of a signal whose windows pass by, some at a time."""

    def __init__(self) -> None:
        self._variances: list[float] = []

    def __call__(self, windows: Samples) -> None:
        """Take note of every fourth of half-overlapping windows (n, window): that is enough, and takes no time."""
        self._variances += moments(windows[::4])[1].tolist()

    @property
    def level(self) -> float | None:
        return _rms(self._variances) if self._variances else None


def level(windows: Samples) -> float:
    """The rms of windows (n, window), each around its own mean, since a model sees no offset either."""
    return _rms(moments(windows)[1].tolist())


def crest(windows: Samples) -> float:
    """The largest distance from a window's mean, in rms of all windows (n, window)."""
    largest = max(float(np.abs(window - window.mean(dtype=np.float64)).max()) for window in windows)
    return largest / max(level(windows), _TINY)


def bandwidth(window: Samples, rate: float) -> float:
    """In Hz: below it lies `POWER` of the power of one window at `rate` Hz."""
    return float(bandwidths(window[None], rate, rate)[0])


def bandwidths(windows: Samples, rate: float, native: float, means: Exact | None = None) -> Exact:
    """The same of windows (n, window) made of a signal of `native` Hz; their `means` (n,) may be known: (n,)."""
    samples, every = windows.shape[1], 1
    while 2 * every * native * MARGIN <= rate and samples % (2 * every) == 0:
        every *= 2  # resampling leaves next to nothing above half the native rate, so fewer samples tell all
    means = moments(windows)[0] if means is None else means
    few = np.empty((len(windows), samples // every), np.float32)
    centred = np.subtract(windows[:, ::every], means[:, None], dtype=np.float64)
    np.multiply(centred, _hann(samples, every), out=few, casting="same_kind")
    lines = np.fft.rfft(few)
    power = np.square(lines.real, dtype=np.float64)
    power += np.square(lines.imag, dtype=np.float64)
    np.cumsum(power, axis=1, out=power)
    below = POWER * np.maximum(power[:, -1:], _TINY)
    return np.asarray((power < below).sum(1) * (rate / samples))


@lru_cache(4)
def _hann(samples: int, every: int) -> Exact:
    return np.ascontiguousarray(np.hanning(samples)[::every], np.float64)


def _rms(variances: list[float]) -> float:
    return math.sqrt(sum(variances) / len(variances))
