"""One writer at a time in a folder, among all processes of this package."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dualres.errors import OutputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".dualres-lock"
PATIENCE_S = 20.0  # for whoever is writing; an edit of a list of 200,000 lines takes about a second
POLL_S = 0.002


@dataclass
class Turn:
    """Of one writer. What is unfinished at its end, because it was killed for example, the next one finds so."""

    unfinished: bool


@contextmanager
def alone_in(folder: Path, patience_s: float = PATIENCE_S) -> Iterator[Turn]:
    """Wait until nobody else is, then be it.

    The system lets go of the lock when its holder ends, however that ends, so that none is ever stale. Who has finished
    removes the file; one that nobody holds was left by a process that was killed.
    """
    path, end = folder / LOCK, time.monotonic() + patience_s
    while True:
        descriptor, left_behind = _opened(path)
        try:
            while not _taken(descriptor):
                if time.monotonic() > end:
                    raise OutputError(
                        f"{folder}: another process has been writing for {patience_s:.0f} s, and nothing was saved; "
                        "try again, and end a dualres that hangs"
                    )
                time.sleep(POLL_S)
            if _is_at(descriptor, path):
                break
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # removed by its last holder while we waited
    turn = Turn(left_behind)
    try:
        yield turn
    finally:
        if not turn.unfinished:
            with suppress(OSError):  # Windows removes no open file; there the next one looks for what was left
                path.unlink()
        os.close(descriptor)


def _opened(path: Path) -> tuple[int, bool]:
    """A descriptor, and whether the file was there."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    try:
        try:
            return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666), False
        except FileExistsError:
            pass
        try:
            return os.open(path, flags | os.O_CREAT, 0o666), True
        except PermissionError:  # of another user who shares the folder; a lock for reading is as good there
            return os.open(path, flags & ~os.O_RDWR), True
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror}), so nothing was saved") from error


def _taken(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
