"""Any segment of a signal, to look at and not to judge: the whole of it is neither read nor checked."""

from collections import OrderedDict
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from threading import Lock

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.formats.contents import Array, Vector, printable
from dualres.recordings.formats.registry import Format
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.readers import opened
from dualres.recordings.recording import BLOCK, Samples
from dualres.utils.special_files import unusual

WHOLE = 1 << 20  # samples: a signal up to this length is read in one go


@dataclass(frozen=True)
class SignalPreview:
    """One signal of a file, of which any segment can be had."""

    path: Path
    format: Format
    listed: Vector
    guard: Guard = field(default=SHARED, repr=False, compare=False)

    @property
    def name(self) -> str:
        return printable(self.listed.name)

    @property
    def length(self) -> int:
        """Samples."""
        return self.listed.length

    @property
    def rate(self) -> Fraction | None:
        """Hz, where the file says so."""
        return self.listed.rate

    def samples(self, first: int, last: int) -> Samples:
        """From sample `first` up to `last`, float32; what is not finite in the file is not finite here."""
        first, last = max(0, min(first, self.length)), max(0, min(last, self.length))
        blocks = [self._block(at, min(at + BLOCK, last)) for at in range(first, last, BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty(0, np.float32)

    def _block(self, first: int, last: int) -> Samples:
        if self.format.library is None or self.length <= WHOLE:
            return _WHOLE.get(self)[first:last]
        _, vector = self.guard.extract(self.path, self.format, self.listed.name, start=first, stop=last)
        if vector is None:
            raise RecordingError(f"{self.path}: {self.name} could not be loaded from sample {first} on")
        if len(vector) == self.length:  # of this format there are no parts
            return _WHOLE.keep(self, vector)[first:last]
        return _float32(vector)


def previews_of(path: Path, *, guard: Guard = SHARED) -> list[SignalPreview]:
    """The signals of a file, in its order; none of their samples is checked."""
    if strange := unusual(path):
        raise RecordingError(f"{path}: {strange}")
    format, pick_one = opened(path, guard)
    listing, _ = pick_one(None)
    found = [SignalPreview(path, format, one, guard) for one in listing if one.fault is None]
    if not found:
        raise RecordingError(f"{path}: there is no signal in it")
    return found


def _float32(vector: Array) -> Samples:
    with np.errstate(over="ignore"):
        return vector.astype(np.float32, copy=False)


class _SignalCache:
    def __init__(self, most_bytes: int = 64 << 20) -> None:
        self._most, self._lock = most_bytes, Lock()
        self._kept: OrderedDict[tuple[object, ...], Samples] = OrderedDict()

    def get(self, one: SignalPreview) -> Samples:
        key = self._key(one)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        _, pick_one = opened(one.path, one.guard)
        _, vector = pick_one(one.listed.name)
        if vector is None:
            raise RecordingError(f"{one.path}: {one.name} could not be loaded")
        return self.keep(one, vector)

    def keep(self, one: SignalPreview, vector: Array) -> Samples:
        samples = _float32(vector)
        with self._lock:
            self._kept[self._key(one)] = samples
            while sum(each.nbytes for each in self._kept.values()) > self._most and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return samples

    @staticmethod
    def _key(one: SignalPreview) -> tuple[object, ...]:
        status = one.path.stat()
        return one.path, one.listed.name, status.st_size, status.st_mtime_ns


_WHOLE = _SignalCache()
