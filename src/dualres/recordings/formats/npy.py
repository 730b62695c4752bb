"""NumPy's own files: one array, of which parts are read where they lie."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from dualres.recordings.formats.contents import Array, Contents, VectorSlice, listed

_AT_ONCE = 1 << 18  # numbers of all columns
_HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npy(path: Path) -> Contents:
    """A vector as `array`, a matrix as its columns or rows, whichever are longer: `array[0]`, `array[1]` ..."""
    with path.open("rb") as file:
        shape, by_columns, dtype = header(file)
        offset = file.tell()  # bytes
    if dtype.hasobject:
        raise ValueError("it holds pickled objects, which are not opened; save numbers")
    count = math.prod(shape)
    if min(shape, default=0) < 0:
        raise ValueError(f"its header is damaged, it gives the shape {shape}")
    held = (path.stat().st_size - offset) // max(1, dtype.itemsize)
    if held < count:
        raise ValueError(f"it ends after {held} of {count} numbers")
    if count > 1:
        shape = tuple(n for n in shape if n != 1)
    if len(shape) > 2:
        raise ValueError(f"its array has {len(shape)} dimensions; save one signal, or one per column")
    interleaved = len(shape) == 2 and (shape[0] >= shape[1]) != by_columns
    width = min(shape) if interleaved else 1
    contents: Contents = {}
    for i, one in enumerate(listed("array", shape or (1,), dtype.kind)):
        place = offset + (i if interleaved else i * one.length) * dtype.itemsize
        contents[one] = VectorSlice(partial(_part, path, dtype=dtype, offset=place, width=width))
    return contents


def header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns lie together, and type of the array that follows in the file."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:  # later ones differ in the names of fields, and a table of fields is no signal
        raise ValueError(f"version {version[0]}.{version[1]} of the format holds something other than numbers")
    return _HEADERS[version](file)


def _part(path: Path, start: int, stop: int, *, dtype: np.dtype[Any], offset: int, width: int) -> Array:
    """Samples from `start` to `stop` of a signal that begins at byte `offset` and has every `width`-th number."""
    if width == 1:
        return _numbers(path, dtype, offset + start * dtype.itemsize, stop - start)
    samples = np.empty(stop - start, dtype)
    at_once = max(1, _AT_ONCE // width)
    for done in range(0, len(samples), at_once):
        piece = samples[done : done + at_once]
        place = offset + (start + done) * width * dtype.itemsize
        piece[:] = _numbers(path, dtype, place, (len(piece) - 1) * width + 1)[::width]
    return samples


def _numbers(path: Path, dtype: np.dtype[Any], offset: int, count: int) -> Array:
    found = np.fromfile(path, dtype, count, offset=offset)
    if len(found) < count:
        raise ValueError(f"it ends {count - len(found)} numbers early")
    return found
