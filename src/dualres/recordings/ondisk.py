"""Samples that stay in their file and are read in blocks, each time they are needed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dualres.errors import RecordingError
from dualres.recordings.formats.contents import Array
from dualres.recordings.formats.registry import FORMATS
from dualres.recordings.formats.sandbox import SHARED, Guard
from dualres.recordings.recording import BLOCK, Blockwise, FileStamp, Samples, changed_since, no_longer_readable

PACE = 256 << 20  # bytes of a file for which the time that a guard allows is granted once more


@dataclass(frozen=True)
class OnDisk(Blockwise):
    """A vector in a file, read through a guard. It can be sent to other processes, which read the file themselves."""

    path: Path
    stamp: FileStamp
    format: str  # a name of FORMATS
    channel: str  # the vector's full name
    length: int  # samples
    mean: float = float("nan")
    guard: Guard = field(default=SHARED, repr=False, compare=False)

    def blocks(self) -> Iterator[Samples]:
        return (vector.astype(np.float32, copy=False) for vector in self.vectors())

    def vectors(self, start: int = 0) -> Iterator[Array]:
        """Successive blocks of `BLOCK` samples in the file's own type, from sample `start` on."""
        format = FORMATS[self.format]
        # Few bytes can stand for samples without end, so the file's size says how long it may take.
        allowed_s, spent_s = self.guard.seconds * (1 + self.stamp.size / PACE), 0.0
        for first in range(start, self.length, BLOCK):
            begin = time.monotonic()
            try:
                _, vector = self.guard.extract(self.path, format, self.channel, first, first + BLOCK)
            except RecordingError:
                self._check_unchanged()
                raise
            self._check_unchanged()
            if vector is None or len(vector) != min(BLOCK, self.length - first):
                raise RecordingError(f"{self.path}: {self.channel} could not be loaded from sample {first} on")
            spent_s += time.monotonic() - begin
            if spent_s > allowed_s:
                raise RecordingError(
                    f"{self.path}: cannot be read as {format.title}: it was not done after {allowed_s:.3g} s; "
                    "the file is damaged or too large"
                )
            yield vector

    def _check_unchanged(self) -> None:
        try:
            now = FileStamp.of(self.path.stat())
        except OSError as error:
            raise no_longer_readable(self.path, error) from None
        if now != self.stamp:
            raise changed_since(self.path)
