"""Putting an export where the user wants it: whole, or not at all."""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from dualres.errors import OutputError
from dualres.utils.files import check_name, check_writable, no_room

MARKS = ("dualres_model.h", "card.json")  # what tells an earlier export from any other folder
WITHIN = ("", "src/dualres/")  # where the first of them lies


def resolved(folder: Path | str) -> Path:
    """The folder itself, whatever links lead there."""
    try:
        return Path(folder).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name that no folder can have
        raise OutputError(f"{folder}: leads nowhere ({error}); choose another folder") from error


def check_folder(folder: Path, names: Iterable[str], overwrite: bool, *, marks: Collection[str] = MARKS) -> None:
    """An error unless the folder can be made, is empty, or holds an earlier export that may be replaced."""
    check_name(folder)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: is a file; give the name of a folder")
    if folder.is_dir() and any(folder.iterdir()):
        first, *others = marks
        made = any((folder / f"{within}{first}").is_file() for within in WITHIN)
        if not (made and all((folder / name).is_file() for name in others)):
            reason = f"is not empty, and no earlier export ({' and '.join(marks)}) that --overwrite could replace"
            raise OutputError(f"{folder}: {reason}; choose another folder")
        if not overwrite:
            raise OutputError(f"{folder}: is not empty; choose another folder, or --overwrite the export in it")
    for name in names:
        check_writable(folder / name)


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


def place(files: Mapping[str, bytes], folder: Path, gone: Collection[str] = ()) -> None:
    """Files by their names below a folder; those in `gone` are removed. A new folder appears complete; in one that is
    there, files are exchanged one by one, and what comes in between undoes it."""
    staging = None
    try:
        there = folder.is_dir()
        beside = folder if there else folder.parent
        beside.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".dualres-", dir=beside))
        write_files(files, staging / "new")
        if there:
            _exchange(files, gone, staging, folder)
        else:
            (staging / "new").rename(folder)
    except OSError as error:
        raise no_room(folder, sum(map(len, files.values())), error) from error
    finally:
        if staging:
            shutil.rmtree(staging, ignore_errors=True)


def _exchange(names: Collection[str], gone: Collection[str], staging: Path, folder: Path) -> None:
    """What is in the folder goes to `staging`/old, and what is in `staging`/new takes its place."""
    moves = [(folder / name, staging / "old" / name) for name in {*names, *gone} if os.path.lexists(folder / name)]
    moves += [(staging / "new" / name, folder / name) for name in names]
    tried = []
    try:
        for source, target in moves:
            tried.append((source, target))
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
    except BaseException:
        for source, target in reversed(tried):
            if not os.path.lexists(source):
                target.rename(source)
        raise
    finally:
        within = {one for name in (*names, *gone) for one in (folder / name).parents if folder in one.parents}
        for parent in sorted(within, key=lambda one: len(one.parts), reverse=True):
            with suppress(OSError):  # not empty, as a rule
                parent.rmdir()
