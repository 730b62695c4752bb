"""The formats there are, and what a file in one of them holds: every vector, under a name.

A parser lists what there is and loads a vector when it is asked for. It trusts its input no further than the library it
calls, and lets that library raise what it likes; `guard` runs the binary ones in a process of their own. What is found
wrong here is a `ValueError` that does not name the file; `readers` adds the name.

A format from outside of this package is added by `register`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dualres.errors import ConfigError
from dualres.plugins import load_plugins
from dualres.recordings.formats.contents import Array, Contents, Vector, VectorSlice, choose
from dualres.recordings.formats.matlab import is_v73, read_v5, read_v73
from dualres.recordings.formats.npy import read_npy
from dualres.recordings.formats.npz import read_npz
from dualres.recordings.formats.optional import read_parquet, read_tdms, read_uff
from dualres.recordings.formats.sound import AIFF, FLAC, OGG, W64, WAV, read_sound
from dualres.recordings.formats.spreadsheet import read_xlsx
from dualres.recordings.formats.text import read_text
from dualres.utils.registry import Registry


@dataclass(frozen=True)
class Format:
    """A kind of file."""

    name: str
    title: str
    parse: Callable[[Path], Contents]
    library: str | None  # what has to be imported; None for text, which needs no guard
    suffixes: tuple[str, ...]  # of its files' names, in lower case, with the dot
    begins: Callable[[Path], bool] | None = None  # tells it from others of the same suffix, by how a file begins


FORMATS: Registry[Format] = Registry(
    "format",
    taken="there is a {kind} for {name} already; choose another name or suffix",
    unknown="{kind} {name!r} is registered by no plugin; name its module in DUALRES_PLUGINS",
)
FORMATS.update(
    (format.name, format)
    for format in (
        Format("wav", "WAV", partial(read_sound, WAV), "soundfile", (".wav",)),
        Format("flac", "FLAC", partial(read_sound, FLAC), "soundfile", (".flac",)),
        Format("w64", "W64", partial(read_sound, W64), "soundfile", (".w64",)),
        Format("aiff", "AIFF", partial(read_sound, AIFF), "soundfile", (".aiff", ".aif", ".aifc")),
        Format("ogg", "Ogg", partial(read_sound, OGG), "soundfile", (".ogg",)),
        Format("text", "text", read_text, None, (".csv", ".tsv", ".txt")),
        Format("npy", "NumPy", read_npy, "numpy", (".npy",)),
        Format("npz", "NumPy archive", read_npz, "numpy", (".npz",)),
        Format("mat73", "MATLAB v7.3", read_v73, "h5py", (".mat",), begins=is_v73),
        Format("mat", "MATLAB", read_v5, "scipy.io", (".mat",)),
        Format("parquet", "Parquet", read_parquet, "pyarrow.parquet", (".parquet",)),
        Format("tdms", "TDMS", read_tdms, "nptdms", (".tdms",)),
        Format("xlsx", "Excel", read_xlsx, "openpyxl", (".xlsx", ".xlsm")),
        Format("uff", "universal file (UFF)", read_uff, "pyuff", (".uff", ".unv")),
    )
)


def register(format: Format) -> None:
    """Add a format from outside of this package; its name and its suffixes must be new.

    Where it has a library, files are read in a process of their own, which must know the format too: name the module
    that registers it in DUALRES_PLUGINS, or as an entry point.
    """
    if taken := sorted(set(format.suffixes) & set(suffixes())):
        raise ConfigError(f"there is a format for {taken[0]} already; choose another name or suffix")
    FORMATS.register(format.name, format)


def format_named(name: str) -> Format:
    """The format of that name, in a process that may not have loaded plugins."""
    if name not in FORMATS:
        load_plugins()
    return FORMATS.find(name)


def suffixes() -> tuple[str, ...]:
    """Of all files that can be read."""
    return tuple(sorted({suffix for format in FORMATS.values() for suffix in format.suffixes}))


def format_of(path: Path) -> Format:
    """The format by the name's suffix, and where that is not enough by how the file begins."""
    suffix = path.suffix.lower()
    for format in FORMATS.values():
        if suffix in format.suffixes and (format.begins is None or format.begins(path)):
            return format
    if suffix == ".xls":
        raise ValueError("files ending in .xls, Excel's old format, are not read; save it as .xlsx or .csv")
    raise ValueError(f"files ending in {path.suffix or 'nothing'} are not read; these are: {', '.join(suffixes())}")


def pick(
    contents: Contents, channel: str | None, start: int = 0, stop: int | None = None
) -> tuple[list[Vector], Array | None]:
    """What an open file holds, and the vector that is asked for; None where the choice is not clear.

    Of a vector that can be read in parts, only the samples from `start` up to `stop` are; any other comes whole.
    """
    listing = list(contents)
    try:
        chosen = choose(listing, channel)
    except ValueError:
        return listing, None
    load = contents[chosen]
    if isinstance(load, VectorSlice):
        last = chosen.length if stop is None else min(stop, chosen.length)
        return listing, load.load(min(start, last), last)
    vector = load()
    if vector.shape != (chosen.length,):
        raise ValueError(f"{chosen.name} was announced with {chosen.length} samples, but has {vector.size}")
    return listing, vector
