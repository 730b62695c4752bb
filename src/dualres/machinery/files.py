"""Writing files so that a reader never meets half of one."""

import json
import os
import tempfile
from pathlib import Path

from dualres.errors import OutputError


def check_writable(path: Path) -> None:
    """An error now rather than after an hour's work; nothing is changed on the disk."""
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; give the name of a file")
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    if not nearest.is_dir():
        raise OutputError(f"{path}: its folder cannot be made, for {nearest} is a file; choose another place")
    if not os.access(nearest, os.W_OK):
        raise OutputError(f"{path}: {nearest} cannot be written to; choose another place")


def compact_json(value: object) -> str:
    """Without a space that is not part of a text."""
    return json.dumps(value, separators=(",", ":"))


def write_whole(path: Path, content: bytes) -> None:
    """Write to a temporary file beside `path`, force it to disk, then move it into place."""
    try:
        check_writable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror}); choose another place") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)  # mkstemp makes files private; this one is as any other
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
