"""Only regular files are opened: a pipe keeps a reader waiting, and a device or a system's own file never ends."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from dualres.errors import RecordingError

SYSTEM = (Path("/proc"), Path("/sys"))  # what lies there looks like files, and is made while it is read

_SYSTEM = tuple(f"{place}{os.sep}" for place in SYSTEM)

MOST_LINKS = 40  # one after the other, as systems have it


def there(path: Path, what: Callable[[Path], bool] = Path.exists) -> bool:
    """Whether a path exists, or is `what` is asked for; not where nobody may look: whoever reads it says why."""
    try:
        return what(path)
    except OSError:
        return False


def unusual(path: Path) -> str:
    """Why an existing path is not to be opened, in words that follow its name; empty for a regular file or where
    nothing is known."""
    try:
        status = os.stat(path)  # noqa: PTH116 - of a hundred thousand files, each only once
        if stat.S_ISREG(status.st_mode):
            real = os.path.realpath(path)
            if not real.startswith(_SYSTEM):
                return ""
            return f"leads to {real}, which is the system's and no file; give a file"
        if path.is_dir():
            closed = not os.access(path, os.R_OK | os.X_OK)
            return (
                "is a folder that you may not open; ask its owner to let you" if closed else "is a folder; give a file"
            )
    except (OSError, ValueError, RuntimeError):
        return ""
    return "is not a regular file but a pipe, a device or a socket; give a file"


def is_own_link(path: Path) -> bool:
    """Whether a path is a link of the user's own that leads, by none but such links, to a file of the user's own; never
    where the system does not tell whose a file is."""
    own, linked = os.geteuid() if hasattr(os, "geteuid") else None, False
    try:
        for _ in range(MOST_LINKS):
            status = path.lstat()
            if status.st_uid != own:
                return False
            if not stat.S_ISLNK(status.st_mode):
                return linked and stat.S_ISREG(status.st_mode)
            path, linked = path.parent / path.readlink(), True
    except OSError:
        pass
    return False


def open_regular(path: Path) -> BinaryIO:
    """To be read, without a wait, whatever became of the path since somebody looked; a RecordingError for anything but
    a regular file."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordingError(f"{path}: is not a regular file; give a file")
    return os.fdopen(descriptor, "rb")
