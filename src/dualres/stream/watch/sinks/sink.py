"""The interface of a sink of verdicts, and the file access that several of them share."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from dualres.stream.watch.records import VerdictRecord


class NotDeliveredError(Exception):
    """Verdicts that did not arrive, or may not have arrived; all of them are sent again."""


class ClosedError(Exception):
    """Nobody will ever read this sink again, as when `head` has seen enough."""


class Sink(ABC):
    """Runs in a thread of its own; it is given verdicts in their order, and again those that it did not deliver."""

    at_once = 200  # verdicts that it is given together, at most

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def send(self, records: Sequence[VerdictRecord]) -> None:
        """All of them have arrived when this returns; an error, such as a `NotDeliveredError`, if one has not."""

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """After the last `send`."""


def append(path: Path, lines: str, header: str = "") -> None:
    """Add lines and force them to the disk; a line that was cut off by a crash is taken away first."""
    with path.open("a+b") as file:
        size = file.seek(0, os.SEEK_END)
        whole = _end_of_last_line(file, size)
        if whole < size:
            file.truncate(whole)
        file.write(((header if not whole else "") + lines).encode())
        file.flush()
        os.fsync(file.fileno())


def _end_of_last_line(file: BinaryIO, size: int) -> int:
    at = size
    while at:
        begin = max(0, at - 4096)
        file.seek(begin)
        found = file.read(at - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return 0
