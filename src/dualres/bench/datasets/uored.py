"""UORED-VAFCLS: bearings recorded healthy, with a developing and with a full fault, at constant load and speed.

A file `I_1_2.mat` holds one recording of 10 s: the letter of the state (H, I, O, B, C), the bearing and the stage
(0 healthy, 1 developing, 2 faulty). `H_1_0` is bearing 1 before its inner ring was damaged.
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.errors import RecordingError
from dualres.recordings.readers import load, signals
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed

RATE = Fraction(42_000)  # Hz
RPM = 1750
LABELS = {"H": "healthy", "I": "inner", "O": "outer"}  # a developing fault carries the label of the fault
BEARINGS = {"H": range(1, 21), "I": range(1, 6), "O": range(6, 11), "B": range(11, 16), "C": range(16, 21)}

_RECORDING = re.compile(r"(?P<letter>[HIOBC])[_-](?P<bearing>[1-9]\d?)[_-](?P<stage>[012])")
_RAW = "matlab_raw_data_files"  # in the name of the folder that holds the raw signals


def index(folder: Path) -> Index:
    """What lies below `folder`; the same recordings as CSV, and anything derived from them, are passed by."""
    found = find(folder, {".mat"}, _RECORDING)
    # Only where the whole release is given is there a folder to prefer.
    raw = [(path, name) for path, name in found if _RAW in str(path.relative_to(folder)).lower()]
    entries, left_out = parted(raw or found, _entry)
    return collect(folder, entries, "the MatLab files I_1_2.mat and the like (not the CSV files)", left_out)


def _entry(path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    letter, bearing, stage = name.group("letter", "bearing", "stage")
    if int(bearing) not in BEARINGS[letter] or (letter == "H") != (stage == "0"):
        return "the release has no recording of this name"
    if int(bearing) > 10:
        return "the task retains three classes, healthy, inner and outer: bearings 1 to 10"
    id = f"{letter}_{bearing}_{stage}"
    return ReleaseEntry(id, LABELS[letter], f"bearing {bearing}", {"stage": stage}, path, partial(_read, path))


def _read(path: Path) -> Samples:
    """The accelerometer: the first column of the one matrix there is, whatever its variable is called."""
    firsts = [name for name in signals(path) if name.endswith("[0]")]
    if len(firsts) != 1:
        raise RecordingError(f"{path}: one matrix is expected in it, there are {len(firsts)}; download the file again")
    return load(path, firsts[0], RATE)


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed:
    """Nominal, and the same of all recordings."""
    return Speed.of_rpm(RPM)


def _ids() -> Iterator[str]:
    """Of bearings 1 to 10, healthy and with each stage of its fault."""
    yield from (f"H_{bearing}_0" for bearing in range(1, 11))
    yield from (f"{letter}_{bearing}_{stage}" for letter in "IO" for bearing in BEARINGS[letter] for stage in (1, 2))


RELEASE = described(
    "uored",
    index,
    channel="accelerometer (column 1)",
    rate=RATE,
    letters=LABELS,
    speed_of=speed_of,
    ids=_ids(),
    least_samples=420_000,
)
