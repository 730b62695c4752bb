"""Ottawa 2018: one bearing ER16K per state of health while the shaft's speed changes.

A file `H-A-1.mat` holds one recording of 10 s: the state of health, the speed profile (A increasing, B decreasing,
C increasing then decreasing, D the reverse) and the trial. The letters B and C occur in both places: `B-C-1` is the
ball fault under profile C.
"""

import re
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.recordings.readers import load
from dualres.recordings.speed import Speed
from dualres.recordings.tachometer import tachometer_speed

RATE = Fraction(200_000)  # Hz
CHANNEL = "Channel_1"  # the accelerometer
ENCODER, PULSES = "Channel_2", 1024  # of the shaft, and how many in a revolution

# The paper's table calls C a cage fault; the release says that inner race, outer race and ball are all damaged.
LABELS = {"H": "healthy", "I": "inner", "O": "outer", "B": "ball", "C": "combined"}

_RECORDING = re.compile(r"(?P<health>[HIOBC])-(?P<profile>[ABCD])-(?P<trial>[123])")


def index(folder: Path) -> Index:
    """What lies below `folder`: usually one folder per state of health."""
    entries, _ = parted(find(folder, {".mat"}, _RECORDING), _entry)
    return collect(folder, entries, "H-A-1.mat and the like")


def _entry(path: Path, name: re.Match[str]) -> ReleaseEntry:
    label = LABELS[name["health"]]
    condition = {"profile": name["profile"], "trial": name["trial"]}
    read = partial(load, path, CHANNEL, RATE)
    return ReleaseEntry(path.stem, label, f"{label} bearing", condition, path, read, partial(_speed, path))


def _speed(path: Path) -> Speed:
    return tachometer_speed(load(path, ENCODER, RATE), float(RATE), PULSES)


RELEASE = described(
    "ottawa",
    index,
    channel=CHANNEL,
    rate=RATE,
    letters=LABELS,
    ids=(f"{health}-{profile}-{trial}" for health in LABELS for profile in "ABCD" for trial in (1, 2, 3)),
    least_samples=2_000_000,
)
