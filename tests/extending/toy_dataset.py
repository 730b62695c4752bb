"""A dataset from outside: files `hum_1.npy`, `buzz_2.npy` and the like, of two states of one machine."""

import re
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.catalog import register
from dualres.bench.datasets.release import Index, Release, ReleaseEntry, collect, find
from dualres.recordings.readers import read
from dualres.recordings.recording import Samples

RATE = Fraction(32_000)  # Hz
LABELS = {"hum": "healthy", "buzz": "worn"}


def index(folder: Path) -> Index:
    """The recordings below a folder; none is opened yet."""
    found = find(folder, {".npy"}, re.compile(r"(?P<state>hum|buzz)_(?P<unit>\d)"))
    return collect(folder, [_entry(path, name) for path, name in found], "hum_1.npy and the like")


def _entry(path: Path, name: re.Match[str]) -> ReleaseEntry:
    return ReleaseEntry(path.stem, LABELS[name["state"]], f"unit {name['unit']}", {}, path, partial(_read, path))


def _read(path: Path) -> Samples:
    return read(path, rate=RATE).signal


register(
    Release(
        name="toy",
        short="Toy",
        title="a machine that hums or buzzes",
        licence="MIT",
        obtained_from="made up by the tests",
        version="1",
        channel="array",
        rate=RATE,
        classes=tuple(LABELS.values()),
        folds=("T1",),
        folds_in=Path(__file__).parent / "folds",
        limitations=("It is made up.",),
        index=index,
    )
)
