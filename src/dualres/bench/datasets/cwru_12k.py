"""The Case Western Reserve University bearings at 12 kHz: faults at the drive end, sensor at the drive end.

The release numbers its files (`105.mat`). A folder of them as arrays goes by fault and load instead, as in
`signals/OR007_at6_2.npy`: outer ring, 0.007 inch, damage at 6 o'clock, 2 hp.
"""

import re
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.cwru import FILES_12K, LABELS, condition_of, drive_end_key, speed_of
from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.recordings.readers import load
from dualres.recordings.recording import Samples

RATE = Fraction(12_000)  # Hz
CLASSES = ("inner", "outer", "ball")

_RECORDED = {number: (fault, load) for fault, numbers in FILES_12K.items() for load, number in enumerate(numbers)}
_IDS = {number: f"{fault.replace('@', '_at')}_{load}" for number, (fault, load) in _RECORDED.items()}
_NUMBERS = {id: number for number, id in _IDS.items()}
_NUMBER = re.compile(r"[1-9]\d{1,3}")
_FAULT_AND_LOAD = re.compile(r"(?:Normal|(?:IR|B|OR)\d{3}(?:_at\d{1,2})?)_[0-3]")


def index(folder: Path) -> Index:
    """The recordings below a folder, fault by fault."""
    released, others = parted(find(folder, {".mat"}, _NUMBER), _released)
    arrays, unknown = parted(find(folder, {".npy"}, _FAULT_AND_LOAD), _array)
    order = list(_NUMBERS)
    entries = sorted(released + arrays, key=lambda entry: order.index(entry.id))
    return collect(folder, entries, "the release's 105.mat, or IR007_0.npy, and the like", others + unknown)


def _released(path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    number = int(name[0])
    return _entry(path, number) if number in _RECORDED else "the 12 kHz drive-end set has no file of this number"


def _array(path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    return _entry(path, _NUMBERS[name[0]]) if name[0] in _NUMBERS else f"the 12 kHz drive-end set has no {name[0]}"


def _entry(path: Path, number: int) -> ReleaseEntry:
    fault, load = _RECORDED[number]
    bearing = fault.partition("@")[0]  # one size of one fault, whatever the hour its damage was turned to
    id = _IDS[number]
    return ReleaseEntry(id, label_of(id), bearing, condition_of(fault, load), path, partial(_read, path, number))


def label_of(recording: str) -> str:
    return LABELS[recording.partition("0")[0]]  # what comes before the size, which begins with a 0


def _read(path: Path, number: int) -> Samples:
    key = drive_end_key(path, number) if path.suffix.lower() == ".mat" else None
    return load(path, key, RATE)


RELEASE = described(
    "cwru_12k",
    index,
    channel="DE (accelerometer at the drive end)",
    rate=RATE,
    classes=CLASSES,
    label_of=label_of,
    speed_of=speed_of,
    ids=_NUMBERS,
    least_samples=120_801,
)
