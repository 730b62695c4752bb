"""The recordings below a folder that is looked at again and again: only what has changed is listed anew."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from dualres.recordings.formats.registry import suffixes
from dualres.recordings.labels.read import is_recording

COARSEST_NS = 2_000_000_000  # between two times of change that some disk can tell apart


@dataclass(frozen=True)
class _Listing:
    """What lay in one folder."""

    changed_ns: int
    sure: bool  # whether a later change shows as a later time
    folders: tuple[str, ...]
    files: tuple[str, ...]  # that may be recordings


class FolderTree:
    """Lists a folder's files; for several threads, each call by itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listings: dict[str, _Listing] = {}
        self._files: list[Path] = []

    @property
    def folders(self) -> frozenset[str]:
        """The folder and those below it, as of the last look."""
        return frozenset(self._listings)

    def files(self) -> list[Path]:
        """As `files_below`; the very same list as long as nothing was added, removed or renamed."""
        known, seen, waiting = self._listings, dict[str, _Listing](), [str(self._folder)]
        closed = _Listing(0, False, (), ("",))  # the folder itself: whoever reads it says why nothing of it is there
        while waiting:
            folder = waiting.pop()
            try:
                seen[folder] = _listing(folder, known.get(folder))
            except PermissionError:
                seen[folder] = closed
            except FileNotFoundError:
                if folder == str(self._folder):
                    raise
                continue  # it has just gone
            waiting += (os.path.join(folder, name) for name in seen[folder].folders)  # noqa: PTH118
        here = {folder: one.files for folder, one in seen.items()}
        if here != {folder: one.files for folder, one in known.items()}:
            self._files = sorted(Path(folder, name) for folder, names in here.items() for name in names)
        self._listings = seen
        return self._files


def _listing(folder: str, known: _Listing | None) -> _Listing:
    changed_ns = os.stat(folder).st_mtime_ns  # noqa: PTH116 - of each folder, at every look
    if known and known.sure and known.changed_ns == changed_ns:
        return known
    begun_ns, readable = time.time_ns(), suffixes()
    folders, files, sure = [], [], begun_ns - changed_ns > COARSEST_NS
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
            elif is_recording(name, readable):
                if entry.is_symlink():
                    sure = False  # what it leads to may come and go elsewhere
                if entry.is_file():
                    files.append(name)
    return _Listing(changed_ns, sure, tuple(sorted(folders)), tuple(sorted(files)))
