"""Everything in a folder that can be looked at, by id. Made anew only where the folder or its list has changed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from dualres.recordings.labels.cells import RowKey
from dualres.recordings.labels.edit import place_of
from dualres.recordings.labels.names import NamesBelow, name_below
from dualres.recordings.labels.read import LabelRow, rows_below, unlisted
from dualres.recordings.labels.table import LABELS, refuse_unusual, text_in
from dualres.recordings.labels.tree import FolderTree
from dualres.recordings.labels.watched import WatchedRows
from dualres.web.changes import ChangeLog

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
        self._tree_lock = Lock()
        self._rows, self.log = WatchedRows(folder), ChangeLog()
        self._files: list[Path] = []
        self._folders: frozenset[str] = frozenset()
        self._content: bytes | None = None
        self._listed: list[FileEntry] | None = None  # in the order of the list; None before the first look
        self._listed_rows: list[LabelRow] | None = None  # of these, where a list names them
        self._reals: dict[str, str] = {}  # of every file, by its name: where it is without links
        self._unlisted: dict[str, FileEntry] = {}  # of files that no list names
        self.elsewhere = 0  # links to files out of the folder
        self._links = False  # whether one of them is a link, so that a row may be about several names
        self._entries: dict[str, FileEntry] = {}

    def entries(self) -> Sequence[FileEntry]:
        """In the order of the names."""
        return list(self._by_id().values())

    def entry(self, id: str) -> FileEntry | None:
        found = self._by_id(anew=False).get(id)
        if found is None or not (found.row.problem or found.row.file.exists()):
            found = self._by_id().get(id)
        return found

    def look(self, *, anew: bool = True) -> Mapping[str, FileEntry]:
        """All by id as they are now: by the list, and if `anew`, by the folder."""
        return self._by_id(anew=anew)

    def _by_id(self, *, anew: bool = True) -> dict[str, FileEntry]:
        with self._tree_lock:  # one look at a large folder takes long, and keeps nobody else waiting
            found = self._tree.files() if anew or self._listed is None else None
        with self._lock:
            first, files = self._listed is None, self._files if found is None else found
            content = self._list()
            if first or files is not self._files or content != self._content:
                self._update(files, content)
            return self._entries

    def _list(self) -> bytes | None:
        path = self._folder / LABELS
        if not path.exists():
            return None
        refuse_unusual(path)
        return path.read_bytes()

    def _update(self, files: list[Path], content: bytes | None) -> None:
        same_files = self._listed is not None and files is self._files
        if not same_files and self._folders != (folders := self._tree.folders):
            self._rows.forget()
            self._unlisted, self._reals, self._folders = {}, {}, folders
        before = self._listed or []
        rows, changed = self._rows_of(files, content)
        listed = self._entries_of(rows, before, changed)
        if changed is None:
            changed = [at for at, (one, then) in enumerate(zip(listed, before, strict=False)) if one is not then]
            changed += range(len(before), len(listed))
        new = [listed[at] for at in changed]
        moved = any(at < len(before) and listed[at].id != before[at].id for at in changed)
        with_list = content is not None and self._content is not None
        if same_files and with_list and not moved and self._same_places(before, listed, new):
            self._entries |= {one.id: one for one in new if one.row.file.parent != self._folder / MODELS}
            self.log.note([one.id for one in new])
        else:
            known = self._entries
            self._entries = self._all(files, listed, content is None)
            if self._listed is not None:  # a page's first look sees everything
                others = [id for id, one in self._entries.items() if (then := known.get(id)) is not one and then != one]
                self.log.note(others, [id for id in known if id not in self._entries])
        self._files, self._content, self._listed = files, content, listed
        self._listed_rows = None if content is None else rows

    def _same_places(self, before: list[FileEntry], listed: list[FileEntry], new: list[FileEntry]) -> bool:
        """Whether the same recordings are there, in the same order, and the list only says more of some."""
        if len(listed) < len(before) or (len(listed) > len(before) and self._links):
            return False
        return all(one.id in self._entries for one in new)

    def _rows_of(self, files: list[Path], content: bytes | None) -> tuple[list[LabelRow], list[int] | None]:
        """The rows of the list, or of what lies in subfolders without one, and which are others than before if only
        these can be."""
        if content is None:
            return rows_below(self._folder, unlabelled=True, problems=True, files=files), None
        return self._rows.rows_and_changes(text_in(self._folder / LABELS, content), self._listed_rows)

    def _entries_of(self, rows: list[LabelRow], before: list[FileEntry], changed: list[int] | None) -> list[FileEntry]:
        """The same entries for the same rows."""
        if changed is not None:
            listed = [*before, *(entry_of(row, self._folder) for row in rows[len(before) :])]
            for at in changed:
                if at < len(before):
                    listed[at] = self._entry_again(before[at], rows[at])
            return listed
        kept = [self._entry_again(then, row) for then, row in zip(before, rows, strict=False)]
        return kept + [entry_of(row, self._folder) for row in rows[len(kept) :]]

    def _entry_again(self, then: FileEntry, row: LabelRow) -> FileEntry:
        if then.row is row:
            return then
        same = then.row.file is row.file and not row.problem  # of a row that was read again in its place
        return replace(then, row=row) if same else entry_of(row, self._folder)

    def _all(self, files: list[Path], listed: list[FileEntry], alone: bool) -> dict[str, FileEntry]:
        """By id, in the order of names; `alone` where rows name every file."""
        names, below = (
            NamesBelow(self._folder),
            {} if alone else {name_below(self._folder, file): file for file in files},
        )
        self._reals = {name: self._reals.get(name) or names.real(name) for name in below}
        reals, known, models = {one.row.real for one in listed}, self._unlisted, self._folder / MODELS
        self._unlisted = {
            name: known.get(name) or entry_of(unlisted(file, self._folder, names), self._folder)
            for name, file in below.items()
            if self._reals[name] not in reals
        }
        root = f"{names.root}/"
        self._links = any(real != f"{root}{name}" for name, real in self._reals.items())
        found = sorted([*listed, *self._unlisted.values()], key=lambda one: one.name)
        self.elsewhere = sum(one.row.link for one in found)
        return {one.id: one for one in found if one.row.file.parent != models}


def entry_of(row: LabelRow, folder: Path) -> FileEntry:
    place = place_of(row, folder)
    name = row.listed_in if row.problem else place.file + row.which
    known = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]  # also where a name is no text
    return FileEntry(known, name, row, place)
