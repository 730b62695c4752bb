"""A list as cells that can be changed, and found by the file that they are about.

Of a list that was just written, everything is known: which rows are about which file, and how each row is written. So
an edit of one row costs the same in a list of fifty thousand as in one of five, but for copies of plain lists.
"""

import csv
import io
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Lock

from dualres.errors import RecordingError
from dualres.recordings.labels.names import NamesBelow, name_below, wanders
from dualres.recordings.labels.read import rows_below, rows_in
from dualres.recordings.labels.table import (
    LABELS,
    LARGEST,
    RawTable,
    columns_of,
    keep_table,
    line_of,
    numbers_of,
    raw_table,
)

KEPT = 3  # lists whose cells are kept: of a page, those before and after an edit


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


@dataclass
class CellTable:
    """One edit's own copy of a list. Rows are replaced and never changed in place, for other copies share them."""

    folder: Path
    header: list[str]
    rows: list[list[str] | None]  # None where one was taken away
    lines: list[str]  # each row as it is written
    places: dict[str, tuple[int, ...]]  # the name of a file -> its rows; of names that wander, as they are spelled
    delimiter: str = ","
    wanderers: frozenset[str] = frozenset()  # names that lead through links or folders above, if at all

    @classmethod
    def of(cls, folder: Path, text: str) -> "CellTable":
        """Of a list with this text; of one without a line, what the subfolders say."""
        if not text.strip():
            known = [(name_below(folder, row.file), row.known["label"]) for row in rows_below(folder, None)]
            rows = [list(each) for each in known if can_be_listed(each[0])]
            return cls._made(folder, RawTable(",", ["file", "label"], rows, range(2, 2 + len(rows))))
        table = _TABLES.get(folder, text)
        if table is None:
            table = cls._made(folder, raw_table(folder / LABELS, text))
            _TABLES.keep(text, table)
        return table.copy()

    @classmethod
    def _made(cls, folder: Path, raw: RawTable) -> "CellTable":
        width = len(raw.header)
        rows: list[list[str] | None] = [
            row if len(row) >= width else [*row, *[""] * (width - len(row))] for row in raw.rows
        ]
        table = cls(folder, raw.header, rows, [], {}, raw.delimiter)
        table.lines = table._written(raw.rows if rows == raw.rows else [row for row in rows if row is not None])
        at = table.column("file")
        places: dict[str, list[int]] = {}
        for number, row in enumerate(table.rows if at is not None else ()):
            assert row is not None
            places.setdefault(table._place(row[at or 0].strip()), []).append(number)
        table.places = {name: tuple(numbers) for name, numbers in places.items()}
        table.wanderers = frozenset(filter(wanders, places))
        return table

    def __post_init__(self) -> None:
        self._names = NamesBelow(self.folder)
        self._columns = columns_of(self.header, self.folder / LABELS)
        self._wandering: dict[str, tuple[int, ...]] | None = None

    def copy(self) -> "CellTable":
        rows, lines, places = [*self.rows], [*self.lines], {**self.places}
        return CellTable(self.folder, self.header, rows, lines, places, self.delimiter, self.wanderers)

    def text(self) -> str:
        """As it is written."""
        whole = "".join((*self._written([self.header]), *self.lines))
        if len(whole.encode()) > LARGEST:
            raise RecordingError(f"{self.folder / LABELS}: would have more than {LARGEST >> 20} MiB; split the folder")
        return whole

    def keep(self, text: str) -> None:
        """Remember what is known of this list, which has this text now."""
        rows = [row for row in self.rows if row is not None]
        if len(rows) < len(self.rows):
            return  # rows have other numbers by now
        first = self._written([self.header])[0].count("\n")
        numbers: Sequence[int] = range(first + 1, first + 1 + len(rows))
        if text.count("\n") > first + len(rows):  # a cell holds an end of line
            numbers = numbers_of([*accumulate((line.count("\n") for line in self.lines), initial=first)][1:])
        keep_table(text, RawTable(self.delimiter, self.header, rows, numbers))
        _TABLES.keep(text, self)

    def column(self, name: str) -> int | None:
        return self._columns.index(name) if name in self._columns else None

    def get(self, number: int, name: str) -> str:
        at, row = self.column(name), self.rows[number]
        return "" if at is None or row is None else row[at].strip()

    def put(self, number: int, cells: Mapping[str, str]) -> None:
        """Write these cells of a row, in new columns where there are none of these names."""
        for name in cells:
            if self.column(name) is None:
                self._add_column(name)
        row = self.rows[number]
        assert row is not None
        if all(row[self._columns.index(name)] == text for name, text in cells.items()):
            return
        row = [*row]
        for name, text in cells.items():
            row[self._columns.index(name)] = text
        self.rows[number], (self.lines[number],) = row, self._written([row])

    def _add_column(self, name: str) -> None:
        at = len(self.header)
        self.header = [*self.header, name]
        self._columns = columns_of(self.header, self.folder / LABELS)
        # Before a cell that stands under no column.
        self.rows = [row and [*row[:at], "", *row[at:]] for row in self.rows]
        written = iter(self._written([row for row in self.rows if row is not None]))
        self.lines = [next(written) if row is not None else "" for row in self.rows]

    def take_away(self, number: int) -> None:
        name = self._place(self.get(number, "file"))
        self.places[name] = tuple(one for one in self.places[name] if one != number)
        self.rows[number], self.lines[number] = None, ""

    def rows_of(self, file: str) -> list[int]:
        """The numbers of the rows that are about a file, however they spell it."""
        if self._wandering is None:
            self._wandering = {}
            for name in self.wanderers:
                key = self._names.key(name)
                self._wandering[key] = (*self._wandering.get(key, ()), *self.places[name])
        direct = () if wanders(file) else self.places.get(file, ())
        also = [number for number in self._wandering.get(file, ()) if self.rows[number] is not None]
        return sorted([*direct, *also]) if also else [*direct]

    def find(self, place: RowKey) -> int | None:
        return next((number for number in self.rows_of(place.file) if self._is(number, place)), None)

    def row_of(self, place: RowKey) -> int:
        """The row of a place, made if there is none; a part takes the row of its file where that has no label."""
        number = self.find(place)
        if number is None and not place.whole:
            number = self.find(RowKey(place.file, place.channel))
            if number is not None and self.get(number, "label"):
                raise RecordingError(f"{place.file}: the whole file has a label; take that away before you label parts")
        cells = {
            name: f"{second:.6g}"
            for name, second in (("start_s", place.start_s), ("end_s", place.end_s))
            if second is not None
        }
        if number is None:
            number = self._add_row(place.file)
            cells = ({"channel": place.channel} if place.channel else {}) | cells
        if cells:
            self.put(number, cells)
        return number

    def _add_row(self, file: str) -> int:
        at, number = self.column("file"), len(self.rows)
        row = [""] * len(self.header)
        self.rows.append(row)
        self.lines.append("")
        if at is None:
            self._add_column("file")
        self.put(number, {"file": file})
        name = self._place(file)
        self.places[name] = (*self.places.get(name, ()), number)
        return number

    def _place(self, name: str) -> str:
        return name if wanders(name) else self._names.key(name)

    def _is(self, number: int, place: RowKey) -> bool:
        channel = self.get(number, "channel") or self.get(number, "channels")
        parts = (self.get(number, "start_s"), self.get(number, "end_s"))
        meant = tuple("" if second is None else f"{second:.6g}" for second in (place.start_s, place.end_s))
        same = all(a == b or (a and b and _number(a) == float(b)) for a, b in zip(parts, meant, strict=True))
        return channel == place.channel and same

    def check(self, edits: Sequence[tuple[RowKey, Mapping[str, str]]]) -> None:
        """An error where the list could not be read, or would say something else of these files."""
        path = self.folder / LABELS
        numbers = {place.file: self.rows_of(place.file) for place, _ in edits}
        written = {number: self.lines[number] for each in numbers.values() for number in each}
        again = dict(zip(written, _cells_in(written.values(), self.delimiter), strict=True))
        lines = {number: line_of(number + 2, self._columns, cells) for number, cells in again.items()}
        list(rows_in(self.folder, path, [*lines.values()], needed=False))  # an error names what is wrong
        for place, cells in edits:
            found = (lines[number].cells for number in numbers[place.file])
            if not any(all(one.get(name) == text for name, text in cells.items()) for one in found):
                raise no_name(place.file)

    def _written(self, rows: Iterable[Sequence[str]]) -> list[str]:
        """Each row as its line or, where a cell holds an end of line, lines."""
        written = io.StringIO()
        writer, ends = csv.writer(written, delimiter=self.delimiter, lineterminator="\n"), [0]
        for row in rows:
            writer.writerow(row)
            ends.append(written.tell())
        whole = written.getvalue()
        return [whole[first:last] for first, last in pairwise(ends)]


def can_be_listed(file: str) -> bool:
    """Whether a name comes back from a list as it was written: spaces at its ends do not, nor what is no text."""
    try:
        return file == file.strip() and bool(file.encode())
    except UnicodeEncodeError:
        return False


def no_name(file: str) -> RecordingError:
    why = "begins or ends with a space and so is no name" if file != file.strip() else "is no name"
    return RecordingError(f"{file!a}: {why} that {LABELS} can hold; rename the file")


def _cells_in(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    return [
        next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, skipinitialspace=True), [])
        for line in lines
    ]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


class _TableCache:
    """Lists as they are known, those that were edited last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[tuple[Path, str], CellTable] = OrderedDict()

    def get(self, folder: Path, text: str) -> CellTable | None:
        with self._lock:
            return self._known.get((folder, text))

    def keep(self, text: str, table: CellTable) -> None:
        with self._lock:
            self._known[table.folder, text] = table
            self._known.move_to_end((table.folder, text))
            while len(self._known) > KEPT:
                self._known.popitem(last=False)


_TABLES = _TableCache()
