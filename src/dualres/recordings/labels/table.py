"""A labels.csv as a table: its lines, with their cells by column."""

import csv
import io
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from dualres.errors import RecordingError
from dualres.utils.special_files import unusual

LABELS = "labels.csv"
LARGEST = 16 << 20  # bytes of a list; 200,000 lines of 80 characters
KEPT = 4  # texts of lists whose rows are kept: of a page, those before and after an edit

# What people call the two columns that are needed; understood where the column itself is missing.
ALIASES = {
    "file": ("filename", "file_name", "file name", "filepath", "file_path", "file path", "path"),
    "label": ("labels", "class", "class_name", "fault", "state"),
}


class TableLine(NamedTuple):
    number: int  # in the file, from 1
    cells: dict[str, str]  # by column, in lower case; columns without a name are left out
    beyond: str = ""  # the first cell that stands under no column

    def refuse_more_cells(self, path: Path) -> None:
        """An error for a line with more cells than the header: nobody knows which of them is which."""
        if self.beyond:
            raise RecordingError(
                f"{path}, line {self.number}: has more cells than the header has columns, such as {self.beyond!r}; "
                'write a cell that holds a comma as "a, b", or name the column'
            )


def cells_of(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table with a header: each with its line and its cells by column, in lower case."""
    lines = lines_of(path)
    for line in lines:
        line.refuse_more_cells(path)
    return [(line.number, line.cells) for line in lines]


def lines_of(path: Path) -> list[TableLine]:
    refuse_unusual(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from error
    return lines_in(path, text_in(path, content))


def refuse_unusual(path: Path) -> None:
    """An error for what is no file, and for one that is too large to be a list."""
    if strange := unusual(path):
        raise RecordingError(f"{path}: cannot be read: it {strange}")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error.strerror or error) from error
    if size > LARGEST:
        raise _unreadable(path, f"it has more than {LARGEST >> 20} MiB")


def text_in(path: Path, content: bytes) -> str:
    """What the bytes of a list say, without a mark at their beginning."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(path, error) from error


def lines_in(path: Path, text: str) -> list[TableLine]:
    """The lines of a list with this text; `path` is for errors."""
    table = raw_table(path, text)
    columns = columns_of(table.header, path) if table.header else []
    return [line_of(number, columns, cells) for number, cells in zip(table.numbers, table.rows, strict=True)]


@dataclass(frozen=True)
class RawTable:
    """Cells as they stand in a list. Nobody changes a row in place, for two tables may share it."""

    delimiter: str
    header: list[str]  # empty for a list without a line
    rows: list[list[str]]
    numbers: Sequence[int]  # the line at which each row ends


def raw_table(path: Path, text: str) -> RawTable:
    """The rows of a list with this text; of one that was seen just before, the very same."""
    return _TABLES.get(text) or _TABLES.keep(text, _read_table(path, text))


def keep_table(text: str, table: RawTable) -> None:
    """What `raw_table` will say of a text that was just made of a table."""
    _TABLES.keep(text, table)


def _read_table(path: Path, text: str) -> RawTable:
    lines = io.StringIO(text, newline="")
    delimiter = delimiter_of(lines.readline())
    lines.seek(0)
    table = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        rows = [(table.line_num, cells) for cells in table if cells]
    except csv.Error as error:
        raise _unreadable(path, error) from error
    if not rows:
        return RawTable(delimiter, [], [], range(0))
    return RawTable(delimiter, rows[0][1], [cells for _, cells in rows[1:]], numbers_of([at for at, _ in rows[1:]]))


def numbers_of(numbers: list[int]) -> Sequence[int]:
    """The same, without a list where each row is one line, which is nearly always."""
    usual = range(2, 2 + len(numbers))
    return usual if numbers == list(usual) else numbers


class _TableCache:
    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[str, RawTable] = OrderedDict()  # a text knows its own hash after the first time

    def get(self, text: str) -> RawTable | None:
        with self._lock:
            return self._known.get(text)

    def keep(self, text: str, table: RawTable) -> RawTable:
        with self._lock:
            self._known[text] = table
            self._known.move_to_end(text)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return table


_TABLES = _TableCache()


def columns_of(header: list[str], path: Path) -> list[str]:
    """The columns as they are understood; one without a name is an empty text."""
    columns = [name.strip().lower() for name in header]
    twice = [name for name, count in Counter(columns).items() if name and count > 1]
    if twice:
        raise RecordingError(f"{path}: the column {twice[0]} stands there twice; rename or remove one")
    for name, aliases in ALIASES.items():
        found = [alias for alias in aliases if alias in columns]
        if name in columns or not found:
            continue
        if len(found) > 1:
            raise RecordingError(
                f"{path}: the columns {' and '.join(found)} could each be the {name}; rename the one that is to {name}"
            )
        columns[columns.index(found[0])] = name
    return columns


def delimiter_of(header: str) -> str:
    """What stands between the cells of a table with this first line."""
    return ";" if ";" in header and "," not in header else ","


def line_of(number: int, columns: list[str], cells: list[str]) -> TableLine:
    texts = [cell.strip() for cell in cells]
    known = dict.fromkeys(columns, "") | dict(zip(columns, texts, strict=False))
    known.pop("", None)
    return TableLine(number, known, next(filter(None, texts[len(columns) :]), ""))


def _unreadable(path: Path, reason: object) -> RecordingError:
    return RecordingError(f"{path}: cannot be read ({reason}); save it as a comma-separated file in UTF-8")
