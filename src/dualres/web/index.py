"""Everything in a folder that can be looked at, by id. Made anew only where the folder or its list has changed."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from dualres.recordings.labels.cells import RowKey
from dualres.recordings.labels.edit import place_of
from dualres.recordings.labels.read import LabelRow, rows_below
from dualres.recordings.labels.table import LABELS, refuse_unusual
from dualres.recordings.labels.tree import FolderTree

MODELS = "models"  # where fits lie, below the folder


@dataclass(frozen=True)
class FileEntry:
    """A row of the list, or a file that it does not name."""

    id: str  # stands for it in every address, so that no path does
    name: str  # relative to the folder, with the channel and part that the list picks
    row: LabelRow
    place: RowKey


class FolderIndex:
    def __init__(self, folder: Path) -> None:
        self._folder, self._tree, self._lock = folder, FolderTree(folder), Lock()
        self._made_of: tuple[list[Path], bytes | None] | None = None
        self._entries: dict[str, FileEntry] = {}

    def entries(self) -> Sequence[FileEntry]:
        """In the order of the names."""
        return list(self._by_id().values())

    def entry(self, id: str) -> FileEntry | None:
        return self._by_id().get(id)

    def _by_id(self) -> dict[str, FileEntry]:
        with self._lock:
            files, content = self._tree.files(), self._list()
            if self._made_of is None or files is not self._made_of[0] or content != self._made_of[1]:
                rows = rows_below(self._folder, unlabelled=True, problems=True, files=files)
                models = self._folder / MODELS
                found = (entry_of(row, self._folder) for row in rows if row.file.parent != models)
                self._entries = {one.id: one for one in sorted(found, key=lambda one: one.name)}
                self._made_of = files, content
            return self._entries

    def _list(self) -> bytes | None:
        path = self._folder / LABELS
        if not path.exists():
            return None
        refuse_unusual(path)
        return path.read_bytes()


def entry_of(row: LabelRow, folder: Path) -> FileEntry:
    place = place_of(row, folder)
    name = row.listed_in if row.problem else place.file + row.which
    known = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]  # also where a name is no text
    return FileEntry(known, name, row, place)
