"""What machines do is nobody else's to read: folders of spools, and spools, are their user's alone."""

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
BESIDE = ("", "-wal", "-shm", "-journal")  # files that SQLite keeps, behind a spool's name


def keep_private(spool: Path) -> None:
    """Make the folder and an empty file where there is none, and withdraw what others may, where both are ours. A link
    in the place of the spool is an error."""
    _make(spool.parent)
    if _is_ours(spool.parent):
        _withdraw(spool.parent, FOLDER)
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(spool, flags | os.O_CREAT, FILE)
    os.close(descriptor)
    for ending in BESIDE:
        one = spool.with_name(spool.name + ending)
        if not one.is_symlink() and one.is_file() and _is_of_us(one):
            _withdraw(one, FILE)


def _make(folder: Path) -> None:
    """Also the folders above it, with the same rights."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent)
        folder.mkdir(mode=FOLDER, exist_ok=True)


def _withdraw(path: Path, mode: int) -> None:
    with suppress(OSError):  # file systems of memory cards know no rights
        path.chmod(mode)


def _is_ours(folder: Path) -> bool:
    """Whether it is for spools alone: somebody may have named a folder in which others have files, too."""
    shared = folder.stat().st_mode & stat.S_ISVTX  # as /tmp is
    return not shared and _is_of_us(folder) and all(".sqlite" in one.name for one in folder.iterdir())


def _is_of_us(path: Path) -> bool:
    return not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()
