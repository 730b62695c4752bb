"""The PHM Society's 2009 gearbox, in the labelled ("expanded") release.

Each recording is one zip, `<case>/<case>_<speed>hz_<High|Low>_<repeat>.zip`, with one text of three columns in it:
volts of the input-side accelerometer, volts of the output-side one, and the tachometer. The texts may also lie there
unpacked.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from dualres.bench.datasets.release import Index, ReleaseEntry, collect, described, find
from dualres.errors import RecordingError
from dualres.recordings.recording import Samples
from dualres.recordings.speed import Speed, speed_in

RATE = Fraction(200_000, 3)  # Hz
CHANNEL = "column 1: input-side accelerometer, volts"
CLASSES = (*(f"H{i}" for i in range(1, 7)), *(f"S{i}" for i in range(1, 9)))

_STEM = re.compile(r"(?P<case>helical [1-6]|spur [1-8])_(?P<hz>30|35|40|45|50)hz_(?P<load>High|Low)_(?P<repeat>[12])")
_COLUMNS = 3
_MOST_BYTES = 64 * 2**20  # five times the longest released text: what is larger is none of them
_REMEDY = "get the file again from the release"


def index(folder: Path) -> Index:
    """The recordings below a folder, by the release's file names; an unpacked text yields to its zip."""
    zipped = [_entry(path, match) for path, match in find(folder, {".zip"}, _STEM)]
    unpacked = [_entry(path, match) for path, match in find(folder, {".txt"}, _STEM)]
    zip_of = {entry.id: entry.path for entry in zipped}
    entries = sorted(zipped + [e for e in unpacked if e.id not in zip_of], key=lambda entry: entry.id)
    left_out = [(e.path, f"{zip_of[e.id].name} holds the same recording") for e in unpacked if e.id in zip_of]
    return collect(folder, entries, "'helical 1_30hz_High_1.zip' and its like", left_out)


def _entry(path: Path, match: re.Match[str]) -> ReleaseEntry:
    kind, number = match["case"].split()
    id = f"{kind}{number}_{match['hz']}hz_{match['load'].lower()}_{match['repeat']}"
    condition = {"shaft_hz": match["hz"], "load": match["load"], "repeat": match["repeat"]}
    return ReleaseEntry(id, label_of(id), match["case"], condition, path, partial(_read, path))


def label_of(recording: str) -> str:
    case = recording.partition("_")[0]  # "helical1"
    return f"{case[0].upper()}{case[-1]}"


def _read(path: Path) -> Samples:
    text = _unzip(path) if path.suffix.lower() == ".zip" else _plain(path)
    if not text.strip():
        raise RecordingError(f"{path}: its text is empty; {_REMEDY}")
    try:
        # One column is used and all are parsed: a line that was cut short shows by having fewer.
        table = np.loadtxt(io.BytesIO(text), np.float32, comments=None, ndmin=2, encoding="ascii")
    except ValueError as error:
        raise RecordingError(f"{path}: its text is damaged ({error}); {_REMEDY}") from error
    if table.shape[1] != _COLUMNS:
        raise RecordingError(f"{path}: its text has {table.shape[1]} columns, not {_COLUMNS}; {_REMEDY}")
    volts = table[:, 0].copy()  # not a view, which would keep all columns
    if not np.isfinite(volts).all():
        raise RecordingError(f"{path}: it holds values that are not finite; {_REMEDY}")
    return volts


def _plain(path: Path) -> bytes:
    try:
        _refuse_oversized(path, path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error}); {_REMEDY}") from error


def _unzip(path: Path) -> bytes:
    """The text in a zip, which must hold nothing else."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if [member.filename for member in members] != [f"{path.stem}.txt"]:
                raise RecordingError(f"{path}: should hold {path.stem}.txt and nothing else; {_REMEDY}")
            _refuse_oversized(path, members[0].file_size)
            with archive.open(members[0]) as file:
                return file.read(_MOST_BYTES)  # the size in the zip's directory may be a lie
    except RecordingError:
        raise
    except (OSError, EOFError, ValueError, RuntimeError, struct.error, zlib.error, zipfile.BadZipFile) as error:
        raise RecordingError(f"{path}: not an intact zip ({error}); {_REMEDY}") from error


def _refuse_oversized(path: Path, size: int) -> None:
    if size > _MOST_BYTES:
        raise RecordingError(f"{path}: its text would take {size} bytes, a released one takes 14 million; {_REMEDY}")


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed | None:
    """Of the input shaft, as the name says; it slips by up to 2 %."""
    return speed_in(condition)


def _ids() -> Iterator[str]:
    cases = [f"helical{i}" for i in range(1, 7)] + [f"spur{i}" for i in range(1, 9)]
    for case, hz, load, repeat in product(cases, (30, 35, 40, 45, 50), ("high", "low"), (1, 2)):
        yield f"{case}_{hz}hz_{load}_{repeat}"


def _least_samples(recording: str) -> int:
    """One is shorter than all others."""
    return 245_648 if recording == "helical5_50hz_high_2" else 266_650


RELEASE = described(
    "phm2009",
    index,
    channel=CHANNEL,
    rate=RATE,
    classes=CLASSES,
    label_of=label_of,
    speed_of=speed_of,
    ids=_ids(),
    least_samples=_least_samples,
)
