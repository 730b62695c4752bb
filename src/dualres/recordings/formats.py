"""What each format holds: every vector in a file, under a name.

A parser lists what there is and loads a vector when it is asked for. It trusts its input no further than the library it
calls, and lets that library raise what it likes; `guard` runs the binary ones in a process of their own. What is found
wrong here is a `ValueError` that does not name the file; `readers` adds the name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dualres.recordings.listing import Array, Contents, Listed, Part, choose
from dualres.recordings.matlab import read_v5, read_v73
from dualres.recordings.npy import read_npy
from dualres.recordings.sound import FLAC, WAV, read_sound
from dualres.recordings.text import read_text


def extract(
    path: Path, format: Format, channel: str | None, start: int = 0, stop: int | None = None
) -> tuple[list[Listed], Array | None]:
    """What a file holds, and the vector that is asked for; None where the choice is not clear.

    Of a vector that can be read in parts, only the samples from `start` up to `stop` are; any other comes whole.
    """
    return pick(format.parse(path), channel, start, stop)


def pick(
    contents: Contents, channel: str | None, start: int = 0, stop: int | None = None
) -> tuple[list[Listed], Array | None]:
    """As `extract`, from a file that is open."""
    listing = list(contents)
    try:
        chosen = choose(listing, channel)
    except ValueError:
        return listing, None
    load = contents[chosen]
    if isinstance(load, Part):
        last = chosen.length if stop is None else min(stop, chosen.length)
        return listing, load.load(min(start, last), last)
    vector = load()
    if vector.shape != (chosen.length,):
        raise ValueError(f"{chosen.name} was announced with {chosen.length} samples, but has {vector.size}")
    return listing, vector


def _parquet(path: Path) -> Contents:
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(path)
    rows = file.metadata.num_rows
    contents: Contents = {}
    for field in file.schema_arrow:
        try:
            kind = np.dtype(field.type.to_pandas_dtype()).kind
        except (NotImplementedError, TypeError):
            kind = "O"
        contents[Listed(field.name, rows, kind)] = partial(_parquet_column, file, field.name)
    return contents


def _parquet_column(file: Any, name: str) -> Array:
    column: Array = file.read(columns=[name], use_threads=False).column(name).to_numpy()  # a null becomes NaN
    return column


def _tdms(path: Path) -> Contents:
    from nptdms import TdmsFile

    contents: Contents = {}
    for group in TdmsFile.read_metadata(path).groups():
        for channel in group.channels():
            rate = rate_of(float(channel.properties.get("wf_increment", 0)), digits=15)
            listed = Listed(f"{group.name}.{channel.name}", len(channel), channel.dtype.kind, rate)
            contents[listed] = partial(_tdms_channel, path, group.name, channel.name)
    return contents


def _tdms_channel(path: Path, group: str, channel: str) -> Array:
    from nptdms import TdmsFile

    with TdmsFile.open(path) as file:
        samples: Array = file[group][channel][:]
    return samples


_FUNCTION_AT_NODE, _TIME_RESPONSE, _TIME = 58, 1, 17  # numbers of the universal file format


def _uff(path: Path) -> Contents:
    from pyuff import UFF

    file = UFF(str(path))
    contents: Contents = {}
    for i, number in enumerate(file.get_set_types()):
        if number != _FUNCTION_AT_NODE:
            continue
        found = file.read_sets(i)
        if found["func_type"] != _TIME_RESPONSE and found["abscissa_spec_data_type"] != _TIME:
            continue
        if found["abscissa_spacing"] != 1:
            raise ValueError(f"set {i + 1} is not sampled at even steps of time")
        samples = np.asarray(found["data"])
        if len(samples) != found["num_pts"]:
            raise ValueError(f"set {i + 1} holds {len(samples)} samples instead of {found['num_pts']:.0f}")
        rate = rate_of(found["abscissa_inc"], digits=6)  # the format writes 13.5E
        contents[Listed(f"set {i + 1}", len(samples), samples.dtype.kind, rate)] = partial(np.asarray, samples)
    return contents


def rate_of(step: float, digits: int) -> Fraction | None:
    """The rate in Hz that a step in s, written with so many significant digits, stands for.

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


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    name: str
    title: str
    parse: Callable[[Path], Contents]
    library: str | None  # what has to be imported; None for text, which needs no guard
    extra: bool = False  # whether the library comes with the extra `formats` only


FORMATS = {
    format.name: format
    for format in (
        Format("wav", "WAV", partial(read_sound, WAV), "soundfile"),
        Format("flac", "FLAC", partial(read_sound, FLAC), "soundfile"),
        Format("text", "text", read_text, None),
        Format("npy", "NumPy", read_npy, "numpy"),
        Format("mat", "MATLAB", read_v5, "scipy.io"),
        Format("mat73", "MATLAB v7.3", read_v73, "h5py"),
        Format("parquet", "Parquet", _parquet, "pyarrow.parquet", extra=True),
        Format("tdms", "TDMS", _tdms, "nptdms", extra=True),
        Format("uff", "universal file (UFF)", _uff, "pyuff", extra=True),
    )
}
_BY_SUFFIX = {f".{name}": name for name in ("wav", "flac", "npy", "mat", "parquet", "tdms", "uff")}
_BY_SUFFIX |= {".csv": "text", ".tsv": "text", ".txt": "text", ".unv": "uff"}
SUFFIXES = tuple(sorted(_BY_SUFFIX))


def format_of(path: Path) -> Format:
    """The format by the name's suffix; MATLAB's two by what they begin with."""
    name = _BY_SUFFIX.get(path.suffix.lower())
    if name is None:
        raise ValueError(f"files ending in {path.suffix or 'nothing'} are not read; these are: {', '.join(SUFFIXES)}")
    if name == "mat":
        with path.open("rb") as file:
            # MATLAB puts 512 bytes of its own before HDF5's signature, other programs put none.
            if b"\x89HDF\r\n\x1a\n" in (file.read(8), file.read(512)[-8:]):
                name = "mat73"
    return FORMATS[name]
