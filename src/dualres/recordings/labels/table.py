"""A labels.csv as a table: its lines, with their cells by column."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from dualres.errors import RecordingError
from dualres.utils.special_files import unusual

LABELS = "labels.csv"
LARGEST = 16 << 20  # bytes of a list; 200,000 lines of 80 characters

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
    lines = io.StringIO(text, newline="")
    delimiter = delimiter_of(lines.readline())
    lines.seek(0)
    table = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        rows = [(table.line_num, cells) for cells in table if cells]
    except csv.Error as error:
        raise _unreadable(path, error) from error
    if not rows:
        return []
    columns = columns_of(rows[0][1], path)
    return [_line(number, columns, cells) for number, cells in rows[1:]]


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


def _line(number: int, columns: list[str], cells: list[str]) -> TableLine:
    texts = [cell.strip() for cell in cells]
    known = dict.fromkeys(columns, "") | dict(zip(columns, texts, strict=False))
    known.pop("", None)
    return TableLine(number, known, next(filter(None, texts[len(columns) :]), ""))


def _unreadable(path: Path, reason: object) -> RecordingError:
    return RecordingError(f"{path}: cannot be read ({reason}); save it as a comma-separated file in UTF-8")
