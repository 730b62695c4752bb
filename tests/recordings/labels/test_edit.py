"""Editing a list of labels: one recording changes, and nothing else."""

import multiprocessing
from pathlib import Path

import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels import edit
from dualres.recordings.labels.edit import RowKey, place_of, remove_part, set_cells, take_back, text_of
from dualres.recordings.labels.read import rows_below

EDITS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.wav", "b.wav", "sub/c.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_a_first_label_makes_a_list_that_keeps_what_the_subfolders_said(folder: Path) -> None:
    assert set_cells(folder, RowKey("a.wav"), {"label": "good"}).before == ""
    assert text_of(folder) == "file,label\nsub/c.wav,sub\na.wav,good\n"


def test_other_cells_columns_and_their_names_stay(folder: Path) -> None:
    written = "path;Fault;rpm;remark\na.wav;good;1800;kept, as it is\nb.wav;;900;\n"
    (folder / "labels.csv").write_text(written)
    change = set_cells(folder, RowKey("b.wav"), {"label": "bad", "component": "B7"})
    assert change.before == written
    assert text_of(folder) == ("path;Fault;rpm;remark;component\na.wav;good;1800;kept, as it is;\nb.wav;bad;900;;B7\n")
    take_back(folder, change)
    assert text_of(folder) == written


def test_parts_take_the_place_of_a_file_without_a_label(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label\na.wav,\n")
    set_cells(folder, RowKey("a.wav", start_s=1.0, end_s=2.5), {"label": "bad"})
    set_cells(folder, RowKey("a.wav", end_s=1.0), {"label": "good"})
    assert text_of(folder) == "file,label,start_s,end_s\na.wav,bad,1,2.5\na.wav,good,,1\n"
    set_cells(folder, RowKey("a.wav", start_s=1.0, end_s=2.5), {"label": "worse"})
    remove_part(folder, RowKey("a.wav", end_s=1.0))
    assert text_of(folder) == "file,label,start_s,end_s\na.wav,worse,1,2.5\n"
    remove_part(folder, RowKey("a.wav", start_s=1.0, end_s=2.5))
    assert text_of(folder) == "file,label,start_s,end_s\na.wav,,,\n"


def test_a_part_of_a_labelled_file_or_one_that_overlaps_is_refused_and_nothing_changes(folder: Path) -> None:
    set_cells(folder, RowKey("a.wav"), {"label": "good"})
    whole = text_of(folder)
    with pytest.raises(RecordingError, match="whole file has a label"):
        set_cells(folder, RowKey("a.wav", start_s=1.0, end_s=2.0), {"label": "bad"})
    assert text_of(folder) == whole
    set_cells(folder, RowKey("b.wav", start_s=1.0, end_s=2.0), {"label": "bad"})
    before = text_of(folder)
    with pytest.raises(RecordingError, match="overlaps"):
        set_cells(folder, RowKey("b.wav", start_s=1.5, end_s=3.0), {"label": "bad"})
    with pytest.raises(RecordingError, match="no such part"):
        remove_part(folder, RowKey("b.wav", start_s=5.0, end_s=6.0))
    assert text_of(folder) == before


@pytest.mark.parametrize("cells", [{"label": "a\nb"}, {"label": "\x1b[0m"}, {"x" * 201: "a"}, {"": "a"}])
def test_a_cell_that_would_break_the_list_is_refused(folder: Path, cells: dict[str, str]) -> None:
    with pytest.raises(RecordingError):
        set_cells(folder, RowKey("a.wav"), cells)
    assert not (folder / "labels.csv").exists()


def test_a_name_that_is_no_text_is_refused_and_nothing_changes(folder: Path) -> None:
    change = set_cells(folder, RowKey("a.wav"), {"label": "good"})
    with pytest.raises(RecordingError, match=r"'b\\udcff': is no name that labels.csv can hold; rename the file"):
        set_cells(folder, RowKey("b\udcff.wav"), {"label": "good"})
    assert change == ("", text_of(folder))


def test_every_row_is_found_again_by_its_place(folder: Path) -> None:
    (folder / "labels.csv").write_text(
        "file,label,channel,start_s,end_s\na.wav,x,2,,\nb.wav,x,,0.5,1\nb.wav,y,,1,\nsub/c.wav,,,,\n"
    )
    for number, row in enumerate(rows_below(folder, unlabelled=True)):
        set_cells(folder, place_of(row, folder), {"label": f"l{number}"})
    assert [row.known["label"] for row in rows_below(folder)] == ["l0", "l1", "l2", "l3"]


def test_nothing_is_taken_back_of_a_list_that_is_another_since(folder: Path) -> None:
    change = set_cells(folder, RowKey("a.wav"), {"label": "good"})
    set_cells(folder, RowKey("b.wav"), {"label": "bad"})
    with pytest.raises(RecordingError, match="somebody else"):
        take_back(folder, change)
    assert [row.known["label"] for row in rows_below(folder, None)] == ["sub", "good", "bad"]


def label_some(folder: str, first: int) -> None:
    for number in range(first, first + EDITS):
        set_cells(Path(folder), RowKey(f"{number}.wav"), {"label": f"l{number}"})


def test_no_edit_of_several_processes_is_lost(tmp_path: Path) -> None:
    for number in range(3 * EDITS):
        (tmp_path / f"{number}.wav").write_bytes(b"")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=label_some, args=(str(tmp_path), first * EDITS)) for first in range(3)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    found = {row.file.name: row.known["label"] for row in rows_below(tmp_path, None)}
    assert found == {f"{number}.wav": f"l{number}" for number in range(3 * EDITS)}


@pytest.mark.parametrize("moment", ["before the list is replaced", "after it was opened"])
def test_rows_that_another_program_appends_meanwhile_are_taken_in(folder: Path, monkeypatch, moment: str) -> None:
    """It knows no lock, and writes once, just then."""
    path, whole = folder / "labels.csv", edit.write_whole
    set_cells(folder, RowKey("a.wav"), {"label": "good"})
    left = ["b.wav,bad\n"]

    def append() -> None:
        if left:
            with path.open("a") as file:
                file.write(left.pop())

    def interrupted(target: Path, content: bytes, still) -> bool:
        def late() -> bool:
            same = still()
            append()
            return same

        if moment.startswith("before"):
            append()
        return whole(target, content, still=late)

    monkeypatch.setattr(edit, "write_whole", interrupted)
    set_cells(folder, RowKey("sub/c.wav"), {"label": "worn"})
    assert not left
    found = {row.file.name: row.known["label"] for row in rows_below(folder, None)}
    assert found == {"a.wav": "good", "b.wav": "bad", "c.wav": "worn"}


def test_a_list_that_never_rests_is_said(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(edit, "write_whole", lambda *_, **__: False)
    with pytest.raises(RecordingError, match="another program keeps changing it"):
        set_cells(folder, RowKey("a.wav"), {"label": "good"})


def test_a_file_by_another_spelling_of_its_path_keeps_its_row(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label\n./a.wav,good\nsub/../b.wav,good\n")
    set_cells(folder, RowKey("a.wav"), {"label": "bad"})
    set_cells(folder, RowKey("b.wav"), {"label": "worn"})
    assert text_of(folder) == "file,label\n./a.wav,bad\nsub/../b.wav,worn\n"


@pytest.mark.parametrize("name", [" a.wav", "a.wav "])
def test_a_name_that_a_list_cannot_hold_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(RecordingError, match="rename the file"):
        set_cells(folder, RowKey(name), {"label": "good"})
    assert text_of(folder) == ""
