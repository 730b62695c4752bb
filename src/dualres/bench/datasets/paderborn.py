"""Paderborn: bearings 6203 with artificial and with real damage, in four operating settings.

A file `N15_M07_F10_KA01_1.mat` holds one recording of about 4 s: the setting (1500 rpm, 0.7 Nm, 1000 N), the bearing's
code and the repeat. Its one variable, named like the file, is a struct whose `Y` lists the channels.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.errors import RecordingError
from dualres.recordings.readers import load
from dualres.recordings.speed import Speed

RATE = Fraction(64_000)  # Hz
CHANNEL = "vibration_1"
CLASSES = ("healthy", "inner", "outer")

# (label, origin of the damage) -> bearings. Together with the six below these are the 32 of the release.
BEARINGS = {
    ("healthy", "none"): ("K002", "K003", "K004", "K005", "K006"),
    ("outer", "artificial"): ("KA01", "KA03", "KA05", "KA06", "KA07", "KA08", "KA09"),
    ("inner", "artificial"): ("KI01", "KI03", "KI05", "KI07", "KI08"),
    ("outer", "real"): ("KA04", "KA15", "KA16", "KA22"),
    ("inner", "real"): ("KI04", "KI14", "KI16", "KI17", "KI18"),
}
RESERVED = ("K001", "KA30", "KI21", "KB23")
BOTH_RINGS = ("KB24", "KB27")

_STATES = {bearing: state for state, bearings in BEARINGS.items() for bearing in bearings}
_BEARING = r"K(?:[ABI]\d{2}|\d{3})"
_RECORDING = re.compile(rf"(?P<setting>N\d{{2}}_M\d{{2}}_F\d{{2}})_(?P<bearing>{_BEARING})_(?P<repeat>\d+)")


SETTINGS = ("N15_M07_F10", "N09_M07_F10", "N15_M01_F10", "N15_M07_F04")
REPEATS = range(1, 21)
TRUNCATED = "N15_M01_F10_KA08_2"


def index(folder: Path) -> Index:
    """What lies below `folder`: usually one folder per bearing, as the archives unpack."""
    found = find(folder, {".mat"}, _RECORDING)
    expected = _STATES.keys() - {name["bearing"] for _, name in found}
    if packed := [path for path, name in find(folder, {".rar"}, re.compile(_BEARING)) if name[0] in expected]:
        more = f", and {len(packed) - 1} more" if packed[1:] else ""
        raise RecordingError(f"{packed[0]}: still packed{more}; unpack the archives with unar or unrar")
    entries, left_out = parted(found, partial(_entry, folder))
    return collect(folder, entries, "N15_M07_F10_KA01_1.mat and the like", left_out)


def _entry(folder: Path, path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    """Why a file stays closed is decided by its name alone, so that no reserved signal is ever touched."""
    bearing = name["bearing"]
    if bearing in RESERVED:
        return f"{bearing} is reserved for a later confirmation"
    if bearing in BOTH_RINGS:
        return f"{bearing} is damaged on both rings, which is outside the task"
    if bearing not in _STATES:
        return f"{bearing} is not a bearing of the release"
    if "Fehlerhaft" in path.relative_to(folder).parts:
        return "Fehlerhaft holds recordings whose vibration amplifier was off"
    if path.stem == TRUNCATED:
        return "the official archive holds it truncated: its vibration stops after 190,937 samples"
    label, damage = _STATES[bearing]
    condition = {"setting": name["setting"], "repeat": name["repeat"], "damage": damage}
    # By name: the position of a channel in `Y` is not promised anywhere.
    read = partial(load, path, f"{path.stem}.Y.{CHANNEL}.Data", RATE)
    return ReleaseEntry(path.stem, label, bearing, condition, path, read)


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed:
    """By the setting, with which a name begins: N15 is 1500 rpm, N09 is 900."""
    return Speed.of_rpm(100 * int(recording[1:3]))


RELEASE = described(
    "paderborn",
    index,
    channel=CHANNEL,
    rate=RATE,
    classes=CLASSES,
    label_of=lambda id: _STATES[id.split("_")[-2]][0],
    speed_of=speed_of,
    ids=(
        id
        for bearing, setting, repeat in product(_STATES, SETTINGS, REPEATS)
        if (id := f"{setting}_{bearing}_{repeat}") != TRUNCATED
    ),
    least_samples=249_940,  # of 256,000 as a rule
)
