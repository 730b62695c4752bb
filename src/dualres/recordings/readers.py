"""A file to a recording."""

from __future__ import annotations

import csv
import hashlib
from fractions import Fraction
from pathlib import Path

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.formats import SUFFIXES, Format, extract, format_of
from dualres.recordings.guard import SHARED, Guard
from dualres.recordings.listing import Array, Listed, choose
from dualres.recordings.recording import Origin, Rate, Recording, Samples, exact_rate

__all__ = ["SUFFIXES", "read", "signals"]


def read(path: Path | str, channel: str | None = None, rate: Rate | None = None, *, guard: Guard = SHARED) -> Recording:
    """The recording in a file, held in memory.

    `channel` picks one of several signals, by its full name or by the last dotted part of it. `rate` in Hz is needed
    where the format does not carry it; a string such as "200000/3" is exact. Samples keep the scale of the file:
    integer formats give counts.
    """
    path = Path(path)
    given = None if rate is None else exact_rate(rate)
    sha256 = _digest(path)
    listing, vector = _parse(path, channel, guard)
    try:
        chosen = choose(listing, channel)
    except ValueError as error:
        raise RecordingError(f"{path}: {error}") from None
    if vector is None or len(vector) != chosen.length:
        raise RecordingError(f"{path}: {chosen.name} could not be loaded")
    samples = _samples(path, vector)
    origin = Origin(path, sha256, chosen.name)
    return Recording(path.stem, lambda: samples, _rate(path, chosen, given), origin=origin)


def signals(path: Path | str, *, guard: Guard = SHARED) -> dict[str, int]:
    """The names of the signals in a file, each with its number of samples; any of them can be a `channel`."""
    path = Path(path)
    _digest(path)
    listing, _ = _parse(path, None, guard)
    return {one.name: one.length for one in listing if one.fault is None}


def _rate(path: Path, chosen: Listed, given: Fraction | None) -> Fraction:
    rate = chosen.rate or given
    if rate is None:
        raise RecordingError(f"{path}: the file does not say its sampling rate; give it in Hz (rate=..., --rate)")
    if given is not None and rate != given:
        raise RecordingError(f"{path}: the file says {rate} Hz, but rate={given} was given; leave it out or correct it")
    return rate


def _digest(path: Path) -> str:
    """The file's SHA-256; what cannot be read at all is found out here."""
    try:
        if not path.exists():
            raise RecordingError(f"{path}: there is no such file")
        if not path.is_file():  # a pipe would keep us waiting
            raise RecordingError(f"{path}: is {'a folder' if path.is_dir() else 'not a regular file'}; give a file")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from error


def _parse(path: Path, channel: str | None, guard: Guard) -> tuple[list[Listed], Array | None]:
    format = _format(path)
    if format.library is not None:
        return guard.extract(path, format, channel)
    try:
        return extract(path, format, channel)
    except (ValueError, OSError, MemoryError, csv.Error) as error:
        raise RecordingError(f"{path}: cannot be read as {format.title}: {error}") from error


def _format(path: Path) -> Format:
    try:
        return format_of(path)
    except (ValueError, OSError) as error:
        raise RecordingError(f"{path}: {error}") from error


def _samples(path: Path, vector: Array) -> Samples:
    """float32, finite, and with something in it."""
    if vector.dtype.kind == "f" and not np.isfinite(vector).all():
        for name, wrong in (("NaN", np.isnan(vector)), ("infinite", np.isinf(vector))):
            if wrong.any():
                count, first = int(np.count_nonzero(wrong)), int(np.argmax(wrong))
                raise RecordingError(
                    f"{path}: {count} of {len(vector)} samples are {name}, the first is number {first}; "
                    "repair or leave out the recording"
                )
    with np.errstate(over="ignore"):
        samples = vector.astype(np.float32, copy=False)
    if not np.isfinite(samples).all():
        raise RecordingError(f"{path}: it has samples beyond 3.4e38, the range of float32; scale the recording")
    if samples.min() == samples.max():
        raise RecordingError(
            f"{path}: the signal is constant, all {len(samples)} samples are {samples[0]:g}; was the sensor connected?"
        )
    return samples
