"""KAIST: a rotor with faults of bearings, shaft alignment and balance, at three constant loads.

Names read load and state: `2Nm_BPFI_03` is a crack of 0.3 mm in the inner ring at 2 Nm. The release's acoustic archive
holds files of the same names, which are never read.
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

RATE = Fraction(25_600)  # Hz
RPM = 3010
CHANNEL = "Signal.y_values.values[0]"  # x at housing A, in which the faulty bearing sits
COLUMNS = 4  # x and y at housing A, x and y at housing B

# Class -> state, as files are named -> severity.
STATES = {
    "healthy": {"Normal": "-"},
    "inner": {"BPFI_03": "0.3 mm", "BPFI_10": "1.0 mm", "BPFI_30": "3.0 mm"},
    "outer": {"BPFO_03": "0.3 mm", "BPFO_10": "1.0 mm", "BPFO_30": "3.0 mm"},
    "misalignment": {"Misalign_01": "0.1 mm", "Misalign_03": "0.3 mm", "Misalign_05": "0.5 mm"},
    "unbalance": {f"Unbalance_{mg:04}mg": f"{mg} mg" for mg in (583, 1169, 1751, 2239, 3318)},
}
LOADS_NM = ("0", "2", "4")

_RECORDING = re.compile("(?P<load>[0-9]+)Nm_(?P<state>.*)")
_KNOWN = {state: (label, severity) for label, states in STATES.items() for state, severity in states.items()}


def index(folder: Path) -> Index:
    entries, left_out = parted(find(folder, {".mat"}, _RECORDING), partial(_entry, folder))
    return collect(folder, entries, "the 45 .mat files of its vibration archive, such as 2Nm_BPFI_03.mat", left_out)


def _entry(folder: Path, path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    if _is_acoustic(path, folder):
        return "it belongs to the acoustic archive, whose files bear the names of the vibration files"
    state = name["state"].replace("Unbalalnce", "Unbalance")  # as five files on disk are spelled
    if name["load"] not in LOADS_NM or state not in _KNOWN:
        return "no recording of the release has this name"
    id = f"{name['load']}Nm_{state}"
    label, severity = _KNOWN[state]
    condition = {"load": name["load"], "severity": severity}
    return ReleaseEntry(id, label, state, condition, path, partial(_samples, path))


def _is_acoustic(path: Path, folder: Path) -> bool:
    """Whether the nearest folder that is named for a kind of signal is named for sound, and not for both."""
    below = path.relative_to(folder).parts[:-1]
    for name in (part.lower() for part in (*reversed(below), folder.resolve().name)):
        if "vibration" in name or "acoustic" in name:
            return "vibration" not in name
    return False


def _samples(path: Path) -> Samples:
    columns = sum(name.startswith(CHANNEL.removesuffix("0]")) for name in signals(path))
    if columns != COLUMNS:
        raise RecordingError(f"{path}: holds {columns} columns, vibration files {COLUMNS}; is it another sensor's?")
    return load(path, CHANNEL, RATE)


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed:
    """The same of all recordings."""
    return Speed.of_rpm(RPM)


RELEASE = described(
    "kaist",
    index,
    channel=CHANNEL,
    rate=RATE,
    classes=STATES,
    label_of=lambda id: _KNOWN[id.partition("_")[2]][0],
    speed_of=speed_of,
    ids=(f"{load}Nm_{state}" for load in LOADS_NM for state in _KNOWN),
    least_samples=60 * int(RATE),
)
