"""The formats there are, and what a file in one of them holds: every vector, under a name.

A parser lists what there is and loads a vector when it is asked for. It lets the library it calls raise what it likes;
`sandbox` runs the binary ones in a process of their own. What is found wrong here is a `ValueError` that does not name
the file; `readers` adds the name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from dualres.errors import ConfigError
from dualres.plugins import load_plugins
from dualres.recordings.formats.contents import Array, Contents, Vector, VectorSlice, choose
from dualres.utils.registry import Registry


@dataclass(frozen=True)
class Format:
    name: str
    title: str
    parse: Callable[[Path], Contents]
    library: str | None  # what has to be imported; None for text, which needs no guard
    suffixes: tuple[str, ...]  # of its files' names, in lower case, with the dot
    begins: Callable[[Path], bool] | None = None  # tells it from others of the same suffix, by how a file begins


def _call(module: str, name: str, *given: Any) -> Any:
    """A function of a module here, which is imported for the first file that needs it."""
    return getattr(import_module(f"{__package__}.{module}"), name)(*given)


_sound, _optional = partial(partial, _call, "sound", "read_sound"), partial(partial, _call, "optional")
_matlab = partial(partial, _call, "matlab")

FORMATS: Registry[Format] = Registry(
    "format",
    taken="there is a {kind} for {name} already; choose another name or suffix",
    unknown="{kind} {name!r} is registered by no plugin; name its module in DUALRES_PLUGINS",
)
FORMATS.update(
    (format.name, format)
    for format in (
        Format("wav", "WAV", _sound((b"RIFF", b"RIFX", b"RF64")), "soundfile", (".wav",)),
        Format("flac", "FLAC", _sound((b"fLaC",)), "soundfile", (".flac",)),
        Format("w64", "W64", _sound((b"riff",)), "soundfile", (".w64",)),
        Format("aiff", "AIFF", _sound((b"FORM",)), "soundfile", (".aiff", ".aif", ".aifc")),
        Format("ogg", "Ogg", _sound((b"OggS",)), "soundfile", (".ogg",)),
        Format("text", "text", partial(_call, "text", "read_text"), None, (".csv", ".tsv", ".txt")),
        Format("npy", "NumPy", partial(_call, "npy", "read_npy"), "numpy", (".npy",)),
        Format("npz", "NumPy archive", partial(_call, "npz", "read_npz"), "numpy", (".npz",)),
        Format("mat73", "MATLAB v7.3", _matlab("read_v73"), "h5py", (".mat",), begins=_matlab("is_v73")),
        Format("mat", "MATLAB", _matlab("read_v5"), "scipy.io", (".mat",)),
        Format("hdf5", "HDF5", _matlab("read_v73"), "h5py", (".h5", ".hdf5")),
        Format("parquet", "Parquet", _optional("read_parquet"), "pyarrow.parquet", (".parquet",)),
        Format("tdms", "TDMS", _optional("read_tdms"), "nptdms", (".tdms",)),
        Format("xlsx", "Excel", partial(_call, "spreadsheet", "read_xlsx"), "openpyxl", (".xlsx", ".xlsm")),
        Format("uff", "universal file (UFF)", _optional("read_uff"), "pyuff", (".uff", ".unv")),
    )
)


def register(format: Format) -> None:
    """Add a format from outside of this package; its name and its suffixes must be new.

    One with a library is read in a process of its own, which finds its module by DUALRES_PLUGINS or an entry point.
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
    """What an open file holds, and the vector that is asked for, from `start` to `stop` if it can be read in parts.

    None where the choice is not clear.
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
