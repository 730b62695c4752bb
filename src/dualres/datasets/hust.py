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

from dualres.datasets.release import Entry, Index, Release
from dualres.datasets.search import collect, find
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


def index(folder: Path) -> Index:
    """The recordings below a folder."""
    known = {setting.id: setting for setting in SETTINGS}
    entries, left_out = [], []
    for path, name in find(folder, {".mat"}, re.compile("[A-Z]+[0-9]+")):
        if name[0] in known:
            entries.append(_entry(known[name[0]], path))
        else:
            left_out.append((path, _NO_SUCH_NAME))
    return collect(folder, entries, _LOOKED_FOR, left_out)


def _entry(setting: Setting, path: Path) -> Entry:
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


RELEASE = Release(
    name="hust",
    title="HUST (Hanoi): bearings 6204 to 6208 with wire-cut cracks, seven states, three loads",
    licence="CC BY 4.0",
    obtained_from="Mendeley Data, doi 10.17632/cbv7jyx4p9; described in doi 10.1186/s13104-023-06400-4",
    version="3",
    channel=CHANNEL,
    rate=RATE,
    classes=tuple(LABELS.values()),
    folds=("H1", "H2"),
    limitations=(
        "One damaged bearing per class and type, one recording per load: the class, the specimen and its crack cannot "
        "be told apart within a type.",
        "The type of bearing changes together with the specimen and the depth of its crack, so a split by geometry "
        "does not test geometry alone, and the level of a signal tells the bearing.",
        "Ball faults and inner+ball faults are missing for 6204.",
        "Cracks were cut by wire, 0.2 mm wide; none has grown in service.",
        "The shaft frequency in IO602 equals that of IO604, although the loads differ: the value or the file is "
        "doubtful.",
    ),
    index=index,
)
