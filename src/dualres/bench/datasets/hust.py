"""HUST (Hanoi): five types of bearing, seven states, three loads, one recording of each.

A name such as `IO602` reads: inner and outer ring cracked, bearing 6206, 200 W. The set of a similar name from
Huazhong, text files at 25.6 kHz, is another one.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find, parted
from dualres.recordings.readers import load
from dualres.recordings.speed import Speed

RATE = Fraction(51_200)  # Hz; no file says so, for `fs` in the files is the shaft's frequency
CHANNEL = "data"
SHAFT_HZ = 23.75  # the middle of what the files say

PARTS = {"N": "healthy", "I": "inner", "O": "outer", "B": "ball"}
LABELS = {state: "+".join(PARTS[letter] for letter in state) for state in ("N", "I", "O", "B", "IO", "IB", "OB")}
_RELEASED = re.compile("(?P<state>N|I|O|IO|OB|(?:B|IB)(?!4))(?P<bearing>[4-8])0(?P<load>[024])")  # B and IB lack 6204


def index(folder: Path) -> Index:
    entries, left_out = parted(find(folder, {".mat"}, re.compile("[A-Z]+[0-9]+")), _entry)
    return collect(folder, entries, "the release's .mat files, N400.mat to OB804.mat", left_out)


def _entry(path: Path, name: re.Match[str]) -> ReleaseEntry | str:
    released = _RELEASED.fullmatch(name[0])
    if not released:
        return (
            "no recording of the release has this name: it takes N, I, O, B, IO, IB or OB, a digit from 4 to 8 for the "
            "bearing (5 to 8 with B and IB), a 0, and the load 0, 2 or 4"
        )
    state, geometry, load_w = released["state"], f"620{released['bearing']}", 100 * int(released["load"])
    condition = {"geometry": geometry, "load": str(load_w)}
    read = partial(load, path, CHANNEL, RATE)
    return ReleaseEntry(name[0], LABELS[state], f"{state} {geometry}", condition, path, read)


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed:
    """Shafts turned at 22.5 to 25 Hz."""
    return Speed((SHAFT_HZ,), spread=0.03)


RELEASE = described(
    "hust",
    index,
    channel=CHANNEL,
    rate=RATE,
    classes=LABELS.values(),
    label_of=lambda id: LABELS[id[:-3]],
    speed_of=speed_of,
    ids=filter(_RELEASED.fullmatch, (f"{s}{n}0{load}" for s in LABELS for n in range(4, 9) for load in (0, 2, 4))),
    least_samples=512_000,
)
