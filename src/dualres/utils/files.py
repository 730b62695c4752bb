"""Writing files so that a reader never meets half of one."""

import errno
import json
import os
from pathlib import Path

from dualres.errors import OutputError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the disk, the user's share of it, or a file is full


def _umask() -> int:
    os.umask(was := os.umask(0))
    return was


# Asked once, as the module is loaded: asking sets it for a moment, for all threads.
_UMASK = _umask()


def check_writable(path: Path) -> None:
    """An error now rather than after an hour's work; nothing is changed on the disk."""
    check_name(path)
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; give the name of a file")
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    if not nearest.is_dir():
        raise OutputError(f"{path}: its folder cannot be made, for {nearest} is a file; choose another place")
    if not os.access(nearest, os.W_OK):
        raise OutputError(f"{path}: {nearest} cannot be written to; choose another place")


def check_output(path: Path) -> None:
    """As `check_writable`, of a file that somebody names: its folder must be there, for it may be misspelt."""
    check_writable(path)
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path}: there is no folder {path.parent}; make it first, or choose another place")


def check_name(path: Path) -> None:
    """An error for a name that no file or folder can have: a longer one than the system takes, or one with a NUL."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass  # it can have that name
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise OutputError(f"{str(path)[:200]}: cannot be the name of a file ({reason}); choose another name") from error


def compact_json(value: object) -> str:
    """Without a space that is not part of a text."""
    return json.dumps(value, separators=(",", ":"))


def write_whole(path: Path, content: bytes, *, precious: bool = False) -> None:
    """Write to a temporary file beside `path`, force it to disk, then move it into place. What is `precious` took long
    to make: where that fails it is kept elsewhere, and the error says where."""
    try:
        _write(path, content)
    except OutputError as error:
        if not precious:
            raise
        raise OutputError(f"{error}. {_kept_elsewhere(path.name, content)}") from error


def no_room(place: Path, needed: int, error: OSError) -> OutputError:
    """The error of a file or folder of `needed` bytes that the system did not let be written."""
    if error.errno not in NO_ROOM:
        return OutputError(f"{place}: cannot be written ({error.strerror}); choose another place")
    import shutil

    folder = next(folder for folder in place.absolute().parents if folder.exists())
    room = f"{needed:,} bytes are needed in {folder}, and its disk has {shutil.disk_usage(folder).free:,} free"
    return OutputError(f"{place}: cannot be written ({error.strerror}); {room}: make room, or choose another place")


def remove_remains(folder: Path, names: str) -> None:
    """Remove what writers of such files, as a pattern, left half-written in a folder when they were killed.

    Nobody else may be writing there.
    """
    for path in folder.glob(f".{names}.????????"):  # as `_write` has them named
        path.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    import tempfile

    temporary = None
    try:
        check_writable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_UMASK)  # mkstemp makes files private; this one is as any other
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise no_room(path, len(content), error) from error
        raise


def _kept_elsewhere(name: str, content: bytes) -> str:
    """Where it is now, in a sentence: in a new folder below that for temporary files, or else in the user's own."""
    import tempfile

    for parent in (Path(tempfile.gettempdir()), Path.home()):
        try:
            folder = Path(tempfile.mkdtemp(prefix="dualres-kept-", dir=parent))
            _write(folder / name, content)
        except (OSError, OutputError):
            continue
        return f"It was kept: {folder / name}"
    return f"It could not be kept in {tempfile.gettempdir()} either, and is lost"
