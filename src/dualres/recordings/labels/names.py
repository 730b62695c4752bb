"""Where the names in a list lead. One file has one name, however a list spells it."""

import os
from pathlib import Path, PurePath
from posixpath import normpath

from dualres.errors import RecordingError
from dualres.utils.special_files import is_own_link


class NamesBelow:
    """Of files below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.root = folder, folder.resolve()
        self._within = f"{self.root}{os.sep}"
        self._parents: dict[str, str] = {}  # as they are spelled -> without links

    def file(self, name: str, real: str) -> Path:
        """As the folder was given, with the shortest spelling of the name; an error for one that leads outside, but by
        a link that the user has put there to a file of the user's own."""
        if not self.holds(real):
            if not wanders(name) and is_own_link(self._folder / name):
                return self._folder / name
            raise RecordingError(f"{name} lies outside the folder {self._folder}; give one above it")
        return self._folder / (real[len(self._within) :] if wanders(name) else name)

    def holds(self, real: str) -> bool:
        """Whether a file, without links, lies below the folder."""
        return real.startswith(self._within) or real == str(self.root)

    def real(self, name: str) -> str:
        """The file itself, without links; an error where that cannot be a file."""
        whole = name if os.path.isabs(name) else self._within + name  # noqa: PTH117 - thousands of names
        try:
            head, _, tail = whole.rpartition(os.sep)
            if tail in ("", os.curdir, os.pardir) or "\0" in whole:
                return str(Path(whole).resolve())
            if head not in self._parents:
                self._parents[head] = str(Path(head or os.sep).resolve()).rstrip(os.sep)
            real = f"{self._parents[head]}{os.sep}{tail}"
            return str(Path(real).resolve()) if os.path.islink(real) else real  # noqa: PTH114
        except (OSError, ValueError, RuntimeError) as error:  # a NUL within the name, links in a circle
            raise RecordingError(f"{whole!r} cannot be a file ({error}); correct the name") from error

    def key(self, name: str) -> str:
        """By which two spellings of one name are the same; of a name that leads nowhere, itself."""
        if not wanders(name):
            return normpath(name)
        try:
            return name_below(self._folder, self.file(name, self.real(name)))
        except RecordingError:
            return name


def name_below(folder: Path, file: Path) -> str:
    """With slashes; as `relative_to`, which takes ten times as long."""
    whole, start = str(file), f"{folder}{os.sep}"
    found = whole[len(start) :] if whole.startswith(start) else str(file.relative_to(folder))
    return found.replace(os.sep, "/")


def wanders(name: str) -> bool:
    """Whether a name goes up or begins at the top, perhaps through links, so that only what it leads to counts."""
    return (".." in name and ".." in PurePath(name).parts) or os.path.isabs(name)  # noqa: PTH117
