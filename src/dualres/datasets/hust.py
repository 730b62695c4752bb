"""HUST (Hanoi): five types of bearing, seven states, three loads, one recording of each.

A name such as `IO602` reads: inner and outer ring cracked, bearing 6206, 200 W. The set of a similar name from
Huazhong, text files at 25.6 kHz, is another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.datasets.release import Entry, Index, described
from dualres.datasets.search import collect, find, parted
from dualres.recordings.readers import read
from dualres.recordings.recording import Samples

RATE = Fraction(51_200)  # Hz; no file says so, for `fs` in the files is the shaft's frequency
CHANNEL = "data"

LABELS = {
    "N": "healthy",
    "I": "inner",
    "O": "outer",
    "B": "ball",
    "IO": "inner+outer",
    "IB": "inner+ball",
    "OB": "outer+ball",
}
GEOMETRIES = ("6204", "6205", "6206", "6207", "6208")
LOADS_W = (0, 200, 400)
WITHOUT_6204 = ("B", "IB")

_LOOKED_FOR = "the release's .mat files, N400.mat to OB804.mat"
_NO_SUCH_NAME = (
    "no recording of the release has this name: it takes N, I, O, B, IO, IB or OB, a digit from 4 to 8 for the "
    "bearing (5 to 8 with B and IB), a 0, and the load 0, 2 or 4"
)


@dataclass(frozen=True)
class Setting:
    """One recording of the release."""

    state: str  # class letters
    geometry: str  # type of the bearing
    load_w: int  # W

    @property
    def id(self) -> str:
        return f"{self.state}{self.geometry[-1]}0{self.load_w // 100}"


SETTINGS = tuple(
    Setting(state, geometry, load_w)
    for state in LABELS
    for geometry in GEOMETRIES
    if not (geometry == "6204" and state in WITHOUT_6204)
    for load_w in LOADS_W
)
_KNOWN = {setting.id: setting for setting in SETTINGS}


def index(folder: Path) -> Index:
    """The recordings below a folder."""
    found = find(folder, {".mat"}, re.compile("[A-Z]+[0-9]+"))
    entries, left_out = parted(found, lambda path, name: None if name[0] in _KNOWN else _NO_SUCH_NAME, _entry)
    return collect(folder, entries, _LOOKED_FOR, left_out)


def _entry(path: Path, name: re.Match[str]) -> Entry:
    setting = _KNOWN[name[0]]
    return Entry(
        id=setting.id,
        label=LABELS[setting.state],
        component=f"{setting.state} {setting.geometry}",
        condition={"geometry": setting.geometry, "load": str(setting.load_w)},
        path=path,
        read=partial(_samples, path),
    )


def _samples(path: Path) -> Samples:
    return read(path, CHANNEL, RATE).signal


RELEASE = described("hust", index, CHANNEL, RATE, LABELS.values())
