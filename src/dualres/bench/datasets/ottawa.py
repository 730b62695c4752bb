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

RATE = Fraction(200_000)  # Hz
CHANNEL = "Channel_1"  # the accelerometer; Channel_2 is the encoder's pulse train

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
    return ReleaseEntry(path.stem, label, f"{label} bearing", condition, path, partial(load, path, CHANNEL, RATE))


RELEASE = described("ottawa", index, channel=CHANNEL, rate=RATE, letters=LABELS)
