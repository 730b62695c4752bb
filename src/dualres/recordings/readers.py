"""A file to a recording."""

import csv
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from dualres.errors import RecordingError
from dualres.machinery.rates import Rate, exact_rate
from dualres.recordings.formats import Format, extract, format_of
from dualres.recordings.guard import SHARED, Guard
from dualres.recordings.listing import Array, Listed, choose, printable
from dualres.recordings.ondisk import OnDisk, Stamp
from dualres.recordings.recording import BLOCK, Origin, Recording, Samples, joined, mean_of
from dualres.recordings.remembered import Remembered

_MEASURED = Fraction(1, 1000)  # by how much times may be off
IN_MEMORY = 4 * BLOCK  # samples: a minute at 64 kHz, 16 MiB


def read(
    path: Path | str,
    channel: str | None = None,
    rate: Rate | None = None,
    *,
    remembered: Remembered | None = None,
    guard: Guard = SHARED,
) -> Recording:
    """The recording in a file, every sample of it checked.

    `channel` picks one of several signals, by its full name, by the last dotted part of it, in any letter case where
    that is unique, or by its number: "2" is the second. `rate` in Hz is needed where the file does not say it; strings
    such as "200000/3" and "12.8kHz" are exact. Samples keep the scale of the file: integer formats give counts.
    What neither the arguments nor the file say is as `remembered`, of recordings like this one.

    A signal of more than `IN_MEMORY` samples in WAV, W64, AIFF, FLAC or NPY stays on disk and is read again, in blocks,
    whenever it is used; the file must stay as it is until then. All others are held in memory: what the other formats
    store cannot be had in parts without reading the rest.
    """
    path = Path(path)
    given = None if rate is None else exact_rate(rate)
    sha256, stamp = _digest(path)
    format, listing, begin = _parse(path, channel, guard)
    if begin is None and channel is None and remembered and (channel := remembered.channel_in(listing)):
        format, listing, begin = _parse(path, channel, guard)
    try:
        chosen = choose(listing, channel)
    except ValueError as error:
        raise RecordingError(f"{path}: {error}") from None
    assumed = remembered.rate if remembered and given is None and chosen.rate is None else None
    hz = _rate(path, chosen, given or assumed)
    load: Callable[[], Samples]
    if begin is not None and len(begin) == chosen.length:
        (samples,) = checked(path, [begin])
        load = partial(_held, samples)
    elif begin is not None and len(begin) == BLOCK < chosen.length:
        load = _long(OnDisk(path, stamp, format.name, chosen.name, chosen.length, guard=guard), begin)
    else:
        raise RecordingError(f"{path}: {chosen.name} could not be loaded")
    alone = sum(one.fault is None for one in listing) == 1
    unit = printable(chosen.unit) if chosen.unit else None
    origin = Origin(path, sha256, chosen.name, unit=unit, alone=alone, rate_assumed=assumed is not None)
    return Recording(path.stem, load, hz, origin=origin)


def load(path: Path, channel: str | None, rate: Fraction) -> Samples:
    """The samples that `read` finds; a partial of this reads them when they are needed."""
    return read(path, channel, rate).signal


def signals(path: Path | str, *, guard: Guard = SHARED) -> dict[str, int]:
    """The names of the signals in a file, each with its number of samples; any of them can be a `channel`."""
    path = Path(path)
    _digest(path)
    _, listing, _ = _parse(path, None, guard)
    return {one.name: one.length for one in listing if one.fault is None}


def _long(file: OnDisk, begin: Array) -> Callable[[], Samples]:
    """A signal of several blocks, `begin` the first of them: in memory if it is not too long, else where it is."""
    blocks = checked(file.path, chain([begin], file.vectors(start=len(begin))))
    if file.length <= IN_MEMORY:
        return partial(_held, joined(blocks, file.length))
    return replace(file, path=file.path.absolute(), mean=mean_of(blocks))


def _held(samples: Samples) -> Samples:
    return samples


def _rate(path: Path, chosen: Listed, given: Fraction | None) -> Fraction:
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


def _digest(path: Path) -> tuple[str, Stamp]:
    """The file's SHA-256, and what tells whether it changes later; what cannot be read at all is found out here."""
    try:
        if not path.exists():
            raise RecordingError(f"{path}: there is no such file")
        if not path.is_file():  # a pipe would keep us waiting
            raise RecordingError(f"{path}: is {'a folder' if path.is_dir() else 'not a regular file'}; give a file")
        with path.open("rb") as file:
            stamp = Stamp.of(os.fstat(file.fileno()))
            return hashlib.file_digest(file, "sha256").hexdigest(), stamp
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error


def _parse(path: Path, channel: str | None, guard: Guard) -> tuple[Format, list[Listed], Array | None]:
    """The format, what the file holds, and of the signal that is asked for the first block, or all of it."""
    try:
        format = format_of(path)
    except (ValueError, OSError) as error:
        raise RecordingError(f"{path}: {error}") from error
    if format.library is not None:
        return format, *guard.extract(path, format, channel, stop=BLOCK)
    try:
        return format, *extract(path, format, channel)
    except (ValueError, OSError, MemoryError, csv.Error) as error:
        raise RecordingError(f"{path}: cannot be read as {format.title}: {error}") from error


def checked(path: Path, vectors: Iterable[Array]) -> Iterator[Samples]:
    """Successive blocks of a signal as float32; after the last one, an error unless all are finite and some differ.

    Blocks are held back from the first one on that is not usable.
    """
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
