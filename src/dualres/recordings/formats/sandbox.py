"""The process in which untrusted formats are parsed.

A damaged file can crash the library that reads it, keep it busy for ever or have it ask for all the memory there is. So
a child process does the reading, within limits, and is replaced when a file was too much for it. `sandbox_child` is
what runs there; here it is looked after, and what it says is checked.
"""

import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from fractions import Fraction
from io import FileIO
from pathlib import Path
from typing import Any, cast

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.child_start import start_child
from dualres.recordings.formats.contents import READY, SIZES, Array, Vector, printable
from dualres.recordings.formats.registry import Format
from dualres.utils.json_text import json_value
from dualres.utils.optional_imports import sentence

SECONDS = 20.0  # for one file, or for one part of a long one
MEMORY = 4 << 30  # bytes a child may have beyond what it needs to start
START_SECONDS = 60.0  # for importing libraries, on a busy machine
GRACE_SECONDS = 1.0  # for the child's own alarm to ring first

_LARGEST_HEADER = 16 << 20
_SENT = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
# Windows knows neither the alarm nor limits on memory; there, only crashes are guarded against.
_ALARM = getattr(signal, "SIGALRM", 0)
_RATE = re.compile(r"[0-9]{1,40}(/[0-9]{1,40})?")


class Guard:
    """Reads files in a child process that may use `seconds` and `memory` (bytes) for each."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self.seconds, self.memory = seconds, memory
        self.lost = 0  # children that died of a file
        self.late = 0  # children that ran out of time
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._spare: _Child | None = None
        _guards.add(self)

    def __reduce__(self) -> "str | tuple[type[Guard], tuple[float, int]]":
        """In another process: its own guard with the same limits, and one for all that share this one."""
        return "SHARED" if self is SHARED else (Guard, (self.seconds, self.memory))

    def extract(
        self, path: Path, format: Format, channel: str | None, *, start: int = 0, stop: int | None = None
    ) -> tuple[list[Vector], Array | None]:
        """As `formats.pick`, in the child; what goes wrong is a RecordingError that names the file.

        The limits hold for each call: a long file that is read in parts may take more time in all.
        """
        wanted = {"path": str(path.absolute()), "format": format.name, "channel": channel, "start": start, "stop": stop}
        request = wanted | {"seconds": self.seconds, "memory": self.memory}
        with self._lock:
            header, vector = self._ask(path, format, json.dumps(request).encode() + b"\n")
        if "missing" in header:
            raise RecordingError(sentence(f"{path}: reading {format.title}", str(format.library)))
        if "error" in header:
            raise RecordingError(f"{path}: cannot be read as {format.title}: {printable(header['error'])}")
        return header["listing"], vector

    def close(self) -> None:
        """End the children; the next file starts a new one."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        for child in (self._child, self._spare):
            if child:
                child.end()
        self._child = self._spare = None

    def _ask(self, path: Path, format: Format, request: bytes) -> tuple[dict[str, Any], Array | None]:
        child = self._ready_child(path, format)
        try:
            return child.ask(request, format, self.seconds, self.memory)
        except _LostError:
            status = child.end()
            # A bad file seldom comes alone: have one more child ready than is needed.
            self._child, self._spare = self._spare or _Child(format), _Child(format)
            reason = "the file is damaged, it crashed the library that reads it"
            if child.expired or status == -_ALARM:
                self.late += 1
                reason = f"it was not done after {self.seconds:g} s; the file is damaged or too large"
            else:
                self.lost += 1
            raise RecordingError(f"{path}: cannot be read as {format.title}: {reason}") from None
        except BaseException:  # interrupted between question and answer
            self._drop()
            raise

    def _ready_child(self, path: Path, format: Format) -> "_Child":
        if self._child and not self._child.alive:  # it died while it was idle, which is not this file's fault
            self._drop()
        self._child = self._child or _Child(format)
        try:
            self._child.start()
        except BaseException as error:
            self._drop()
            if not isinstance(error, _LostError):
                raise
            raise RecordingError(f"{path}: the process that is to read it does not start ({sys.executable})") from None
        return self._child

    def _forget(self) -> None:
        """In a fork: the children belong to the process that started them, and the lock may be held by nobody."""
        self._lock = threading.Lock()
        self._drop()


class _LostError(Exception):
    """The child is gone, or talks nonsense."""


class _Child:
    def __init__(self, format: Format) -> None:
        self._process = start_child(format.name)
        self.expired = False
        self._started = False
        self._libraries = {format.library}  # those it has imported
        self._deadline = 0.0
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll:
            self._poll.register(cast(FileIO, self._process.stdout), select.POLLIN)
        self.end = weakref.finalize(self, _end, self._process, os.getpid())  # at exit at the latest

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def start(self) -> None:
        if not self._started:
            self._deadline = time.monotonic() + START_SECONDS
            self._started = self._take(1) == READY

    def ask(self, request: bytes, format: Format, seconds: float, memory: int) -> tuple[dict[str, Any], Array | None]:
        """The checked header, its "listing" decoded, and the samples if there are any."""
        import_seconds = 0.0 if format.library in self._libraries else START_SECONDS
        self._deadline = time.monotonic() + import_seconds + seconds + GRACE_SECONDS
        self._libraries.add(format.library)
        try:
            cast(FileIO, self._process.stdin).write(request)
            return self._answer(memory)
        except (OSError, ValueError, KeyError, TypeError, MemoryError) as error:
            raise _LostError from error

    def _answer(self, most: int) -> tuple[dict[str, Any], Array | None]:
        header_size, size = SIZES.unpack(self._take(SIZES.size))
        if header_size > _LARGEST_HEADER or size > most:
            raise ValueError
        header = json_value(self._take(header_size))
        if "listing" not in header:
            (reason,) = {"missing", "error"} & set(header)
            return {reason: str(header[reason])}, None
        listing = [_listed(row) for row in header["listing"]]
        if header["dtype"] is None:
            return {"listing": listing}, None
        if header["dtype"] not in _SENT:
            raise ValueError
        vector = np.empty(size, np.uint8)
        self._fill(vector.data)
        return {"listing": listing}, vector.view(header["dtype"])

    def _take(self, size: int) -> bytes:
        buffer = bytearray(size)
        self._fill(memoryview(buffer))
        return bytes(buffer)

    def _fill(self, buffer: memoryview) -> None:
        while buffer:
            if self._poll and not self._poll.poll(1000 * max(0.0, self._deadline - time.monotonic())):
                self.expired = True
                raise _LostError
            count = cast(FileIO, self._process.stdout).readinto(buffer)
            if not count:
                raise _LostError
            buffer = buffer[count:]


def _end(process: subprocess.Popen[bytes], owner: int) -> int:
    """End a child and return its status: minus the signal it died of, if it was dead already."""
    assert process.stdin
    assert process.stdout
    process.stdin.close()
    process.stdout.close()
    if os.getpid() != owner:
        process.returncode = 0  # not ours to end or to wait for
        return 0
    process.kill()
    return process.wait()


def _listed(row: Sequence[Any]) -> Vector:
    name, length, kind, rate, note, unit, speed_hz = (*row, None, None, None)[: max(7, len(row))]
    sound = isinstance(name, str) and isinstance(length, int) and isinstance(kind, str) and length >= 0
    sound = sound and isinstance(note, str | None) and isinstance(unit, str | None)
    sound = sound and (speed_hz is None or (isinstance(speed_hz, float) and 0 < speed_hz < math.inf))
    if not sound or (rate is not None and not _RATE.fullmatch(rate)):
        raise ValueError
    return Vector(name, length, kind[:1], Fraction(rate) if rate else None, note, unit, speed_hz)


_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


def _forget_all() -> None:
    for guard in _guards:
        guard._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)

SHARED = Guard()
