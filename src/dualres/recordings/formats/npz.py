"""NumPy's archives: several arrays by name, and perhaps the rate among them."""

import math
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from dualres.recordings.formats.contents import Array, Contents, LazyArray, columns
from dualres.recordings.formats.npy import header
from dualres.recordings.formats.rate_detection import stated_rate, with_time
from dualres.recordings.formats.speed_detection import speed_beside, stated_speeds


def read_npz(path: Path) -> Contents:
    """Vectors by their names, a matrix as its columns or rows: `name[0]`, `name[1]` ...

    A single number called `fs`, `sr` or the like is the rate of all; a vector of time says that of those as long. One
    that is called `rpm`, or whose name ends so, is the speed of the shaft.
    """
    arrays, numbers = dict(_arrays(path)), {}
    for name, array in arrays.items():
        if math.prod(array.shape) == 1 and array.kind in "iufU":
            numbers[name] = array.load().item()
    rate, speeds = stated_rate(numbers), stated_speeds(numbers)
    contents: Contents = {}
    for name, array in arrays.items():
        if name not in numbers and len(array.shape) in (1, 2):
            speed_hz = speed_beside(name, speeds)
            contents |= {replace(one, rate=rate, speed_hz=speed_hz): load for one, load in columns(name, array)}
    return with_time(contents)


def _arrays(path: Path) -> Iterator[tuple[str, LazyArray]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if not member.endswith(".npy"):
                continue
            with archive.open(member) as file:
                shape, _, dtype = header(file)
            if dtype.hasobject or min(shape, default=1) < 0:
                continue
            if math.prod(shape) > 1:
                shape = tuple(n for n in shape if n != 1)
            yield member.removesuffix(".npy"), LazyArray(shape, dtype.kind, partial(_load, path, member, shape))


def _load(path: Path, member: str, shape: tuple[int, ...]) -> Array:
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False)).reshape(shape)
