"""MCC5-THU: a two-stage gearbox whose speed or torque varies within every recording.

Twenty states (healthy, missing teeth, and six faults at three severities) under twelve conditions make 240 csv files of
60 s. The release is a zip in a zip. It is read from the extracted files or, where there are none, from the archive as
it was downloaded.
"""

import io
import re
import shutil
import tempfile
import warnings
import weakref
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

import numpy as np

from dualres.bench.datasets.release import Index, Refusal, ReleaseEntry, collect, described, find, is_junk, parted
from dualres.errors import RecordingError
from dualres.recordings.recording import Recording, Samples
from dualres.recordings.speed import Speed
from dualres.recordings.tachometer import tachometer_speed
from dualres.simulated.rig import FIRST_PAIR, GEARBOX_SETTINGS, STATES, GearboxSetting

RATE = Fraction(12_800)  # Hz
CHANNEL = "gearbox_vibration_x"
PULSES = "speed"  # of the motor, one in a revolution
GEARED = FIRST_PAIR[0] / FIRST_PAIR[1]  # turns of the intermediate shaft in one of the motor

# What the release calls each class.
NAMES = {
    "healthy": "health",
    "missing_teeth": "miss_teeth",
    "wear": "gear_wear",
    "pitting": "gear_pitting",
    "crack": "teeth_crack",
    "break": "teeth_break",
    "break+inner": "teeth_break_and_bearing_inner",
    "break+outer": "teeth_break_and_bearing_outer",
}

# A file of 60 s takes about 75 MB. An archive in an archive is hardly compressed once more.
MOST_CSV_BYTES = 512 * 2**20
MOST_INFLATION = 20

Table = tuple[Samples, Samples]  # vibration and pulses

_ANY = re.compile(".*")


class Mcc5Setting(GearboxSetting):
    @property
    def state(self) -> str:
        """The gears and bearings fitted: a class at a severity."""
        name = NAMES[self.label]
        return f"{name}_{self.severity}" if self.severity else name

    @property
    def id(self) -> str:
        """The file's stem; each mode has its own order and its own separator."""
        condition = f"{self.torque}Nm-{self.rpm}rpm" if self.mode == "speed" else f"{self.rpm}rpm_{self.torque}Nm"
        return f"{self.state}_{self.mode}_circulation_{condition}"


SETTINGS = tuple(Mcc5Setting(*astuple(setting)) for setting in GEARBOX_SETTINGS)
_KNOWN = {setting.id: setting for setting in SETTINGS}  # whole names: one state is the beginning of two others


def index(source: Path) -> Index:
    """The recordings below a folder, extracted or in archives, or those in one archive."""
    entries: list[ReleaseEntry] = []
    left_out: list[Refusal] = []
    archives = [source]
    if not source.is_file():
        archives = [path for path, _ in find(source, {".zip"}, _ANY)]
        extracted = find(source, {".csv"}, _ANY)
        entries, left_out = parted(extracted, lambda path, name: _entry(name[0], path, partial(_read_file, path)))
    if entries:
        left_out += [(path, "not opened, for there are extracted files") for path in archives]
        archives = []
    for path, archive in ((zipped, archive) for zipped in archives for archive in _opened(zipped)):
        for member in _members(archive, ".csv"):
            read = partial(_read_member, path, archive, member)
            one = _entry(PurePosixPath(member.filename).stem, path, read)
            if isinstance(one, ReleaseEntry):
                entries.append(one)
            else:
                left_out.append((path, f"{member.filename} in it: {one}"))
    looked_for = "the release's 240 csv files, such as health_speed_circulation_10Nm-1000rpm.csv, or its zip archive"
    return collect(source, entries, looked_for, left_out)


class _Reader:
    """Reads a table once for its vibration and for the speed, which is asked for next."""

    def __init__(self, read: Callable[[], Table]) -> None:
        self._read = read
        self._pulses: Samples | None = None

    def vibration(self) -> Samples:
        signal, self._pulses = self._read()
        return signal

    def speed(self) -> Speed:
        """Of the intermediate shaft, which carries every fault; the pulses are the motor's."""
        pulses = self._read()[1] if self._pulses is None else self._pulses
        self._pulses = None
        return tachometer_speed(pulses, float(RATE)).geared(GEARED)


def _entry(name: str, path: Path, read: Callable[[], Table]) -> ReleaseEntry | str:
    if name not in _KNOWN:
        return "no recording of the release has this name"
    setting, reader = _KNOWN[name], _Reader(read)
    return ReleaseEntry(name, setting.label, setting.state, setting.condition, path, reader.vibration, reader.speed)


def speed_of(recording: str, condition: Mapping[str, str]) -> Speed | None:
    """Of the intermediate shaft, as set, while the torque varies; where the speed does, its pulses tell."""
    return Speed.of_rpm(int(condition["rpm"])).geared(GEARED) if condition.get("mode") == "torque" else None


def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, and each archive directly inside it."""
    try:
        outer = zipfile.ZipFile(path)
        yield outer
        archives = list(_members(outer, ".zip"))
        claimed = sum(member.file_size for member in archives)
        if claimed > MOST_INFLATION * path.stat().st_size:
            limit = "far more than an archive of its size can hold"
            raise RecordingError(f"{path}: the archives in it claim {claimed} bytes, {limit}; download it again")
        for member in archives:
            yield _inner(outer, member)
    except RecordingError:
        raise
    except Exception as error:  # whatever zipfile and its decompressors make of the file
        remedy = "download it again, or unpack it and give the folder"
        raise RecordingError(f"{path}: cannot be opened ({error}); {remedy}") from error


def _inner(outer: zipfile.ZipFile, member: zipfile.ZipInfo) -> zipfile.ZipFile:
    """An archive in an archive, copied to an unnamed file: only so can its members be read one at a time."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the archive that reads from it
    try:
        with outer.open(member) as packed:
            shutil.copyfileobj(packed, copy, 2**20)
        inner = zipfile.ZipFile(copy)
    except BaseException:
        copy.close()
        raise
    weakref.finalize(inner, copy.close)
    return inner


def _members(archive: zipfile.ZipFile, suffix: str) -> Iterator[zipfile.ZipInfo]:
    for member in archive.infolist():
        path = PurePosixPath(member.filename)
        if path.suffix.lower() == suffix and not is_junk(path) and not member.is_dir():
            yield member


def _read_file(path: Path) -> Table:
    try:
        with path.open("rb") as file:
            return _columns(file, str(path))
    except OSError as error:
        reason = f"cannot be read ({error.strerror}); check the path and its permissions"
        raise RecordingError(f"{path}: {reason}") from error


def _read_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Table:
    where = f"{path}, {member.filename}"
    if member.file_size > MOST_CSV_BYTES:
        raise RecordingError(f"{where}: claims {member.file_size} bytes, far more than a recording has; leave it out")
    try:
        with archive.open(member) as file:
            return _columns(file, where)
    except RecordingError:
        raise
    except Exception as error:  # whatever zipfile and its decompressors make of the file
        raise RecordingError(f"{where}: damaged ({error}); download the archive again") from error


def _columns(file: IO[bytes], where: str) -> Table:
    """The channel's column and the pulses', found by the header; no pulses where they have none."""
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace") as text, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about a file without rows, which `signal` refuses below
        header = [name.strip() for name in text.readline().split(",")]
        if CHANNEL not in header:
            raise RecordingError(f"{where}: no column {CHANNEL} in its header, which reads {','.join(header)[:200]!r}")
        used = [header.index(name) for name in (CHANNEL, PULSES) if name in header]
        parsed = [*used, len(header) - 1]  # the last column as well: a line that was cut short shows by lacking it
        try:
            table = np.loadtxt(text, np.float32, comments=None, delimiter=",", usecols=parsed, ndmin=2)
        except ValueError as error:
            raise RecordingError(f"{where}: damaged below its header ({error}); download it again") from error
    samples = np.ascontiguousarray(table[:, 0])
    pulses = table[:, 1] if len(used) > 1 else np.zeros(len(table), np.float32)
    return Recording(where, lambda: samples, RATE).signal, np.ascontiguousarray(pulses)


RELEASE = described(
    "mcc5",
    index,
    channel=CHANNEL,
    rate=RATE,
    classes=STATES,
    label_of=lambda id: _KNOWN[id].label,
    speed_of=speed_of,
    ids=_KNOWN,
    least_samples=59 * int(RATE),  # of 60 s; nobody promises the last sample
)
