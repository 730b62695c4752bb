"""Workbooks with the quirks that people's workbooks have."""

import datetime
import zipfile

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.formats.sandbox import Guard
from dualres.recordings.formats.spreadsheet import read_xlsx
from dualres.recordings.readers import read, signals

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def book(tmp_path):
    """Write sheets of rows, the first of them without a name."""

    def write(rows, **others):
        made = openpyxl.Workbook()
        for title, its in {"Sheet": rows, **others}.items():
            sheet = made.active if title == "Sheet" else made.create_sheet(title)
            for row in its:
                sheet.append(row)
        made.save(tmp_path / "a.xlsx")
        return tmp_path / "a.xlsx"

    return write


def vectors(path):
    return {one.name: load().tolist() for one, load in read_xlsx(path).items() if one.fault is None}


def units(path):
    return {one.name: one.unit for one in read_xlsx(path) if one.fault is None}


DATA = [[i / 1000, round(np.sin(i).item(), 6), i % 7] for i in range(64)]


def test_titles_units_and_a_column_of_time(book):
    path = book([["time (s)", "DE", "FE"], *DATA])
    assert vectors(path) == {"DE": [row[1] for row in DATA], "FE": [row[2] for row in DATA]}
    assert {one.rate for one in read_xlsx(path) if one.fault is None} == {1000}
    block = [["Measured by: J; K", None, None], [], ["Pump", 7], ["time", "DE", "FE"], ["ms", "g", "m/s^2"]]
    path = book([*block, *([1000 * t, *rest] for t, *rest in DATA)])
    assert units(path) == {"DE": "g", "FE": "m/s^2"}
    assert {one.rate for one in read_xlsx(path) if one.fault is None} == {1000}


def test_titles_may_be_missing_and_numbers_be_text(book):
    assert list(vectors(book([row[1:] for row in DATA]))) == ["column 1", "column 2"]
    assert vectors(book([["acceleration DE"], [0.5], [-1e-7], [3]])) == {"acceleration DE": [0.5, -1e-7, 3]}
    assert vectors(book([["DE", "FE"], ["0,5", "1"], ["-2,25", "3"]])) == {"DE": [0.5, -2.25], "FE": [1, 3]}


def test_a_merged_title_stands_above_the_first_of_its_columns(tmp_path):
    made = openpyxl.Workbook()
    for row in (["time", "acceleration", None], [None, "DE", "FE"], *DATA):
        made.active.append(row)
    made.active.merge_cells("B1:C1")
    made.active.merge_cells("A1:A2")
    made.save(tmp_path / "a.xlsx")
    assert list(vectors(tmp_path / "a.xlsx"))[-2:] == ["DE", "FE"]
    made = openpyxl.Workbook()
    for row in (["time (s)", "acceleration", None], *DATA):
        made.active.append(row)
    made.active.merge_cells("B1:C1")
    made.save(tmp_path / "a.xlsx")
    assert list(vectors(tmp_path / "a.xlsx")) == ["acceleration", "column 3"]


def test_empty_cells_rows_and_columns(book):
    rows = [[None, "DE", None, "FE"], [None, 1, None, 2], [], [None, 3.5, None, None], [None, 5, None, 6], [None, 7]]
    found = vectors(book(rows))
    assert found["DE"] == [1, 3.5, 5, 7]
    np.testing.assert_array_equal(found["FE"], [2, np.nan, 6])


def test_dates_are_no_signal(book):
    start = datetime.datetime(2024, 5, 1)
    path = book([["when", "DE"], *([start + datetime.timedelta(seconds=i), i % 5] for i in range(9))])
    assert list(vectors(path)) == ["DE"]
    with pytest.raises(RecordingError, match="does not say its sampling rate"):
        read(path)
    assert read(path, rate=1000).length == 9


def test_sheets_are_named_where_several_hold_signals(book):
    notes = [["Pump 7, north hall"], ["measured in May"]]
    rows = [["DE", "FE"], *(row[1:] for row in DATA)]
    assert list(vectors(book(rows, notes=notes))) == ["DE", "FE"]
    path = book(rows, second=rows, notes=notes)
    assert list(vectors(path)) == ["Sheet.DE", "Sheet.FE", "second.DE", "second.FE"]
    assert read(path, "second.fe", 1000).origin.channel == "second.FE"
    assert list(vectors(book(notes, data=rows))) == ["DE", "FE"]


def test_formulas_that_nobody_computed_are_told(book):
    path = book([["DE", "twice"], *([i % 5, f"=2*A{i + 2}"] for i in range(9))])
    assert list(vectors(path)) == ["DE"]
    with pytest.raises(RecordingError, match=r"twice holds formulas without values; open the file in a spreadsheet"):
        read(path, "twice", 1000)
    path = book([["twice"], *([f"=2*{i}"] for i in range(9))])
    with pytest.raises(RecordingError, match=r"sheet Sheet: its formulas have no values; open it"):
        read(path, rate=1000)


def test_computed_formulas_have_their_values(book, tmp_path):
    """What a spreadsheet program saves: the formula with its value beside it."""
    path = book([["DE", "twice"], *([i % 5, 2.0 * (i % 5)] for i in range(9))])
    with zipfile.ZipFile(path) as made:
        members = {name: made.read(name) for name in made.namelist()}
    sheet = members["xl/worksheets/sheet1.xml"].decode()
    for i in range(9):
        sheet = sheet.replace(f'<c r="B{i + 2}" t="n"><v>', f'<c r="B{i + 2}"><f>2*A{i + 2}</f><v>')
    assert sheet.count("<f>") == 9
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as made:
        for name, content in (members | {"xl/worksheets/sheet1.xml": sheet.encode()}).items():
            made.writestr(name, content)
    assert vectors(tmp_path / "b.xlsx")["twice"] == [2.0 * (i % 5) for i in range(9)]


def test_an_error_in_a_cell_and_an_empty_workbook_are_told(book):
    path = book([["DE", "FE"], [1, 2], [3, "#DIV/0!"], [5, 6]])
    with pytest.raises(RecordingError, match="#DIV/0!"):
        read(path, "FE", 1000)
    with pytest.raises(RecordingError, match="sheet Sheet: it is empty"):
        signals(book([]))


def test_what_a_sheet_says_of_its_size_is_not_believed(book, tmp_path):
    path = book([["DE", "FE"], [1, 2], [3, 4]])
    with zipfile.ZipFile(path) as made, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as other:
        for name in made.namelist():
            other.writestr(name, made.read(name).replace(b'ref="A1:B3"', b'ref="A1"'))
    assert vectors(tmp_path / "b.xlsx") == {"DE": [1, 3], "FE": [2, 4]}


def test_other_kinds_of_workbook_are_told_apart(tmp_path):
    begin = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)
    (tmp_path / "a.xlsx").write_bytes(begin + "EncryptedPackage".encode("utf-16-le") + bytes(600))
    with pytest.raises(RecordingError, match="it is encrypted; save it without a password"):
        read(tmp_path / "a.xlsx")
    (tmp_path / "a.xlsx").write_bytes(begin)
    with pytest.raises(RecordingError, match=r"it is an \.xls file, of the old kind; save it as \.xlsx or \.csv"):
        read(tmp_path / "a.xlsx")
    (tmp_path / "a.xls").write_bytes(begin)
    with pytest.raises(RecordingError, match=r"\.xls, Excel's old format, are not read; save it as \.xlsx or \.csv"):
        read(tmp_path / "a.xls")
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(RecordingError, match="cannot be read as Excel"):
        read(tmp_path / "a.xlsx")


def test_a_workbook_that_unpacks_to_too_much_is_stopped(book, tmp_path):
    path = book([["DE", "FE"], [1, 2], [3, 4]])
    row = b'<row><c t="n"><v>1</v></c><c t="n"><v>2</v></c></row>' * 100_000
    with zipfile.ZipFile(path) as made, zipfile.ZipFile(tmp_path / "b.xlsx", "w", zipfile.ZIP_DEFLATED) as bomb:
        for name in made.namelist():
            with bomb.open(name, "w") as member:
                begin, end, after = made.read(name).partition(b"</sheetData>")
                member.write(begin)
                for _ in range(50 if end else 0):
                    member.write(row)
                member.write(end + after)
    assert (tmp_path / "b.xlsx").stat().st_size < 2 << 20
    guard = Guard(seconds=1.0)
    try:
        with pytest.raises(RecordingError, match="not done after 1 s"):
            read(tmp_path / "b.xlsx", rate=1000, guard=guard)
    finally:
        guard.close()
