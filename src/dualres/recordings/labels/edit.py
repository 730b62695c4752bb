"""Editing a labels.csv: one recording at a time. A new list begins with what the subfolders say.

One process of ours writes at a time. Other programs know no lock. What they write while an edit is under way is taken
in: the list is looked at again before it is replaced, and once more afterwards in the file that was replaced.
"""

import csv
import io
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from dualres.errors import RecordingError
from dualres.recordings.labels.read import ALIASES, LABELS, LabelRow, cells_of, delimiter_of, listed, rows_below
from dualres.utils.files import write_whole
from dualres.utils.folder_lock import alone_in

LONGEST = 200  # characters of a cell
TRIES = 50  # of an edit, while other programs change the list


@dataclass(frozen=True)
class RowKey:
    """Which row is meant: a file below the folder, and a channel or a part of it if the list tells them apart."""

    file: str  # relative to the folder, with slashes
    channel: str = ""
    start_s: float | None = None
    end_s: float | None = None

    @property
    def whole(self) -> bool:
        return self.start_s is None and self.end_s is None


class ListChange(NamedTuple):
    """A list as it was, "" if there was none, and as it is."""

    before: str
    after: str


def set_cells(folder: Path, place: RowKey, cells: Mapping[str, str]) -> ListChange:
    """Write cells such as label, component or load of one recording.

    The file is replaced as a whole, once it is known to be readable.
    """
    for one in (*cells, *cells.values()):
        if len(one) > LONGEST or not one.isprintable():
            raise RecordingError(f"{one[:40]!r}: cannot stand in {LABELS}; use up to {LONGEST} printable characters")
    if not all(map(str.strip, cells)):
        raise RecordingError("a column needs a name; give one such as load")
    if place.file != place.file.strip():
        raise RecordingError(
            f"{place.file!r}: begins or ends with a space, which {LABELS} cannot hold; rename the file"
        )

    def put(table: _LabelTable) -> None:
        row = table.row_of(place)
        for name, text in cells.items():
            table.put(row, name, text.strip())

    return _edited(folder, put)


def remove_part(folder: Path, place: RowKey) -> ListChange:
    """Take a part of a file off the list."""

    def take_away(table: _LabelTable) -> None:
        row = table.find(place)
        if place.whole or row is None:
            raise RecordingError(f"{folder / LABELS}: lists no such part of {place.file}; look at the folder again")
        table.rows.remove(row)
        if not any(table.get(other, "file") == place.file for other in table.rows):
            table.row_of(RowKey(place.file, place.channel))  # still a recording, without a label

    return _edited(folder, take_away)


def take_back(folder: Path, change: ListChange) -> None:
    """Make the list as it was before a change; an error where it is another since."""
    path = folder / LABELS
    with alone_in(folder):
        known = _content(path)
        same = text_of(folder) == change.after
        if same and change.before:
            same = write_whole(path, _checked(folder, change.before), still=lambda: _content(path) == known)
        elif same:
            path.unlink(missing_ok=True)
    if not same:
        raise RecordingError(f"{LABELS} was changed by somebody else; nothing was taken back")


def _edited(folder: Path, change: Callable[["_LabelTable"], None]) -> ListChange:
    """The list, changed as it is on the disk at the moment."""
    path = folder / LABELS
    with alone_in(folder):
        for _ in range(TRIES):
            known, before = _content(path), text_of(folder)
            table = _LabelTable.of(folder, before)
            change(table)
            written = _checked(folder, table.text)
            if _replaced(path, known, written):
                return ListChange(before, table.text)
    raise RecordingError(f"{path}: another program keeps changing it, and nothing was saved; try again")


def _replaced(path: Path, known: bytes | None, content: bytes) -> bool:
    """Put `content` in place of what is `known`; False where another program wrote, whose list is in place then."""
    with path.open("rb") if known is not None else nullcontext() as replaced:
        if not write_whole(path, content, still=lambda: _content(path) == known):
            return False
        late = replaced.read() if replaced else None
    if late == known:
        return True
    assert late is not None
    write_whole(path, late, still=lambda: _content(path) == content)
    return False


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def text_of(folder: Path) -> str:
    """The list as it is; "" without one."""
    path = folder / LABELS
    if not path.exists():
        return ""
    cells_of(path)  # says what is wrong with a file that is none
    with path.open(newline="", encoding="utf-8-sig") as file:
        return file.read()


@dataclass
class _LabelTable:
    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","

    @classmethod
    def of(cls, folder: Path, text: str) -> "_LabelTable":
        if not text:
            known = [(row.file.relative_to(folder).as_posix(), row.known["label"]) for row in rows_below(folder, None)]
            return cls(["file", "label"], [list(each) for each in known])
        delimiter = delimiter_of(text.splitlines()[0])
        header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
        filled = [[*row, *[""] * (len(header) - len(row))] for row in rows if row]
        return cls(header, filled, delimiter)

    @property
    def text(self) -> str:
        lines = io.StringIO()
        csv.writer(lines, delimiter=self.delimiter, lineterminator="\n").writerows([self.header, *self.rows])
        return lines.getvalue()

    def column(self, name: str) -> int | None:
        names = [each.strip().lower() for each in self.header]
        for known in (name, *ALIASES.get(name, ())):
            if known in names:
                return names.index(known)
        return None

    def get(self, row: list[str], name: str) -> str:
        at = self.column(name)
        return "" if at is None else row[at].strip()

    def put(self, row: list[str], name: str, text: str) -> None:
        at = self.column(name)
        if at is None:
            at = len(self.header)
            self.header.append(name)
            for each in self.rows:
                each.append("")
        row[at] = text

    def find(self, place: RowKey) -> list[str] | None:
        return next((row for row in self.rows if self._is(row, place)), None)

    def row_of(self, place: RowKey) -> list[str]:
        """The row of a place, made if there is none; a part takes the row of its file where that has no label."""
        row = self.find(place)
        if row is None and not place.whole:
            row = self.find(RowKey(place.file, place.channel))
            if row is not None and self.get(row, "label"):
                raise RecordingError(f"{place.file}: the whole file has a label; take that away before you label parts")
        if row is None:
            row = [""] * len(self.header)
            self.rows.append(row)
            self.put(row, "file", place.file)
            if place.channel:
                self.put(row, "channel", place.channel)
        for name, second in (("start_s", place.start_s), ("end_s", place.end_s)):
            if second is not None:
                self.put(row, name, f"{second:.6g}")
        return row

    def _is(self, row: list[str], place: RowKey) -> bool:
        channel = self.get(row, "channel") or self.get(row, "channels")
        parts = (self.get(row, "start_s"), self.get(row, "end_s"))
        meant = tuple("" if second is None else f"{second:.6g}" for second in (place.start_s, place.end_s))
        same = all(a == b or (a and b and float(a) == float(b)) for a, b in zip(parts, meant, strict=True))
        return normpath(self.get(row, "file")) == place.file and channel == place.channel and same


def place_of(row: LabelRow, folder: Path) -> RowKey:
    """Where the list tells of a row."""
    start_s, end_s = (row.part.start_s or None, row.part.end_s) if row.part else (None, None)
    return RowKey(row.file.relative_to(folder).as_posix(), row.channel or "", start_s, end_s)


def _checked(folder: Path, text: str) -> bytes:
    """What a file of this list holds; an error where it could not be read."""
    try:
        written = text.encode()
    except UnicodeEncodeError as error:
        (line,) = text[: error.end].splitlines()[-1:]
        raise RecordingError(f"{line!a}: is no name that {LABELS} can hold; rename the file") from None
    with TemporaryDirectory() as elsewhere:
        tried = Path(elsewhere) / LABELS
        tried.write_bytes(written)
        list(listed(folder, labels=tried, needed=False))  # an error names what is wrong, and nothing was changed
    return written
