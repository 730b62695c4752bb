"""Editing a list of labels: one recording changes, and nothing else."""

from pathlib import Path

import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels.edit import RowKey, place_of, put_back, remove_part, set_cells, text_of
from dualres.recordings.labels.read import rows_below


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.wav", "b.wav", "sub/c.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_a_first_label_makes_a_list_that_keeps_what_the_subfolders_said(folder: Path) -> None:
    assert set_cells(folder, RowKey("a.wav"), {"label": "good"}) == ""
    assert text_of(folder) == "file,label\nsub/c.wav,sub\na.wav,good\n"


def test_other_cells_columns_and_their_names_stay(folder: Path) -> None:
    written = "path;Fault;rpm;remark\na.wav;good;1800;kept, as it is\nb.wav;;900;\n"
    (folder / "labels.csv").write_text(written)
    before = set_cells(folder, RowKey("b.wav"), {"label": "bad", "component": "B7"})
    assert before == written
    assert text_of(folder) == ("path;Fault;rpm;remark;component\na.wav;good;1800;kept, as it is;\nb.wav;bad;900;;B7\n")
    put_back(folder, before)
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
    before = set_cells(folder, RowKey("a.wav"), {"label": "good"}), text_of(folder)
    with pytest.raises(RecordingError, match=r"'b\\udcff': is no name that labels.csv can hold; rename the file"):
        set_cells(folder, RowKey("b\udcff.wav"), {"label": "good"})
    assert before == ("", text_of(folder))


def test_every_row_is_found_again_by_its_place(folder: Path) -> None:
    (folder / "labels.csv").write_text(
        "file,label,channel,start_s,end_s\na.wav,x,2,,\nb.wav,x,,0.5,1\nb.wav,y,,1,\nsub/c.wav,,,,\n"
    )
    for number, row in enumerate(rows_below(folder, unlabelled=True)):
        set_cells(folder, place_of(row, folder), {"label": f"l{number}"})
    assert [row.known["label"] for row in rows_below(folder)] == ["l0", "l1", "l2", "l3"]
