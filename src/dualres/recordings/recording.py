"""One signal, or several aligned ones, with what is known about it."""

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dualres.errors import ConfigError, RecordingError
from dualres.kernel.resample import total
from dualres.recordings.speed import Speed, SpeedGiven, given_speed
from dualres.utils.rates import Rate, exact_rate

Samples = npt.NDArray[np.float32]

BANDS = 60  # of the spectrum in a recording's facts
BLOCK = 1 << 20  # samples that are read, checked and summed at a time


@dataclass(frozen=True)
class Segment:
    """From one second of a file to another."""

    start_s: float = 0.0
    end_s: float | None = None  # None for the file's end

    def __str__(self) -> str:
        return f"{self.start_s:.12g} s to {'the end' if self.end_s is None else f'{self.end_s:.12g} s'}"

    def overlaps(self, other: "Segment") -> bool:
        own, others = (math.inf if one.end_s is None else one.end_s for one in (self, other))
        return self.start_s < others and other.start_s < own


@dataclass(frozen=True)
class FileStamp:
    """By what a file is known again without reading it."""

    size: int  # bytes
    changed_ns: int
    inode: int  # another one for another file, even where size and time were made to fit

    @classmethod
    def of(cls, status: os.stat_result) -> "FileStamp":
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


@dataclass(frozen=True)
class FileDigest:
    """The hash of a file that was read, computed where somebody asks for it."""

    path: Path
    stamp: FileStamp  # of the file when it was read

    @cached_property
    def sha256(self) -> str:
        """An error where the file is another one than was read."""
        import hashlib

        try:
            with self.path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
                now = FileStamp.of(os.fstat(file.fileno()))
        except OSError as error:
            raise no_longer_readable(self.path, error) from None
        if now != self.stamp:
            raise changed_since(self.path)
        return found


def no_longer_readable(path: Path, error: OSError) -> RecordingError:
    return RecordingError(f"{path}: can no longer be read ({error.strerror}); put it back or leave it out")


def changed_since(path: Path) -> RecordingError:
    return RecordingError(f"{path}: has changed since it was first read; read it again")


@dataclass(frozen=True)
class Origin:
    """Where a signal came from."""

    path: Path | None = None  # the file, None for one that was computed
    digest: str | FileDigest | None = None  # of the file as released, or how to compute it
    channel: str | None = None
    part: Segment | None = None  # None for the whole file
    unit: str | None = None  # of the samples, where the file says so
    alone: bool = False  # whether the file holds no other signal
    rate_assumed: bool = False  # whether somebody else said the rate, and the file none
    remark: str | None = None  # on how the file was read, where it is odd

    @property
    def sha256(self) -> str | None:
        """Of the file as released; it is hashed when this is first asked for."""
        return self.digest.sha256 if isinstance(self.digest, FileDigest) else self.digest


class Blockwise(ABC):
    """A way to load samples that need not be in memory all at once."""

    length: int  # samples
    mean: float  # of all of them, as `mean_of`

    @abstractmethod
    def blocks(self) -> Iterator[Samples]:
        """The samples from the first to the last, `BLOCK` at a time; the last block may be shorter."""

    def __call__(self) -> Samples:
        return joined(self.blocks(), self.length)


@dataclass(frozen=True)
class Recording:
    """A vibration signal at its native rate.

    The samples are loaded when `signal` is asked for and not kept, so that thousands of recordings cost no memory.
    Where `load` is `Blockwise`, `blocks`, `length` and `mean` hold a few blocks at most; elsewhere each of them loads
    the array again. A recording of several `axes`, each a signal of one rate and length, has no signal of its own:
    `from_axes` and `of_axes` make one, and `axes_of` gives its signals.
    """

    id: str
    load: Callable[[], Samples] = field(repr=False, compare=False)
    rate: Fraction  # Hz, exact
    label: str | None = None
    component: str | None = None  # the physical unit: a bearing, a gearbox case
    condition: Mapping[str, str] = field(default_factory=dict)  # speed, load, repeat ...
    origin: Origin = field(default_factory=Origin)
    axes: tuple["Recording", ...] = ()  # none for a single signal
    speed: Speed | None = None  # of the shaft, where anybody or anything says it
    speedless: bool = False  # whether it is learned from and judged without a speed, even where one could be found

    def __post_init__(self) -> None:
        if self.rate <= 0:
            raise RecordingError(f"{self.id}: the sampling rate is {self.rate} Hz; give a positive one")
        # What is known of the whole is known of each axis, also after `replace`.
        known = {name: getattr(self, name) for name in ("id", "label", "component", "condition", "speed", "speedless")}
        object.__setattr__(self, "axes", tuple(replace(axis, **known) for axis in self.axes))

    @classmethod
    def from_array(
        cls,
        signal: npt.ArrayLike,
        rate: Rate,
        id: str = "array",
        label: str | None = None,
        *,
        speed: SpeedGiven | None = None,
    ) -> "Recording":
        """A recording of samples already in memory; `rate` in Hz may be a string such as "200000/3", and `speed` a
        number of rpm or a text such as "29.95Hz"."""
        samples = np.asarray(signal, dtype=np.float32)
        return cls(id=id, load=lambda: samples, rate=exact_rate(rate), label=label, speed=given_speed(speed))

    @classmethod
    def from_axes(
        cls,
        signals: Mapping[str, npt.ArrayLike],
        rate: Rate,
        id: str = "array",
        label: str | None = None,
        *,
        speed: SpeedGiven | None = None,
    ) -> "Recording":
        """A recording of several aligned signals in memory, by the names of their axes; `rate` and `speed` as for
        `from_array`."""
        axes = [replace(cls.from_array(one, rate, id), origin=Origin(channel=name)) for name, one in signals.items()]
        return replace(of_axes(axes, id), label=label, speed=given_speed(speed))

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the axes, where there are several; those without a name go by their numbers, from 1."""
        return tuple(axis.origin.channel or str(number) for number, axis in enumerate(self.axes, start=1))

    @property
    def speed_told(self) -> bool:
        """Whether somebody states the speed of its shaft, or something measured it, and it is to be used."""
        return self.speed is not None and self.speed.source != "estimated" and not self.speedless

    @property
    def signal(self) -> Samples:
        """The samples: float32, 1-D, finite."""
        return self.signal_and_mean()[0]

    def signal_and_mean(self) -> tuple[Samples, float]:
        """`signal` and `mean`, for which the samples are read once."""
        samples = self._array()
        mean = mean_of(sliced(samples, BLOCK))
        if not math.isfinite(mean):
            raise self._has_bad(_not_finite(samples))
        return samples, mean

    def blocks(self, samples: int = BLOCK) -> Iterator[Samples]:
        """The signal, or views of it, in blocks of `samples`, the last one perhaps shorter: float32, 1-D, finite."""
        if samples < 1:
            raise ConfigError(f"a block of {samples} samples is none; give a positive number")
        if isinstance(self.load, Blockwise):
            blocks = regrouped(self.load.blocks(), min(samples, self.load.length))
        else:
            blocks = sliced(self._array(), samples)
        for block in blocks:
            if not math.isfinite(total(block)):  # the rest is counted for the message
                raise self._has_bad(sum(map(_not_finite, chain([block], blocks))))
            yield block

    @property
    def length(self) -> int:
        """Samples."""
        if self.axes:
            return self.axes[0].length
        return self.load.length if isinstance(self.load, Blockwise) else len(self._array())

    @property
    def mean(self) -> float:
        """Of all samples, summed in float64; the same to the last bit however the samples are loaded."""
        return self.load.mean if isinstance(self.load, Blockwise) else self.signal_and_mean()[1]

    def _repr_html_(self) -> str:
        from dualres.recordings.notebook import recording_html

        return recording_html(self)

    def _array(self) -> Samples:
        if self.axes:
            raise RecordingError(
                f"{self.id}: has {len(self.axes)} axes ({', '.join(self.channels)}), and one signal is needed here; "
                "choose one of them by its name (channel=..., --channel)"
            )
        samples = self.load()
        if samples.ndim != 1:
            raise RecordingError(f"{self.id}: one channel is needed, but the array has shape {samples.shape}")
        if samples.size == 0:
            raise RecordingError(f"{self.id}: there are no samples in it")
        return samples

    def _has_bad(self, samples: int) -> RecordingError:
        return RecordingError(f"{self.id}: {samples} samples are NaN or infinite; repair or leave out the recording")


def of_axes(axes: Sequence[Recording], id: str, *, aligned: bool = False) -> Recording:
    """One recording of several signals in that order, known as the first is; `aligned` ones are not compared."""
    if len(axes) < 2:
        raise RecordingError(f"{id}: {len(axes)} signals were given; a recording of several axes has two or more")
    first = axes[0]
    for axis in () if aligned else axes[1:]:
        if axis.rate != first.rate or axis.length != first.length:
            one, other = (
                f"{each.origin.channel or 'a signal'} ({each.length} samples at {float(each.rate):.10g} Hz)"
                for each in (first, axis)
            )
            raise RecordingError(
                f"{id}: {one} and {other} are not aligned; choose signals of one rate and one length (channel=..., "
                "--channel)"
            )
    origin = replace(first.origin, channel=None, part=None)
    whole = replace(first, id=id, load=_no_samples, axes=tuple(axes), origin=origin)
    names = whole.channels
    if len(set(names)) < len(names):
        raise RecordingError(
            f"{id}: two axes are called {max(names, key=names.count)}; every axis needs a name of its own"
        )
    return replace(whole, origin=replace(first.origin, channel=",".join(names)))


def _no_samples() -> Samples:
    return np.empty(0, np.float32)


def axes_of(recording: Recording) -> tuple[Recording, ...]:
    """The single signals of a recording: its axes, or itself."""
    return recording.axes or (recording,)


@dataclass(frozen=True)
class RecordingFacts:
    """A recording in a few numbers."""

    samples: int
    seconds: float
    mean: float
    rms: float  # around the mean
    crest: float  # largest distance from the mean, in rms
    # Log power of equal bands up to half the rate: 0 for the weakest, 1 for the strongest; none of a few samples.
    spectrum: tuple[float, ...]


def facts_of(recording: Recording) -> RecordingFacts:
    """In one pass over blocks; the spectrum is the mean over blocks, of up to `BLOCK` samples that of the signal."""
    mean, samples, squares, largest = recording.mean, 0, 0.0, 0.0
    power, blocks = np.zeros(BANDS if recording.length > 2 * BANDS else 0), 0
    for block in recording.blocks():
        centred = block.astype(np.float64) - mean
        squares += float(centred @ centred)
        largest = max(largest, float(np.abs(centred).max()))
        if len(power) and (not blocks or len(block) == BLOCK):  # a short rest has other lines, and too few
            lines = np.abs(np.fft.rfft(centred * np.hanning(len(centred)))) ** 2
            power += [band.mean() for band in np.array_split(lines[1:], BANDS)]
            blocks += 1
        samples += len(block)
    rms = math.sqrt(squares / samples)
    if not blocks:
        return RecordingFacts(samples, float(samples / recording.rate), mean, rms, largest / rms, ())
    level = np.log10(np.maximum(power / blocks, np.finfo(np.float64).tiny))
    scaled = (level - level.min()) / max(float(np.ptp(level)), 1e-12)
    return RecordingFacts(samples, float(samples / recording.rate), mean, rms, largest / rms, tuple(scaled.tolist()))


def sliced(signal: Samples, samples: int) -> Iterator[Samples]:
    """Successive views of `samples` samples; the last one may be shorter."""
    return (signal[start : start + samples] for start in range(0, len(signal), samples))


def regrouped(blocks: Iterable[Samples], samples: int) -> Iterator[Samples]:
    """The same samples in blocks of another size; the last one may be shorter."""
    filled = 0
    for block in blocks:
        rest = block
        while rest.size:
            if not filled and len(rest) >= samples:
                yield rest[:samples]
                rest = rest[samples:]
                continue
            if not filled:
                buffer = np.empty(samples, np.float32)
            taken = rest[: samples - filled]
            buffer[filled : filled + len(taken)] = taken
            filled, rest = filled + len(taken), rest[len(taken) :]
            if filled == samples:
                yield buffer
                filled = 0
    if filled:
        yield buffer[:filled]


def joined(blocks: Iterable[Samples], length: int) -> Samples:
    """One signal of `length` samples from its blocks."""
    (signal,) = regrouped(blocks, length)
    return signal


def mean_of(blocks: Iterable[Samples]) -> float:
    """The mean of a signal that comes in blocks of `BLOCK` samples; NaN if a sample is not finite."""
    length, sums = 0, []
    for block in blocks:
        length += len(block)
        sums.append(total(block))
    return math.fsum(sums) / length if all(map(math.isfinite, sums)) else math.nan


def _not_finite(samples: Samples) -> int:
    return int(np.count_nonzero(~np.isfinite(samples)))
