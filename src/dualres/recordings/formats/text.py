"""Tables of numbers as text: one signal per column."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from dualres.recordings.formats.contents import TIME, Contents, Vector, column
from dualres.recordings.formats.rate_detection import is_counter, with_time
from dualres.recordings.formats.text_layout import TextLayout, block_layout, plain_layout

LARGEST = 4 << 30  # bytes
LONGEST_LINE = 1 << 18  # characters; each cell of a line takes some sixty bytes while the layout is looked for
MOST_NUMBERS = 1 << 28  # of a table: 2 GiB, more than an hour at 64 kHz
_HEAD = 200  # lines by which the layout is known
_HEAD_SIZE = 1 << 20  # characters, after which fewer lines are enough

LineOpener = Callable[[], AbstractContextManager[Iterable[str]]]
TextTable = tuple[TextLayout, npt.NDArray[Any], list[int]]  # the numbers, and how many of each column are there


def read_text(path: Path) -> Contents:
    """The columns, by their titles where there are some, else as `column 1`, `column 2` ...

    Commas, semicolons, tabs or spaces stand between them. A comma may be a decimal point, except between unquoted
    commas. Lines that describe the recording may stand above the titles, and units below them. A column ends with its
    last number; empty cells before that are NaN. A column of time says the rate.
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
        contents[Vector(name, length, kind, unit=layout.unit(i))] = load
    return with_time(contents, dict(zip(layout.titles, layout.units, strict=False)), table=True)


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
    """The lines by which the layout is known, without empty ones: two at least, if there are two."""
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
    if len(head) > 1 and (below := block_layout(head)) is not None:
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
