"""Excel workbooks: each sheet is read as the same table would be as text."""

import re
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from dualres.recordings.formats.contents import FORMULA, Contents
from dualres.recordings.formats.text import read_lines

_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how .xls files begin, and encrypted ones of any kind
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_FIRST = 50  # rows in which formulas are looked for
_NOT_IN_A_CELL = re.compile(r'[\t\r\n;"]+')  # what would be taken for a separator

SheetRow = tuple[Any, ...]


def read_xlsx(path: Path) -> Contents:
    """The columns of all sheets by their titles, as `sheet.title` where several sheets hold signals.

    Titles, units, lines above them, empty cells and columns of time are understood as in text. Dates are text.
    """
    from openpyxl import load_workbook

    _refuse_other_kinds(path)
    found: dict[str, Contents] = {}
    wrong: ValueError | None = None
    with closing(load_workbook(path, read_only=True, data_only=True)) as book:
        for sheet in book.worksheets:
            try:
                found[sheet.title] = _read_sheet(path, sheet)
            except ValueError as error:
                wrong = wrong or ValueError(f"sheet {sheet.title}: {error}")
    usable = {title: its for title, its in found.items() if any(one.fault is None for one in its)}
    if not usable and wrong:
        raise wrong
    shown = usable or found
    if len(shown) == 1:
        return next(iter(shown.values()))
    return {replace(one, name=f"{title}.{one.name}"): load for title, its in shown.items() for one, load in its.items()}


def _refuse_other_kinds(path: Path) -> None:
    with path.open("rb") as file:
        begin = file.read(1 << 20)
    if not begin.startswith(_OLE2):
        return
    if _ENCRYPTED in begin or _ENCRYPTED in path.read_bytes()[-(1 << 20) :]:
        raise ValueError("it is encrypted; save it without a password")
    raise ValueError("it is an .xls file, of the old kind; save it as .xlsx or .csv")


def _read_sheet(path: Path, sheet: Any) -> Contents:
    sheet.reset_dimensions()  # what a sheet says of its size may be wrong
    first: list[SheetRow] = []
    lines: list[str] = []
    filled: set[int] = set()  # columns
    for row in sheet.iter_rows(values_only=True):
        if len(first) < _FIRST:
            first.append(row)
        cells = [_text(value) for value in row]
        if there := [i for i, cell in enumerate(cells) if cell]:
            filled.update(there)
            lines.append("\t".join(cells[: there[-1] + 1]))
    columns = sorted(filled)
    contents = read_lines(lambda: nullcontext(_SheetTable(lines, columns))) if lines else {}
    if contents and all(one.length and one.kind != "U" for one in contents):
        return contents
    formulas = _formulas_without_values(path, sheet.title, first)
    if formulas and len(lines) < 2:
        raise ValueError("its formulas have no values; open it in a spreadsheet program and save it")
    if not contents:
        raise ValueError("it is empty")
    named = zip(contents.items(), columns, strict=False)
    return {replace(one, kind=FORMULA) if i in formulas and one.kind == "U" else one: load for (one, load), i in named}


class _SheetTable:
    """Lines of cells between tabs, all of the same columns, those that are empty throughout left out."""

    def __init__(self, lines: list[str], columns: list[int]) -> None:
        self._lines, self._columns = lines, columns

    def __iter__(self) -> Iterator[str]:
        width = self._columns[-1] + 1
        for line in self._lines:
            padded = line + "\t" * (width - 1 - line.count("\t"))
            if len(self._columns) == width:
                yield padded
            else:
                yield "\t".join(map(padded.split("\t").__getitem__, self._columns))


def _formulas_without_values(path: Path, title: str, values: list[SheetRow]) -> set[int]:
    """Columns of formulas that no program has computed: libraries write such, and there is nothing to read."""
    from openpyxl import load_workbook

    with closing(load_workbook(path, read_only=True)) as book:
        sheet = book[title]
        sheet.reset_dimensions()
        return {
            i
            for row, known in zip(islice(sheet.iter_rows(values_only=True), _FIRST), values, strict=False)
            for i, cell in enumerate(row)
            if isinstance(cell, str) and cell.startswith("=") and (i >= len(known) or known[i] is None)
        }


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    return _NOT_IN_A_CELL.sub(" ", str(value)).strip()
