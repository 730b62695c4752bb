"""A file to a recording."""

import csv
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.formats.contents import Array, Vector, choose_several, printable
from dualres.recordings.formats.registry import FORMATS, Format, format_of, pick
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.recording import (
    BLOCK,
    Blockwise,
    FileDigest,
    FileStamp,
    Origin,
    Recording,
    Samples,
    changed_since,
    joined,
    mean_of,
    no_longer_readable,
    of_axes,
)
from dualres.recordings.remote import fetched, is_address
from dualres.recordings.speed import Speed
from dualres.utils.rates import Rate, exact_rate
from dualres.utils.special_files import unusual

if TYPE_CHECKING:
    from dualres.recordings.frames import Frame
    from dualres.recordings.speed_sources import SpeedKnown

Recorded: TypeAlias = "Recording | Path | str | Frame"  # a recording, or what `read` makes one of
Channel = str | Sequence[str] | None  # a name, several, or none where a file holds one signal
VectorPicker = Callable[[str | None], tuple[list[Vector], Array | None]]  # all vectors of a file, and one by its name


class Usual(Protocol):
    """How recordings like the one to be read usually are, for what a file does not say."""

    @property
    def rate(self) -> Fraction | None:
        """In Hz, where all have the same."""

    def channel_in(self, listing: Sequence[Vector]) -> str | None:
        """The one signal of a file that they would be taken from."""


PACE = 256 << 20  # bytes of a file for which the time that a guard allows is granted once more
_MEASURED = Fraction(1, 1000)  # by how much times may be off
IN_MEMORY = 4 * BLOCK  # samples: a minute at 64 kHz, 16 MiB


def read(
    path: "Path | str | Frame",
    channel: Channel = None,
    rate: Rate | None = None,
    *,
    speed: "SpeedKnown" = None,
    usual: Usual | None = None,
    guard: Guard = SHARED,
) -> Recording:
    """The recording in a file, or in a table in memory, every sample of it checked.

    `channel` picks one of several signals, by its full name, by the last dotted part of it, in any letter case where
    that is unique, or by its number: "2" is the second. Several names, in a list or as "x,y,z", make a recording of
    several axes, which must be equally long and of one rate; "all" stands for all signals of the file. `rate` in Hz is
    needed where the file does not say it; strings such as "200000/3" and "12.8kHz" are exact. Samples keep the scale of
    the file: integer formats give counts. What neither the arguments nor the file say is as `usual`. `speed` is that of
    the shaft, a number of rpm or a text such as "29.95Hz", where the file states none.

    A signal of more than `IN_MEMORY` samples in WAV, W64, AIFF, FLAC or NPY stays on disk and is read again, in blocks,
    whenever it is used; the file must stay as it is until then. All others are held in memory.

    A text such as "s3://bucket/pump.wav" is an address, from which fsspec fetches the file.

    A table is pandas' DataFrame or Series, or xarray's DataArray or Dataset: one column for each axis, all of which are
    taken where no `channel` is chosen. Its rate is `attrs["rate"]` or `attrs["hz"]`, or that of an index of moments, of
    time differences, or of seconds as floating-point numbers.
    """
    from dualres.recordings.speed_sources import SpeedSources

    if is_address(path):
        found = _read_elsewhere(str(path), channel, rate, usual=usual, guard=guard)
    elif isinstance(path, Path | str):
        found = _read_file(Path(path), channel, rate, usual=usual, guard=guard)
    else:
        from dualres.recordings.frames import is_frame, read_frame

        if not is_frame(path):
            kind = type(path).__name__
            raise RecordingError(
                f"a {kind} is neither the path of a file nor a table that can be read; make a recording of an array "
                "by Recording.from_array, or by Recording.from_axes"
            )
        found = read_frame(path, channel, rate, usual)
        if isinstance(speed, SpeedSources) and (speed.tacho or speed.channel):
            raise RecordingError(f"{found.id}: a speed is measured by a channel of files only; state it (speed=1500)")
    return found if speed is None else SpeedSources.of(speed).known(found, lambda whole: whole)


def _read_elsewhere(
    address: str, channel: Channel, rate: Rate | None, *, usual: Usual | None, guard: Guard
) -> Recording:
    copy = fetched(address)
    try:
        return _read_file(copy, channel, rate, usual=usual, guard=guard)
    except RecordingError as error:
        raise RecordingError(str(error).replace(str(copy), printable(address))) from None


def _read_file(path: Path, channel: Channel, rate: Rate | None, *, usual: Usual | None, guard: Guard) -> Recording:
    given = None if rate is None else exact_rate(rate)
    stamp = _stamp(path)
    digest = FileDigest(path.absolute(), stamp)
    format, pick_one = opened(path, guard)
    listing, begin = pick_one(channel if isinstance(channel, str) else None)
    if begin is None and channel is None and usual and (channel := usual.channel_in(listing)):
        listing, begin = pick_one(channel)
    try:
        chosen = choose_several(listing, channel)
    except ValueError as error:
        raise RecordingError(f"{path}: {error}") from None
    alone, each = sum(one.fault is None for one in listing) == 1, []
    for one in chosen:
        if len(chosen) > 1 or begin is None:
            _, begin = pick_one(one.name)
        file = OnDisk(path, stamp, format.name, one.name, one.length, guard=guard)
        assumed = usual.rate if usual and given is None and one.rate is None else None
        try:
            hz, load = _rate(path, one, given or assumed), _loaded(file, begin)
        except RecordingError as error:
            if len(chosen) == 1:
                raise
            raise RecordingError(f"{path}: {one.name}: {str(error).removeprefix(f'{path}: ')}") from error
        unit = printable(one.unit) if one.unit else None
        origin = Origin(path, digest, one.name, None, unit, alone, assumed is not None, one.remark)
        own = Speed((one.speed_hz,)) if one.speed_hz else None
        each.append(Recording(path.stem, load, hz, origin=origin, speed=own))
    return each[0] if len(each) == 1 else replace(of_axes(each, str(path)), id=path.stem)


def load(path: Path, channel: str | None, rate: Fraction) -> Samples:
    """The samples that `read` finds; a partial of this reads them when they are needed."""
    return read(path, channel, rate).signal


def read_again(path: Path, channel: Channel, rate: Fraction, *, before: FileDigest | None) -> Recording:
    """What was read before; an error where the file is another one now, or becomes one while it is read."""
    again = read(path, channel, rate)
    now = again.origin.digest
    if before and isinstance(now, FileDigest) and now.stamp != before.stamp:
        raise changed_since(path)
    refuse_swapped(again)
    return again


def load_again(path: Path, channel: str | None, rate: Fraction, before: FileDigest | None) -> Samples:
    """The samples of it; a partial of this reads them when they are needed."""
    return read_again(path, channel, rate, before=before).signal


def refuse_swapped(one: Recording, within: Path | None = None) -> None:
    """An error where the file is another one now than was read, or a link that leads out of a folder."""
    path, digest = one.origin.path, one.origin.digest
    if path is None or not isinstance(digest, FileDigest):
        return
    refuse_outside(path, within)
    try:
        now = FileStamp.of(path.stat())
    except OSError as error:
        raise no_longer_readable(path, error) from None
    if now != digest.stamp:
        raise changed_since(path)


def refuse_outside(path: Path, within: Path | None) -> None:
    """An error for a link that leads out of a folder, or to another file than it did."""
    if within and not _lies_within(path, str(within)):
        raise RecordingError(f"{path}: is a link that leads out of the folder {within}; give one above it")


def _lies_within(path: Path, folder: str) -> bool:
    real = os.path.realpath(path)
    return real == folder or real.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def signals(path: Path | str, *, guard: Guard = SHARED) -> dict[str, int]:
    """The names of the signals in a file, each with its number of samples; any of them can be a `channel`."""
    path = Path(path)
    _stamp(path)
    listing, _ = opened(path, guard)[1](None)
    return {one.name: one.length for one in listing if one.fault is None}


@dataclass(frozen=True)
class OnDisk(Blockwise):
    """A vector in a file, read through a guard. It can be sent to other processes, which read the file themselves."""

    path: Path
    stamp: FileStamp
    format: str  # a name of FORMATS
    channel: str  # the vector's full name
    length: int  # samples
    mean: float = float("nan")
    guard: Guard = field(default=SHARED, repr=False, compare=False)

    def blocks(self) -> Iterator[Samples]:
        return (vector.astype(np.float32, copy=False) for vector in self.vectors())

    def vectors(self, start: int = 0) -> Iterator[Array]:
        """Successive blocks of `BLOCK` samples in the file's own type, from sample `start` on."""
        format = FORMATS[self.format]
        # Few bytes can stand for samples without end, so the file's size says how long it may take.
        allowed_s, spent_s = self.guard.seconds * (1 + self.stamp.size / PACE), 0.0
        for first in range(start, self.length, BLOCK):
            begin = time.monotonic()
            try:
                _, vector = self.guard.extract(self.path, format, self.channel, start=first, stop=first + BLOCK)
            except RecordingError:
                self._check_unchanged()
                raise
            self._check_unchanged()
            if vector is None or len(vector) != min(BLOCK, self.length - first):
                raise RecordingError(f"{self.path}: {self.channel} could not be loaded from sample {first} on")
            spent_s += time.monotonic() - begin
            if spent_s > allowed_s:
                raise RecordingError(
                    f"{self.path}: cannot be read as {format.title}: it was not done after {allowed_s:.3g} s; "
                    "the file is damaged or too large"
                )
            yield vector

    def _check_unchanged(self) -> None:
        try:
            now = FileStamp.of(self.path.stat())
        except OSError as error:
            raise no_longer_readable(self.path, error) from None
        if now != self.stamp:
            raise changed_since(self.path)


def _loaded(file: OnDisk, begin: Array | None) -> Callable[[], Samples]:
    """How to load a signal of which `begin` is the first block, or all of it; a long one stays where it is."""
    if begin is not None and len(begin) == file.length:
        (samples,) = checked(file.path, [begin])
        return partial(held, samples)
    if begin is None or not len(begin) == BLOCK < file.length:
        raise RecordingError(f"{file.path}: {file.channel} could not be loaded")
    blocks = checked(file.path, chain([begin], file.vectors(start=BLOCK)))
    if file.length <= IN_MEMORY:
        return partial(held, joined(blocks, file.length))
    return replace(file, path=file.path.absolute(), mean=mean_of(blocks))


def held(samples: Samples) -> Samples:
    """Samples in memory, as what loads them; a partial of this can be sent to other processes."""
    return samples


def _rate(path: Path, chosen: Vector, given: Fraction | None) -> Fraction:
    """A given rate holds where the file says none, and where it says one by rounded times that are nearly the same."""
    note = printable(chosen.note or "")
    if chosen.rate is None and given is None:
        reason = note or "the file does not say its sampling rate"
        raise RecordingError(f"{path}: {reason}; give it in Hz (rate=..., --rate)")
    rate = chosen.rate or given
    assert rate
    if given is None or rate == given:
        return rate
    if not note or abs(given - rate) > _MEASURED * rate:
        said = f"{float(rate):.10g} Hz {note}" if note else f"{rate} Hz"
        raise RecordingError(f"{path}: the file says {said}, but rate={given} was given; leave it out or correct it")
    return given


def _stamp(path: Path) -> FileStamp:
    """By what a later change is noticed; an error for a file that cannot be read at all."""
    if reason := unusual(path):
        raise RecordingError(f"{path}: {reason}")
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            return FileStamp.of(os.fstat(descriptor))
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise RecordingError(f"{path}: there is no such file") from error
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error


def opened(path: Path, guard: Guard) -> tuple[Format, VectorPicker]:
    """The format, and what finds a signal by its name: its first block, or all of it. Text is parsed once."""
    try:
        format = format_of(path)
    except (ValueError, OSError) as error:
        raise RecordingError(f"{path}: {error}") from error
    if format.library is not None:
        return format, partial(guard.extract, path, format, stop=BLOCK)
    with _text_errors(path, format):
        contents = format.parse(path)

    def pick_one(channel: str | None) -> tuple[list[Vector], Array | None]:
        with _text_errors(path, format):
            return pick(contents, channel)

    return format, pick_one


@contextmanager
def _text_errors(path: Path, format: Format) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, MemoryError, csv.Error) as error:
        raise RecordingError(f"{path}: cannot be read as {format.title}: {error}") from error


def checked(path: Path | str, vectors: Iterable[Array]) -> Iterator[Samples]:
    """Blocks of a signal as float32, up to the first bad one; then an error unless all are finite and some differ."""
    count: Counter[str] = Counter()
    first: dict[str, int] = {}
    low, high, length = np.float32(np.inf), np.float32(-np.inf), 0
    for vector in vectors:
        if vector.dtype.kind == "f" and not np.isfinite(vector).all():
            for name, wrong in (("NaN", np.isnan(vector)), ("infinite", np.isinf(vector))):
                if wrong.any():
                    count[name] += int(np.count_nonzero(wrong))
                    first.setdefault(name, length + int(np.argmax(wrong)))
        elif not count:
            with np.errstate(over="ignore"):
                samples = vector.astype(np.float32, copy=False)
            low, high = min(low, samples.min()), max(high, samples.max())
            if np.isfinite(low) and np.isfinite(high):
                yield samples
        length += len(vector)
    for name in ("NaN", "infinite"):
        if name in count:
            raise RecordingError(
                f"{path}: {count[name]} of {length} samples are {name}, the first is number {first[name]}; "
                "repair or leave out the recording"
            )
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RecordingError(f"{path}: it has samples beyond 3.4e38, the range of float32; scale the recording")
    if low == high:
        raise RecordingError(
            f"{path}: the signal is constant, all {length} samples are {low:g}; was the sensor connected?"
        )
