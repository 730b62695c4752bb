"""Tables of numbers as text: one signal per column."""

import csv
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np

from dualres.recordings.listing import Contents, Listed, column

LARGEST = 4 << 30  # bytes


def read_text(path: Path) -> Contents:
    """The columns, by their titles where the first line has some, else as `column 1`, `column 2` ...

    Commas, semicolons, tabs or spaces stand between them; between semicolons, a comma is a decimal point.
    """
    if path.stat().st_size > LARGEST:
        raise ValueError(f"text beyond {LARGEST >> 30} GiB is not read; save it as .npy")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        lines = (line for line in file if line.strip())
        head = list(islice(lines, 2))
        if not head:
            raise ValueError("the file is empty")
        delimiter = next((d for d in ";\t," if d in head[-1]), None)  # None: whitespace
        comma = delimiter == ";"
        first, last = _cells(head[0].removeprefix("#"), delimiter), _cells(head[-1], delimiter)
        above, below = ([_is_number(cell, comma) for cell in cells] for cells in (first, last))
        # A title is text above a number; a column that is text in both lines says nothing about that.
        titled = not any(above) or (False, True) in zip(above, below, strict=False)
        numeric = [i for i in range(len(last)) if below[i] or above[i : i + 1] == [True]]
        data: Iterator[str] = chain(head[1:] if titled else head, lines)
        if comma:
            data = (line.replace(",", ".") for line in data)
        used = None if len(numeric) == len(last) else numeric  # all of them: a row of another length is an error
        values = np.empty((0, len(last)))
        if numeric and (len(head) > 1 or not titled):
            try:
                values = np.loadtxt(data, delimiter=delimiter, comments=None, quotechar='"', usecols=used, ndmin=2)
            except ValueError as error:
                raise ValueError(str(error).partition(";")[0]) from error
    contents: Contents = {}
    place = {i: j for j, i in enumerate(numeric)}  # column of the file -> column of `values`
    for i, name in enumerate(_column_names(first if titled else [], len(last))):
        kind = "f" if i in place or len(head) == 1 else "U"
        contents[Listed(name, len(values), kind)] = partial(column, lambda: values, True, place.get(i, 0))
    return contents


def _cells(line: str, delimiter: str | None) -> list[str]:
    line = line.strip(" \r\n")
    cells = line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter))
    return [cell.strip() for cell in cells]


def _is_number(cell: str, decimal_comma: bool) -> bool:
    try:
        float(cell.replace(",", ".") if decimal_comma else cell)
    except ValueError:
        return False
    return True


def _column_names(titles: list[str], count: int) -> list[str]:
    """The titles, and `column 3` for one that is missing or not unique; none of them fit if their number does not."""
    if count == 1:
        titles = [" ".join(titles)]
    if len(titles) != count:
        titles = [""] * count
    times = Counter(titles)
    return [t if t and times[t] == 1 else f"column {i}" for i, t in enumerate(titles, start=1)]
