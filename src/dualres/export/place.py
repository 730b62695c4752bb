"""Putting an export where the user wants it: whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dualres.errors import OutputError
from dualres.files import check_writable, write_whole


def check_folder(folder: Path, overwrite: bool) -> None:
    """An error unless the folder can be made, or may be written into."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; give the name of a folder")
    check_writable(folder / "x")
    if not overwrite and folder.is_dir() and any(folder.iterdir()):
        raise OutputError(f"{folder}: is not empty; choose another folder, or --overwrite")


def check_file(path: Path, overwrite: bool) -> None:
    """An error unless the file can be written, or may be replaced."""
    check_writable(path)
    if not overwrite and path.exists():
        raise OutputError(f"{path}: exists; choose another name, or --overwrite")


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Files by their names below a folder, as they are."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def place(files: Mapping[str, bytes], folder: Path) -> None:
    """A new folder appears complete; in one that holds something, files of the same names are replaced."""
    if folder.is_dir() and any(folder.iterdir()):
        for name, content in files.items():
            write_whole(folder / name, content)
        return
    staging = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent.absolute()))
        write_files(files, staging)
        umask = os.umask(0)
        os.umask(umask)
        staging.chmod(0o777 & ~umask)  # mkdtemp makes folders private; this one is as any other
        if folder.is_dir():
            folder.rmdir()
        staging.rename(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written ({error.strerror}); choose another place") from error
    finally:
        if staging:
            shutil.rmtree(staging, ignore_errors=True)  # after the renaming there is nothing left of it
