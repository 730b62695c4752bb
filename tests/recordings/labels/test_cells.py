"""An edit of a list that is known costs what it changes, and says what a list that is read anew would say."""

import random
from pathlib import Path

import pytest

from dualres.recordings.labels import cells
from dualres.recordings.labels.cells import CellTable, RowKey
from dualres.recordings.labels.edit import (
    CellEdit,
    LabelConflictError,
    remove_part,
    set_cells,
    set_cells_of_many,
    take_back,
    text_of,
)
from dualres.recordings.labels.watched import WatchedRows

LISTS = (
    "file,label\na.wav,good\nb.wav,\n",
    'file;label;remark\na.wav;good;"two\nlines; and more"\nb.wav;;x\n',
    "\ufefffile,label,load\r\n./a.wav,good,1\r\n\r\nb.wav,worn\r\nc.wav,,2,beyond\r\n",
    'file, label\n"a.wav", good\nsub/../b.wav,bad\n',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.wav", "b.wav", "c.wav", "sub/d.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def edited(folder: Path, draw: random.Random, *names: str) -> None:
    place = RowKey(draw.choice(["a.wav", "b.wav", *names]))
    set_cells(folder, place, {draw.choice(["label", "load", "component"]): draw.choice(["x", "y, z", ""])})


@pytest.mark.parametrize("text", LISTS)
def test_many_edits_of_a_known_list_are_those_of_one_that_is_read_every_time(
    folder: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for known in (True, False):
        (folder / "labels.csv").write_text(text, encoding="utf-8")
        draw = random.Random(3)
        for _ in range(12):
            if not known:
                monkeypatch.setattr(cells, "_TABLES", cells._TableCache())
            edited(folder, draw, "sub/d.wav")
        found.append(text_of(folder))
    assert found[0] == found[1]


@pytest.mark.parametrize("text", LISTS)
def test_rows_that_are_watched_are_those_that_are_read(folder: Path, text: str) -> None:
    (folder / "labels.csv").write_text(text, encoding="utf-8")
    watched, draw = WatchedRows(folder), random.Random(4)
    for turn in range(16):
        if turn == 6:
            with (folder / "labels.csv").open("a") as file:
                file.write("c.wav,late\n" if "c.wav" not in text else "gone.wav,late\n")
        if turn == 9:
            set_cells(folder, RowKey("sub/d.wav", end_s=0.5), {"component": "p"})
        if turn % 5:
            edited(folder, draw)
        now = text_of(folder)
        rows = watched.rows(now)
        assert rows == WatchedRows(folder).rows(now)
        assert [(row.listed_in, row.problem, row.known) for row in rows] == [
            (row.listed_in, row.problem, row.known) for row in WatchedRows(folder).rows(now)
        ]
        assert watched.rows(now) == rows


def test_a_row_that_did_not_change_is_the_very_same(folder: Path) -> None:
    (folder / "labels.csv").write_text(LISTS[0])
    watched = WatchedRows(folder)
    first = watched.rows(text_of(folder))
    set_cells(folder, RowKey("b.wav"), {"label": "bad"})
    second = watched.rows(text_of(folder))
    assert second[0] is first[0]
    assert (second[1].known["label"], second[1].file is first[1].file) == ("bad", True)
    (folder / "labels.csv").write_text("file,label\nb.wav,bad\n")
    assert [row.file.name for row in watched.rows(text_of(folder))] == ["b.wav"]


def test_which_rows_are_others_is_told_where_nothing_else_can_be(folder: Path) -> None:
    watched = WatchedRows(folder)
    first, changed = watched.rows_and_changes(LISTS[0], None)
    assert changed is None
    second, changed = watched.rows_and_changes(LISTS[0].replace("b.wav,", "b.wav,bad"), first)
    assert changed == [1]
    assert watched.rows_and_changes(f"{LISTS[0]}c.wav,bad\n", first)[1] is None  # it was not the last one
    third, changed = watched.rows_and_changes(f"{LISTS[0]}c.wav,good\n", watched.rows(f"{LISTS[0]}c.wav,bad\n"))
    assert changed == [2]
    assert watched.rows_and_changes(LISTS[0], third)[1] is None  # one was taken away
    assert [row.file for row in second] == [row.file for row in first]


def test_a_row_that_was_listed_twice_is_told_whenever_it_comes(folder: Path) -> None:
    (folder / "labels.csv").write_text(LISTS[0])
    watched = WatchedRows(folder)
    watched.rows(text_of(folder))
    twice = f"{LISTS[0]}./a.wav,bad\n"
    assert watched.rows(twice)[2].problem.startswith("./a.wav is already listed in line 2")
    assert len(watched.rows(LISTS[0])) == 2
    assert watched.rows(f"{LISTS[0]}c.wav,bad\n")[2].problem == ""


def test_several_edits_are_one_change_and_all_of_them_or_none(folder: Path) -> None:
    (folder / "labels.csv").write_text(LISTS[0])
    names, told = ("a.wav", "b.wav", "c.wav"), []
    edits = [CellEdit(RowKey(name), {"label": "worn", "load": "2"}, {"label": "", "load": ""}) for name in names]
    with pytest.raises(LabelConflictError, match=r"a.wav: somebody else has changed label from '' to 'good'"):
        set_cells_of_many(folder, edits)
    assert text_of(folder) == LISTS[0]
    edits[0] = CellEdit(RowKey("a.wav"), {"label": "worn", "load": "2"}, {"label": "good"})
    change = set_cells_of_many(folder, edits, lambda *said: told.append(said))
    assert text_of(folder) == "file,label,load\na.wav,worn,2\nb.wav,worn,2\nc.wav,worn,2\n"
    assert told == [("Write", 0, 3, ""), ("Write", 3, 3, "")]
    take_back(folder, change)
    assert text_of(folder) == LISTS[0]


def test_a_list_without_a_row_that_was_taken_away_is_known(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label,start_s,end_s\na.wav,x,0,1\na.wav,y,1,2\nb.wav,z,,\n")
    remove_part(folder, RowKey("a.wav", start_s=1.0, end_s=2.0))
    set_cells(folder, RowKey("b.wav"), {"label": "w"})
    assert text_of(folder) == "file,label,start_s,end_s\na.wav,x,0,1\nb.wav,w,,\n"


def test_a_copy_of_a_list_is_nobody_elses(folder: Path) -> None:
    (folder / "labels.csv").write_text(LISTS[0])
    one, other = (CellTable.of(folder, LISTS[0]) for _ in range(2))
    one.put(one.row_of(RowKey("a.wav")), {"label": "other", "new": "1"})
    one.row_of(RowKey("c.wav"))
    assert other.text() == LISTS[0]
    assert other.rows_of("c.wav") == []
