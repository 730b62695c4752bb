"""Programs that write to a file and know no lock of ours: whether there are any now, and files that change places."""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of Linux
UNKNOWN_S = 0.02  # waited for a writer where the system does not tell of any
POLL_S = 0.001


def read_at_rest(path: Path, patience_s: float) -> bytes | None:
    """The content once nobody has the file open for writing; None where somebody keeps it open.

    Linux tells, on its own disks and of the user's own files. Elsewhere a moment is waited.
    """
    end = time.monotonic() + patience_s
    with path.open("rb") as file:
        while _is_being_written(file.fileno()):
            if time.monotonic() > end:
                return None
            time.sleep(POLL_S)
        return file.read()


def exchange_names(one: Path, other: Path) -> None:
    """Give each of two files the name of the other: at once on Linux, else by way of a third name, `one` with a ~."""
    if sys.platform == "linux" and _exchanged_at_once(one, other):
        return
    between = one.with_name(f"{one.name}~")
    try:
        between.hardlink_to(other)
    except OSError:  # no second names on this disk: for a moment, `other` is not there
        other.replace(between)
    one.replace(other)
    between.replace(one)


def _is_being_written(descriptor: int) -> bool:
    """By whether a lease for reading is granted, which the system does only where no descriptor may write."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # one that does nothing, should a lease be broken
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except BlockingIOError:
            return True
        except OSError:  # a network's disk, or somebody else's file
            pass
        else:
            with suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return False
    time.sleep(UNKNOWN_S)
    return False


def _exchanged_at_once(one: Path, other: Path) -> bool:
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    names = (AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other))
    return rename is not None and rename(*names, RENAME_EXCHANGE) == 0
