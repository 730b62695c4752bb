"""The vectors a file holds, by name, what is known of them, and the choice among them."""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Load = Callable[[], Array]

TIME = "t"  # the kind of a vector that is time
ALL = "all"  # the channel that stands for all signals of a file
FORMULA = "F"  # the kind of a column of formulas that nobody computed

# What the process that parses says: that it is ready, and before each answer its bytes of header and of samples.
READY = b"!"
SIZES = struct.Struct("<IQ")

MOST_VECTORS = 10_000  # of a file
_LISTED_IN_A_MESSAGE = 20


@dataclass(frozen=True)
class Vector:
    """A vector in a file, as far as one knows it without loading it."""

    name: str
    length: int  # samples
    kind: str  # as in numpy.dtype.kind: i, u and f are numbers; or TIME, or FORMULA
    rate: Fraction | None = None  # Hz, where the file says so
    note: str | None = None  # by what it says so, where that is measured; or why it does not, though it has the time
    unit: str | None = None  # of its samples, where the file says so
    speed_hz: float | None = None  # revolutions per second of the shaft, where the file says so
    remark: str | None = None  # on how it was read, where its file is odd

    @property
    def fault(self) -> str | None:
        """Why this cannot be a signal, if so."""
        if self.kind == "c":
            return "is complex; save its real part or its magnitude"
        if self.kind == TIME:
            return "is time, and no signal"
        if self.kind == FORMULA:
            return "holds formulas without values; open the file in a spreadsheet program and save it"
        if self.kind not in "iuf":
            return "holds something other than numbers"
        if self.length < 2:
            return "holds no samples" if self.length == 0 else "holds a single sample"
        return None


@dataclass(frozen=True)
class VectorSlice:
    """How to load some samples of a vector without the others."""

    load: Callable[[int, int], Array]  # the first, and the one after the last


Contents = dict[Vector, Load | VectorSlice]


def choose(listing: Sequence[Vector], channel: str | None) -> Vector:
    """The vector that is asked for, or the only signal there is.

    `channel` is a full name, the last part of one, either of them in other letter case, or 2 for the second signal.
    """
    signals = [one for one in listing if one.fault is None]
    if channel is None:
        found = signals or (list(listing) if len(listing) == 1 else [])
    else:
        number = int(channel) if channel.isascii() and channel.isdigit() and len(channel) < 9 else 0  # from 1
        found = _called(listing, channel) or (signals[number - 1 : number] if number else [])
    if len(found) == 1:
        if found[0].fault:
            raise ValueError(f"{printable(found[0].name)} {found[0].fault}")
        return found[0]
    if not signals:
        raise ValueError(f"there is no signal in it{_enumerate([f'{one.name} {one.fault}' for one in listing])}")
    there_is = _enumerate([f"{one.name} ({one.length} samples)" for one in found or signals])
    if channel is None:
        matched = f"are {len(signals)} signals"
    else:
        matched = f"is {len(found)} signals called {channel}" if found else f"is no signal called {channel}"
    raise ValueError(f'there {matched} in it; choose one by its name (channel="...", --channel){there_is}')


def choose_several(listing: Sequence[Vector], channel: str | Sequence[str] | None) -> list[Vector]:
    """The vectors that are asked for: `choose`'s one, those of a list or of a text such as "x,y", or for "all" all."""
    if channel is not None and not isinstance(channel, str):
        return [choose(listing, name) for name in channel]
    try:
        return [choose(listing, channel)]
    except ValueError:
        signals = [one for one in listing if one.fault is None]
        if channel and channel.casefold() == ALL and signals:
            return signals
        names = [name for name in map(str.strip, (channel or "").replace(";", ",").split(",")) if name]
        if len(names) < 2:
            raise
        return [choose(listing, name) for name in names]


def in_plain_numbers(vector: Array) -> Array:
    """In one piece, in this machine's byte order, of a size that every machine has."""
    if vector.dtype.kind == "f" and vector.itemsize not in (4, 8):
        vector = vector.astype("f4" if vector.itemsize < 4 else "f8")
    return np.ascontiguousarray(vector, vector.dtype.newbyteorder("="))


def _called(listing: Sequence[Vector], channel: str) -> list[Vector]:
    for fold in (str, str.casefold):
        wanted = fold(channel)
        full = [one for one in listing if fold(one.name) == wanted]
        if found := full or [one for one in listing if fold(one.name.rpartition(".")[2]) == wanted]:
            return found
    return []


@dataclass(frozen=True)
class LazyArray:
    shape: tuple[int, ...]
    kind: str
    load: Load


def columns(name: str, array: LazyArray) -> Iterator[tuple[Vector, Load]]:
    """A vector as it is; a matrix as its columns, or as its rows where those are longer."""
    upright = array.shape[0] >= array.shape[-1]
    for i, one in enumerate(listed(name, array.shape, array.kind)):
        yield one, array.load if len(array.shape) == 1 else partial(column, array.load, upright, i)


def listed(name: str, shape: tuple[int, ...], kind: str) -> list[Vector]:
    """The vectors that an array of this shape is taken for; none if it has more than two dimensions."""
    if len(shape) == 1:
        return [Vector(name, shape[0], kind)]
    return [Vector(f"{name}[{i}]", max(shape), kind) for i in range(min(shape))] if len(shape) == 2 else []


def column(load: Load, upright: bool, i: int) -> Array:
    column: Array = load()[:, i] if upright else load()[i]
    return column


def rate_of(step: float, digits: int) -> Fraction | None:
    """The rate in Hz that a step in s, written with that number of significant digits, stands for.

    1/48000 s is no finite decimal, so the simplest rate whose step is written the same is the one that was meant.
    None for a step that no sensor takes: formats write 0 where they know none.
    """
    if not 1e-12 < step < 1e6:
        return None
    exact = 1 / Fraction(repr(step))
    for largest in (1, 10, 1000):
        rate = exact.limit_denominator(largest)
        if rate and f"{float(1 / rate):.{digits - 1}e}" == f"{step:.{digits - 1}e}":
            return rate
    return exact


def printable(text: str) -> str:
    """Fit for a message: what a file says must not steer a terminal, nor fill it."""
    return "".join(character if character.isprintable() else "?" for character in text[:300])


def _enumerate(items: list[str]) -> str:
    more = f" and {len(items) - _LISTED_IN_A_MESSAGE} more" if len(items) > _LISTED_IN_A_MESSAGE else ""
    return f": {', '.join(map(printable, items[:_LISTED_IN_A_MESSAGE]))}{more}" if items else ""
