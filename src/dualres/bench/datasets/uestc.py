"""UESTC: one bearing in each of four states of health, at four constant speeds.

A file `signals/I_800.npy` holds one recording of 13.1 s: the state (N healthy, I inner, O outer, B ball) and the speed
in rpm. It is the first of five consecutive files that the release has of every run.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find
from dualres.recordings.readers import load
from dualres.recordings.speed import Speed, speed_in

RATE = Fraction(20_000)  # Hz
CHANNEL = "the one signal of a file"
LABELS = {"N": "healthy", "I": "inner", "O": "outer", "B": "ball"}
SPEEDS = (800, 1000, 1200, 1400)  # rpm

_STEM = re.compile(rf"(?P<state>[{''.join(LABELS)}])_(?P<rpm>{'|'.join(map(str, SPEEDS))})")


def index(folder: Path) -> Index:
    """The recordings below a folder, state by state and from slow to fast."""
    entries = [_entry(path, name) for path, name in find(folder, {".npy"}, _STEM)]
    order = [f"{state}_{rpm}" for state in LABELS for rpm in SPEEDS]
    return collect(folder, sorted(entries, key=lambda entry: order.index(entry.id)), "N_800.npy and the like")


def _entry(path: Path, name: re.Match[str]) -> ReleaseEntry:
    state, condition = name["state"], {"speed_rpm": name["rpm"]}
    return ReleaseEntry(name[0], LABELS[state], state, condition, path, partial(load, path, None, RATE))


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed | None:
    return speed_in(condition)


RELEASE = described(
    "uestc",
    index,
    channel=CHANNEL,
    rate=RATE,
    letters=LABELS,
    speed_of=speed_of,
    ids=(f"{state}_{rpm}" for state in LABELS for rpm in SPEEDS),
    least_samples=262_144,
)
