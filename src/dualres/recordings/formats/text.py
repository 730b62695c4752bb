"""Tables of numbers as text: one signal per column."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from dualres.recordings.formats.contents import TIME, Contents, Vector, column
from dualres.recordings.formats.rate_detection import is_counter, with_time

LARGEST = 4 << 30  # bytes
LONGEST_LINE = 1 << 18  # characters; each cell of a line takes some sixty bytes while the layout is looked for
MOST_NUMBERS = 1 << 28  # of a table: 2 GiB, more than an hour at 64 kHz
_HEAD = 200  # lines by which the layout is known
_HEAD_SIZE = 1 << 20  # characters, after which fewer lines are enough
_DECIMAL = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_QUOTED_DECIMAL = re.compile(r'"\s*([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)\s*"')
_ONE_DECIMAL_EACH = re.compile(r"\s*[+-]?\d+(,\d+([eE][+-]?\d+)?)?\s*")
_BELOW_ONE = re.compile(r"\s*([+-]?\d+,0\d|-0,)")  # whole numbers are not written with leading zeros
_UNIT = re.compile(
    r"|-|[\[(].*[\])]|m?s|sec|[uµμn]s|m?g|gn|[mµμ]?m/s(\^?2|²)?|[mµμ]m|m?V|m?A|k?N|Nm|[kM]?Pa|bar|°?C|K|k?Hz|rpm|1/min|%"
)
_UNIT_IN_TITLE = re.compile(r"[\[(]\s*([^\[\]()]+?)\s*[\])]\s*$")


@dataclass(frozen=True)
class TextLayout:
    """Where the numbers are."""

    delimiter: str | None  # None: whitespace
    decimal_comma: bool
    quoted: bool  # the commas of decimals stand between quotes
    above: int  # lines that are not data, empty ones not counted
    titles: tuple[str, ...]
    units: tuple[str, ...]
    count: int  # columns
    numeric: tuple[int, ...]  # those that hold numbers
    passed_over: int = 0  # of the lines above, those that are rows with another number of columns

    def unit(self, column: int) -> str | None:
        """Of a column's numbers, from the line of units or from its title: `DE [g]`."""
        if column < len(self.units):
            return self.units[column].strip("- ") or None
        named = _UNIT_IN_TITLE.search(self.titles[column] if column < len(self.titles) else "")
        return named[1] if named and _UNIT.fullmatch(named[1]) else None

    def values(self, lines: Iterable[str]) -> npt.NDArray[Any]:
        """The numeric columns of the data, as float64 (rows, columns)."""
        if self.quoted:
            lines = (_QUOTED_DECIMAL.sub(r"\1.\2", line) for line in lines)
        elif self.decimal_comma:
            lines = (line.replace(",", ".") for line in lines)
        # Where all columns are wanted, a row of another length is an error.
        used = None if len(self.numeric) == self.count else self.numeric
        return np.loadtxt(lines, delimiter=self.delimiter, comments=None, quotechar='"', usecols=used, ndmin=2)

    def filled(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines with `nan` in empty cells."""
        for line in lines:
            cells = cells_of(line, self.delimiter)
            yield (self.delimiter or " ").join(f'"{cell}"' if cell else "nan" for cell in cells)


LineOpener = Callable[[], AbstractContextManager[Iterable[str]]]
TextTable = tuple[TextLayout, npt.NDArray[Any], list[int]]  # the numbers, and how many of each column are there


def read_text(path: Path) -> Contents:
    """The columns, by their titles where there are some, else as `column 1`, `column 2` ...

    Commas, semicolons, tabs or spaces stand between them. A comma may be a decimal point, except between unquoted
    commas. Lines that describe the recording may stand above the titles, and units below them. First rows with another
    number of columns than most are passed over. A column ends with its last number; empty cells before that are NaN. A
    column of time says the rate.
    """
    if path.stat().st_size > LARGEST:
        raise ValueError(f"text beyond {LARGEST >> 30} GiB is not read; save it as .npy")
    return read_lines(partial(_opened, path), _counted(path))


def read_lines(opened: LineOpener, count: int = 0) -> Contents:
    """As `read_text`, of `count` lines, or of lines that somebody else limits; each pass is `opened` again."""
    with opened() as lines:
        head = _head(lines)
    if not head:
        raise ValueError("the file is empty")
    layout, values, lengths = _table(opened, head, count)
    contents: Contents = {}
    place = {i: j for j, i in enumerate(layout.numeric)}  # column of the file -> column of `values`
    for i, name in enumerate(_column_names(layout)):
        kind = "f" if i in place or len(head) == 1 else "U"
        length = lengths[place[i]] if i in place else len(values)
        if name == "column 1" and len(place) > 1 and place.get(i) == 0 and is_counter(values[:length, 0]):
            kind = TIME
        load = partial(column, partial(np.asarray, values[:length]), True, place.get(i, 0))
        contents[Vector(name, length, kind, unit=layout.unit(i), remark=_remark(layout))] = load
    return with_time(contents, dict(zip(layout.titles, layout.units, strict=False)), table=True)


def _remark(layout: TextLayout) -> str | None:
    if not layout.passed_over:
        return None
    first = "the first row is" if layout.passed_over == 1 else f"the first {layout.passed_over} rows are"
    return f"{first} passed over: most rows have {layout.count} columns, and not as many as there"


def _counted(path: Path) -> int:
    """How many lines there are; an error for a line that is too long, before any is held in memory."""
    count = length = 0
    with _opened(path) as file:
        while block := file.read(LONGEST_LINE):
            first = block.find("\n")
            length += first if first >= 0 else len(block)
            if length > LONGEST_LINE:
                raise ValueError(
                    f"line {count + 1} has more than {LONGEST_LINE} characters; write a line for each sample"
                )
            if first >= 0:
                count += block.count("\n")
                length = len(block) - 1 - block.rfind("\n")
    return count + (length > 0)


def _head(lines: Iterable[str]) -> list[str]:
    head: list[str] = []
    size = 0
    for line in islice(filter(str.strip, lines), _HEAD):
        head.append(line)
        size += len(line)
        if size > _HEAD_SIZE and len(head) > 1:
            break
    return head


def _table(opened: LineOpener, head: list[str], count: int) -> TextTable:
    layout, wrong = plain_layout(head), None
    if layout.numeric and len(head) > layout.above:
        try:
            return _numbers(opened, layout, count)
        except ValueError as error:
            wrong = error
    if len(head) > 1 and (below := block_layout(head) or majority_layout(head)) is not None:
        return _numbers(opened, below, count)
    if wrong is not None:
        raise wrong
    return layout, np.empty((0, layout.count)), [0] * layout.count


def _numbers(opened: LineOpener, layout: TextLayout, count: int) -> TextTable:
    """Empty cells are looked for only where there are some: that takes longer."""
    if count * len(layout.numeric) > MOST_NUMBERS:
        raise ValueError(
            f"{count} lines of {len(layout.numeric)} numbers are more than {MOST_NUMBERS}; save it as .npy, or in parts"
        )
    try:
        with opened() as lines:
            values = layout.values(_data(lines, layout))
        return layout, values, [len(values)] * values.shape[1]
    except ValueError as error:
        if "string ''" not in str(error):
            raise ValueError(str(error).partition(";")[0]) from error
    try:
        with opened() as lines:
            values = layout.values(layout.filled(_data(lines, layout)))
    except ValueError as error:
        raise ValueError(str(error).partition(";")[0]) from error
    there = ~np.isnan(values)
    return layout, values, [int(there[:, j].nonzero()[0].max(initial=-1)) + 1 for j in range(values.shape[1])]


def _data(lines: Iterable[str], layout: TextLayout) -> Iterator[str]:
    return islice(filter(str.strip, lines), layout.above, None)


def _opened(path: Path) -> TextIO:
    """UTF-8, or UTF-16 by its mark or by the zeros between letters."""
    with path.open("rb") as file:
        begin = file.read(64)
    encoding = "utf-8-sig"
    if begin.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif len(begin) > 3 and 0 in begin and 0 not in (begin[::2], begin[1::2])[begin[0] == 0]:
        encoding = "utf-16-be" if begin[0] == 0 else "utf-16-le"
    return path.open(encoding=encoding, errors="replace")


def _column_names(layout: TextLayout) -> list[str]:
    """The titles, and `column 3` for one that is missing or not unique, or for all where their number does not fit."""
    titles, count = list(layout.titles), layout.count
    if count == 1 and layout.delimiter is None:
        titles = [" ".join(titles)]
    if len(titles) > count and layout.delimiter is not None:
        titles = titles[:count]
    if len(titles) != count:
        titles = [""] * count
    times = Counter(titles)
    return [t if t and times[t] == 1 else f"column {i}" for i, t in enumerate(titles, start=1)]


def plain_layout(head: list[str]) -> TextLayout:
    """Of a table whose first line is data or titles; `head` is how the file begins, without empty lines."""
    below = head[1:2] or head
    delimiter, comma, quoted = _separators(below[0], head)
    first, second = cells_of(head[0].removeprefix("#"), delimiter), cells_of(below[0], delimiter)
    above_is, below_is = ([_is_number(cell, comma) for cell in cells] for cells in (first, second))
    # A title is text above a number; a column that is text in both lines says nothing about that.
    titles_there = (bool(cell) and not is_one for cell, is_one in zip(first, above_is, strict=True))
    titled = not any(above_is) or (True, True) in zip(titles_there, below_is, strict=False)
    numeric = [i for i in range(len(second)) if below_is[i] or above_is[i : i + 1] == [True]]
    titles = tuple(first) if titled else ()
    halves = len(titles) > 1 and len(second) == 2 * len(titles) and all(titles)
    if delimiter == "," and not comma and halves and all(cell.lstrip("+-").isdigit() for cell in second):
        raise ValueError(
            f"commas stand between its columns and in its numbers: {len(titles)} titles, {len(second)} cells; "
            "save it with semicolons between columns, or with decimal points"
        )
    return TextLayout(delimiter, comma, quoted, int(titled), titles, (), len(second), tuple(numeric))


def block_layout(head: list[str]) -> TextLayout | None:
    """Of a table below other lines: a description of the recording, titles, units. None if there is no such table.

    The data are the lines at the end of `head` that look alike; no line above them may look like data.
    """
    delimiter, comma, quoted = _separators(head[-1], head)
    rows = [cells_of(line.removeprefix("#"), delimiter) for line in head]
    numbers = [tuple(_is_number(cell, comma) for cell in row) for row in rows]
    if not any(numbers[-1]):
        return None
    start = len(head)
    while start and _alike(rows[start - 1], numbers[start - 1], rows[-1], numbers[-1]):
        start -= 1
    is_data = any(len(rows[i]) == len(rows[-1]) and numbers[i] == numbers[-1] for i in range(start))
    is_data |= any(len(one) > 1 and all(one) for one in numbers[:start])
    if not start or len(head) - start < 2 or is_data or any(numbers[start - 1]):  # the last: these are no titles
        return None
    numeric = tuple(i for i in range(len(rows[-1])) if any(numbers[j][i] for j in range(start, len(head))))
    units: tuple[str, ...] = ()
    if start > 1 and len(rows[start - 1]) == len(rows[start - 2]) and all(map(_UNIT.fullmatch, rows[start - 1])):
        units = tuple(unit.strip("[]()") for unit in rows[start - 1])
    titles = rows[start - 2] if units else rows[start - 1]
    return TextLayout(delimiter, comma, quoted, start, tuple(titles), units, len(rows[-1]), numeric)


def majority_layout(head: list[str]) -> TextLayout | None:
    """Of a table whose first rows have another number of columns than most, as some loggers begin; None for others."""
    delimiter, comma, quoted = _separators(head[-1], head)
    rows = [cells_of(line.removeprefix("#"), delimiter) for line in head]
    numbers = [tuple(_is_number(cell, comma) for cell in row) for row in rows]
    titles = () if any(numbers[0]) or len(rows[0]) != len(rows[-1]) else tuple(rows[0])
    start = len(head)
    while start and _alike(rows[start - 1], numbers[start - 1], rows[-1], numbers[-1]):
        start -= 1
    odd = rows[len(titles) > 0 : start]
    if not odd or 2 * (len(head) - start) <= len(head) or any(len(row) == len(rows[-1]) for row in odd):
        return None
    numeric = tuple(i for i in range(len(rows[-1])) if any(numbers[j][i] for j in range(start, len(head))))
    return TextLayout(delimiter, comma, quoted, start, titles, (), len(rows[-1]), numeric, len(odd))


def cells_of(line: str, delimiter: str | None) -> list[str]:
    line = line.strip(" \r\n")
    cells = line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter))
    return [cell.strip() for cell in cells]


def _separators(line: str, head: list[str]) -> tuple[str | None, bool, bool]:
    """What stands between columns, whether a comma is a decimal point, and whether only so between quotes."""
    if ";" in line:
        return ";", True, False
    if "\t" in line:
        return "\t", any(map(_DECIMAL.fullmatch, "\t".join(head).split())), False
    if "," not in line:
        return None, any(_only_decimals(line) for line in head), False
    if _only_decimals(line):
        return None, True, False
    quoted = any(map(_DECIMAL.fullmatch, cells_of(line, ",")))
    return (None, True, False) if not quoted and _is_one_column(head) else (",", quoted, quoted)


def _only_decimals(line: str) -> bool:
    """Whether between spaces, all is a number and some of it has a decimal comma: `0,1 2,5`."""
    cells = line.split()
    return len(cells) > 1 and all(_is_number(c, True) for c in cells) and any(map(_DECIMAL.fullmatch, cells))


def _is_one_column(head: list[str]) -> bool:
    """Whether lines such as `0,25` are one column with decimal commas: by one title, or by `0,05` and `-0,5`."""
    data = head if _ONE_DECIMAL_EACH.fullmatch(head[0]) else head[1:]
    if not data or not all(map(_ONE_DECIMAL_EACH.fullmatch, data)):
        return False
    if len(data) < len(head):
        titles = cells_of(head[0], ",")
        return len(titles) == 1 and (not head[0].startswith("#") or any(map(_BELOW_ONE.match, data)))
    return any(map(_BELOW_ONE.match, data))


def _alike(row: list[str], numbers: tuple[bool, ...], last: list[str], wanted: tuple[bool, ...]) -> bool:
    pairs = zip(row, numbers, last, wanted, strict=False)
    alike = all(is_one == wants_one or not cell or not other for cell, is_one, other, wants_one in pairs)
    return len(row) == len(last) and any(numbers) and alike


def _is_number(cell: str, decimal_comma: bool) -> bool:
    try:
        float(cell.replace(",", ".") if decimal_comma else cell)
    except ValueError:
        return False
    return True
