"""The Case Western Reserve University bearings: the 48 kHz set, sensor at the drive end.

The release numbers its files (`109.mat`) and says on its pages which number is which fault at which load. The tables
below are that list. Files that go by fault and load instead (`IR007_2.mat`, `Normal_2.csv`) are taken as excerpts.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.errors import RecordingError
from dualres.recordings.readers import load, signals
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed

RATE = Fraction(48_000)  # Hz

# Fault -> file numbers at 0, 1, 2 and 3 hp. The digits of a fault are its size in mil, @ the hour at which an outer
# ring's damage sits.
FILES = {
    "Normal": (97, 98, 99, 100),
    "IR007": (109, 110, 111, 112),
    "IR014": (174, 175, 176, 177),
    "IR021": (213, 214, 215, 217),
    "OR007@6": (135, 136, 137, 138),
    "OR007@3": (148, 149, 150, 151),
    "OR007@12": (161, 162, 163, 164),
    "OR014@6": (201, 202, 203, 204),
    "OR021@6": (238, 239, 240, 241),
    "OR021@3": (250, 251, 252, 253),
    "OR021@12": (262, 263, 264, 265),
    "B007": (122, 123, 124, 125),
    "B014": (189, 190, 191, 192),
    "B021": (226, 227, 228, 229),
}
# The same of the drive-end set at 12 kHz, which has no healthy recordings of its own.
FILES_12K = {
    "IR007": (105, 106, 107, 108),
    "IR014": (169, 170, 171, 172),
    "IR021": (209, 210, 211, 212),
    "IR028": (3001, 3002, 3003, 3004),
    "OR007@6": (130, 131, 132, 133),
    "OR007@3": (144, 145, 146, 147),
    "OR007@12": (156, 158, 159, 160),
    "OR014@6": (197, 198, 199, 200),
    "OR021@6": (234, 235, 236, 237),
    "OR021@3": (246, 247, 248, 249),
    "OR021@12": (258, 259, 260, 261),
    "B007": (118, 119, 120, 121),
    "B014": (185, 186, 187, 188),
    "B021": (222, 223, 224, 225),
    "B028": (3005, 3006, 3007, 3008),
}
RPM = (1797, 1772, 1750, 1730)  # of the motor at 0, 1, 2 and 3 hp
LABELS = {"Normal": "healthy", "IR": "inner", "OR": "outer", "B": "ball"}

_RECORDED = {number: (fault, load) for fault, numbers in FILES.items() for load, number in enumerate(numbers)}
_12K_DRIVE_END = {number for numbers in FILES_12K.values() for number in numbers}
_12K_FAN_END = set(range(270, 319)) - {303, 304, 308, 314}

_NUMBER = re.compile(r"[1-9]\d{1,3}")
_FAULT_AND_LOAD = re.compile(r"(?P<fault>Normal|IR\d{3}|B\d{3}|OR\d{3}@\d{1,2})_(?P<load>[0-3])")
_DRIVE_END = re.compile(r"X(\d{3})_DE_time")


def index(folder: Path) -> Index:
    """The recordings below a folder, fault by fault; where a released file and an excerpt are there, the former."""
    released, others = parted(find(folder, {".mat"}, _NUMBER), _released)
    full = {entry.id: entry.path.name for entry in released}
    named = find(folder, {".mat", ".csv"}, _FAULT_AND_LOAD)
    excerpts, unused = parted(named, partial(_excerpt, folder, full))
    order = [f"{fault}_{load}" for fault in FILES for load in range(4)]
    entries = sorted(released + excerpts, key=lambda entry: order.index(entry.id))
    variant = "excerpts" if excerpts else "full"
    return collect(folder, entries, "the release's 97.mat, 109.mat and the like", others + unused, variant=variant)


def _released(path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    number = int(name[0])
    if number in _RECORDED:
        return _entry(path, *_RECORDED[number])
    if number in _12K_DRIVE_END:
        return "a 12 kHz recording of the drive-end set; the task uses those at 48 kHz"
    if number in _12K_FAN_END:
        return "a 12 kHz recording of a fault at the fan end; the task uses those at the drive end"
    return "the release has no file of this number"


def _excerpt(folder: Path, full: Mapping[str, str], path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    if name["fault"] not in FILES:
        return f"the 48 kHz drive-end set has no {name['fault']}"
    if any("12k" in part.lower() for part in path.relative_to(folder).parts[:-1]):
        return "it is in a folder of 12 kHz recordings"
    if name[0] in full:
        return f"the released file, {full[name[0]]}, is there"
    return _entry(path, name["fault"], int(name["load"]))


def _entry(path: Path, fault: str, load: int) -> ReleaseEntry:
    id, read = f"{fault}_{load}", partial(_read, path, FILES[fault][load])
    return ReleaseEntry(id, label_of(id), fault, condition_of(fault, load), path, read)


def condition_of(fault: str, load: int) -> dict[str, str]:
    """The load in hp, the size of the fault in inch, and where on an outer ring it sits."""
    mil, _, hour = fault.removeprefix(_kind(fault)).partition("@")
    condition = {"load_hp": str(load)}
    if mil:
        condition["fault_inch"] = f"0.{mil}"
    if hour:
        condition["position"] = f"{hour}:00"
    return condition


def label_of(recording: str) -> str:
    return LABELS[_kind(recording.rpartition("_")[0])]


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed | None:
    """By the load."""
    load = condition.get("load_hp")
    return Speed.of_rpm(RPM[int(load)]) if load else None


def _kind(fault: str) -> str:
    return fault.rstrip("@0123456789")


def _read(path: Path, number: int) -> Samples:
    key = "DE" if path.suffix.lower() == ".csv" else drive_end_key(path, number)
    return load(path, key, RATE)


def drive_end_key(path: Path, number: int) -> str:
    """The drive-end array's name: it goes by its file's number, whatever other files' arrays are in there too.

    A single array may also go by a number that is no file's, as in 174.mat. If it is another file's, so is the
    signal: 12 kHz recordings are often passed on as `IR007_2.mat` too.
    """
    keys = {int(key[1]): key[0] for key in map(_DRIVE_END.fullmatch, signals(path)) if key}
    if number in keys:
        return keys[number]
    remedy = f"use the release's {number}.mat"
    if len(keys) != 1:
        held = ", ".join(keys.values()) or "none"
        wanted = f"one drive-end array X{number:03d}_DE_time"
        raise RecordingError(f"{path}: {wanted} is expected, there is {held}; {remedy}")
    ((other, key),) = keys.items()
    if other in _RECORDED or other in _12K_DRIVE_END or other in _12K_FAN_END:
        raise RecordingError(f"{path}: holds the signal of the release's {other}.mat; {remedy}")
    return key


RELEASE = described(
    "cwru",
    index,
    channel="DE (accelerometer at the drive end)",
    rate=RATE,
    classes=LABELS.values(),
    label_of=label_of,
    speed_of=speed_of,
    ids=(f"{fault}_{load}" for fault in FILES for load in range(4)),  # every file is held to its checksum
)
