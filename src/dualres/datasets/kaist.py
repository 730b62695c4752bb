"""KAIST: a rotor with faults of bearings, shaft alignment and balance, at three constant loads.

Names read load and state: `2Nm_BPFI_03` is a crack of 0.3 mm in the inner ring at 2 Nm. The release's acoustic archive
holds files of the same names, which are never read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.datasets.release import Entry, Index, described
from dualres.datasets.search import collect, find, parted
from dualres.errors import RecordingError
from dualres.recordings.readers import read, signals
from dualres.recordings.recording import Samples

RATE = Fraction(25_600)  # Hz
CHANNEL = "Signal.y_values.values[0]"  # x at housing A, in which the faulty bearing sits
COLUMNS = 4  # x and y at housing A, x and y at housing B

# Per state: class and severity.
STATES = {
    "Normal": ("healthy", "-"),
    "BPFI_03": ("inner", "0.3 mm"),
    "BPFI_10": ("inner", "1.0 mm"),
    "BPFI_30": ("inner", "3.0 mm"),
    "BPFO_03": ("outer", "0.3 mm"),
    "BPFO_10": ("outer", "1.0 mm"),
    "BPFO_30": ("outer", "3.0 mm"),
    "Misalign_01": ("misalignment", "0.1 mm"),
    "Misalign_03": ("misalignment", "0.3 mm"),
    "Misalign_05": ("misalignment", "0.5 mm"),
    "Unbalance_0583mg": ("unbalance", "583 mg"),
    "Unbalance_1169mg": ("unbalance", "1169 mg"),
    "Unbalance_1751mg": ("unbalance", "1751 mg"),
    "Unbalance_2239mg": ("unbalance", "2239 mg"),
    "Unbalance_3318mg": ("unbalance", "3318 mg"),
}
LOADS_NM = (0, 2, 4)

_LOOKED_FOR = "the 45 .mat files of its vibration archive, such as 2Nm_BPFI_03.mat"
_NO_SUCH_NAME = "no recording of the release has this name"
_ACOUSTIC = "it belongs to the acoustic archive, whose files bear the names of the vibration files"


@dataclass(frozen=True)
class Setting:
    """One recording of the release."""

    load_nm: int  # Nm
    state: str

    @property
    def id(self) -> str:
        return f"{self.load_nm}Nm_{self.state}"


SETTINGS = tuple(Setting(load_nm, state) for load_nm in LOADS_NM for state in STATES)
_KNOWN = {setting.id: setting for setting in SETTINGS}


def index(folder: Path) -> Index:
    """The recordings below a folder."""
    found = find(folder, {".mat"}, re.compile("[0-9]+Nm_.*"))
    entries, left_out = parted(found, partial(_refusal, folder), _entry)
    return collect(folder, entries, _LOOKED_FOR, left_out)


def _refusal(folder: Path, path: Path, name: re.Match[str]) -> str | None:
    if _is_acoustic(path, folder):
        return _ACOUSTIC
    return None if _as_meant(name) in _KNOWN else _NO_SUCH_NAME


def _as_meant(name: re.Match[str]) -> str:
    return name[0].replace("Unbalalnce", "Unbalance")  # as five files on disk are spelled


def _is_acoustic(path: Path, folder: Path) -> bool:
    """Whether the nearest folder that is named for a kind of signal is named for sound, and not for both."""
    below = path.relative_to(folder).parts[:-1]
    for name in (part.lower() for part in (*reversed(below), folder.resolve().name)):
        if "vibration" in name:
            return False
        if "acoustic" in name:
            return True
    return False


def _entry(path: Path, name: re.Match[str]) -> Entry:
    setting = _KNOWN[_as_meant(name)]
    label, severity = STATES[setting.state]
    return Entry(
        id=setting.id,
        label=label,
        component=setting.state,
        condition={"load": str(setting.load_nm), "severity": severity},
        path=path,
        read=partial(_samples, path),
    )


def _samples(path: Path) -> Samples:
    columns = sum(name.startswith(CHANNEL.removesuffix("0]")) for name in signals(path))
    if columns != COLUMNS:
        raise RecordingError(f"{path}: holds {columns} columns, vibration files {COLUMNS}; is it another sensor's?")
    return read(path, CHANNEL, RATE).signal


RELEASE = described("kaist", index, CHANNEL, RATE, dict.fromkeys(label for label, _ in STATES.values()))
