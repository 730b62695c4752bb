"""A text file to which whole lines are added."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


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
