"""Editing a labels.csv: one recording at a time. A new list begins with what the subfolders say.

One process of ours writes at a time. What programs that know no lock write meanwhile is taken in (`replace`). Who says
what was seen of a recording before the edit is told of what somebody else has changed there since.
"""

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dualres.errors import RecordingError
from dualres.recordings.labels.names import NamesBelow, name_below
from dualres.recordings.labels.read import LabelRow, rows_below, rows_in
from dualres.recordings.labels.replace import content_at_rest, finish_what_was_left, removed, replaced
from dualres.recordings.labels.table import LABELS, LARGEST, columns_of, delimiter_of, lines_in, refuse_unusual, text_in
from dualres.utils.folder_lock import LOCK, Turn, alone_in

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


class LabelConflictError(RecordingError):
    """Somebody else has changed the same cell since it was seen."""


def set_cells(
    folder: Path, place: RowKey, cells: Mapping[str, str], seen: Mapping[str, str] | None = None
) -> ListChange:
    """Write cells such as label, component or load of one recording.

    The file is replaced as a whole, once it is known to be readable. `seen` are cells as they were when this edit was
    thought of; a LabelConflictError where one that is edited is another by now.
    """
    for one in (*cells, *cells.values()):
        if len(one) > LONGEST or not one.isprintable():
            raise RecordingError(f"{one[:40]!r}: cannot stand in {LABELS}; use up to {LONGEST} printable characters")
    written = {name.strip().lower(): text.strip() for name, text in cells.items()}
    if not all(written):
        raise RecordingError("a column needs a name; give one such as load")
    if "file" in written:
        raise RecordingError("the column file says which recording is meant; rename the file itself")
    if not _can_be_listed(place.file):
        raise _no_name(place.file)

    def put(table: "_LabelTable") -> None:
        row = table.find(place)
        for name in written if seen is not None else ():
            there, then = table.get(row, name) if row else "", (seen or {}).get(name, "").strip()
            if there not in (then, written[name]):
                raise LabelConflictError(
                    f"{place.file}: somebody else has changed {name} from {then!r} to {there!r}; nothing was saved, "
                    "look at it again"
                )
        row = table.row_of(place)
        for name, text in written.items():
            table.put(row, name, text)
        table.check(place, written)

    return _edited(folder, put)


def remove_part(folder: Path, place: RowKey) -> ListChange:
    """Take a part of a file off the list."""

    def take_away(table: "_LabelTable") -> None:
        row = table.find(place)
        if place.whole or row is None:
            raise RecordingError(f"{folder / LABELS}: lists no such part of {place.file}; look at the folder again")
        table.rows.remove(row)
        if not table.rows_of(place.file):
            table.row_of(RowKey(place.file, place.channel))  # still a recording, without a label

    return _edited(folder, take_away)


def take_back(folder: Path, change: ListChange) -> None:
    """Make the list as it was before a change; an error where it is another since."""
    with _writing(folder) as (path, turn):
        known = content_at_rest(path)
        same = known is not None and text_in(path, known) == change.after
        turn.unfinished = True
        if same and known is not None:
            same = replaced(path, known, change.before.encode()) if change.before else removed(path, known)
        turn.unfinished = False
    if not same:
        raise RecordingError(f"{LABELS} was changed by somebody else; nothing was taken back")


def finish_edits(folder: Path) -> None:
    """Bring in what came late when a writer was killed, if one was."""
    if (folder / LABELS).resolve().with_name(LOCK).exists():
        with _writing(folder):
            pass


def text_of(folder: Path) -> str:
    """The list as it is; "" without one."""
    path = folder / LABELS
    if not path.exists():
        return ""
    refuse_unusual(path)
    return text_in(path, path.read_bytes())


def _edited(folder: Path, change: Callable[["_LabelTable"], None]) -> ListChange:
    """The list, changed as it is on the disk at the moment."""
    with _writing(folder) as (path, turn):
        for _ in range(TRIES):
            known = content_at_rest(path)
            before = text_in(path, known or b"")
            table = _LabelTable.of(folder, before)
            change(table)
            written = table.text.encode()
            turn.unfinished = True
            done = replaced(path, known, written)
            turn.unfinished = False
            if done:
                return ListChange(before, table.text)
    raise RecordingError(f"{path}: another program keeps changing it, and nothing was saved; try again")


@contextmanager
def _writing(folder: Path) -> Iterator[tuple[Path, Turn]]:
    """The list, also where it is a link, and nobody else of ours who writes to it."""
    path = (folder / LABELS).resolve()
    with alone_in(path.parent) as turn:
        if turn.unfinished:
            finish_what_was_left(path)
            turn.unfinished = False
        if path.exists():
            refuse_unusual(path)
        yield path, turn


@dataclass
class _LabelTable:
    folder: Path
    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","

    @classmethod
    def of(cls, folder: Path, text: str) -> "_LabelTable":
        if not text.strip():
            known = [(name_below(folder, row.file), row.known["label"]) for row in rows_below(folder, None)]
            return cls(folder, ["file", "label"], [list(each) for each in known if _can_be_listed(each[0])])
        lines_in(folder / LABELS, text)  # says what is wrong with a list that is none
        lines = io.StringIO(text, newline="")
        delimiter = delimiter_of(lines.readline())
        lines.seek(0)
        header, *rows = (row for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row)
        filled = [[*row, *[""] * (len(header) - len(row))] for row in rows]
        return cls(folder, header, filled, delimiter)

    def __post_init__(self) -> None:
        self._names = NamesBelow(self.folder)
        self._columns = columns_of(self.header, self.folder / LABELS)

    @property
    def text(self) -> str:
        return self._written(self.rows)

    def _written(self, rows: list[list[str]]) -> str:
        lines = io.StringIO()
        csv.writer(lines, delimiter=self.delimiter, lineterminator="\n").writerows([self.header, *rows])
        return lines.getvalue()

    def column(self, name: str) -> int | None:
        return self._columns.index(name) if name in self._columns else None

    def get(self, row: list[str], name: str) -> str:
        at = self.column(name)
        return "" if at is None else row[at].strip()

    def put(self, row: list[str], name: str, text: str) -> None:
        at = self.column(name)
        if at is None:
            at = len(self.header)
            self.header.append(name)
            self._columns = columns_of(self.header, self.folder / LABELS)
            for each in self.rows:
                each.insert(at, "")  # before a cell that stands under no column
        row[at] = text

    def rows_of(self, file: str) -> list[list[str]]:
        return [row for row in self.rows if self._names.key(self.get(row, "file")) == file]

    def check(self, place: RowKey, written: Mapping[str, str]) -> None:
        """An error where the list could not be read, or would say something else of this file."""
        path, rows = self.folder / LABELS, self.rows_of(place.file)
        text = self._written(rows)
        if len(self.text.encode()) > LARGEST:
            raise RecordingError(f"{path}: would have more than {LARGEST >> 20} MiB; split the folder")
        numbers = [at for at, row in enumerate(self.rows, start=2) if any(row is one for one in rows)]
        lines = [line._replace(number=at) for at, line in zip(numbers, lines_in(path, text), strict=False)]
        list(rows_in(self.folder, path, lines, needed=False))  # an error names what is wrong
        if not any(all(line.cells.get(name) == text for name, text in written.items()) for line in lines):
            raise _no_name(place.file)

    def find(self, place: RowKey) -> list[str] | None:
        return next((row for row in self.rows_of(place.file) if self._is(row, place)), None)

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
        same = all(a == b or (a and b and _number(a) == float(b)) for a, b in zip(parts, meant, strict=True))
        return channel == place.channel and same


def place_of(row: LabelRow, folder: Path) -> RowKey:
    """Where the list tells of a row."""
    start_s, end_s = (row.part.start_s or None, row.part.end_s) if row.part else (None, None)
    return RowKey(name_below(folder, row.file), row.channel or "", start_s, end_s)


def _can_be_listed(file: str) -> bool:
    """Whether a name comes back from a list as it was written: spaces at its ends do not, nor what is no text."""
    try:
        return file == file.strip() and bool(file.encode())
    except UnicodeEncodeError:
        return False


def _no_name(file: str) -> RecordingError:
    why = "begins or ends with a space and so is no name" if file != file.strip() else "is no name"
    return RecordingError(f"{file!a}: {why} that {LABELS} can hold; rename the file")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
