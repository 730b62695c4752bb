"""Editing a list of labels: one recording changes, and nothing else."""

import multiprocessing
import os
from pathlib import Path

import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels import edit
from dualres.recordings.labels.edit import (
    LabelConflictError,
    RowKey,
    place_of,
    remove_part,
    set_cells,
    take_back,
    text_of,
)
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
    with pytest.raises(RecordingError, match=r"'b\\udcff.wav': is no name that labels.csv can hold; rename the file"):
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


def test_a_list_that_never_rests_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "replaced", lambda *_: False)
    with pytest.raises(RecordingError, match="another program keeps changing it"):
        set_cells(folder, RowKey("a.wav"), {"label": "good"})


def test_what_somebody_else_has_changed_since_it_was_seen_is_told_and_kept(folder: Path) -> None:
    set_cells(folder, RowKey("a.wav"), {"label": "good", "load": "1"})
    with pytest.raises(LabelConflictError, match=r"a.wav: somebody else has changed label from '' to 'good'"):
        set_cells(folder, RowKey("a.wav"), {"label": "bad"}, {"label": ""})
    assert text_of(folder) == "file,label,load\nsub/c.wav,sub,\na.wav,good,1\n"
    set_cells(folder, RowKey("a.wav"), {"label": "good"}, {"label": ""})  # both say the same
    set_cells(folder, RowKey("a.wav"), {"load": "2"}, {"load": "1", "label": "of no interest"})
    set_cells(folder, RowKey("b.wav"), {"label": "bad"}, {"label": ""})  # no row yet
    set_cells(folder, RowKey("a.wav"), {"label": "worn"})  # whoever has seen nothing takes it as it is
    assert text_of(folder) == "file,label,load\nsub/c.wav,sub,\na.wav,worn,2\nb.wav,bad,\n"


SPELLINGS = ("./b.wav", "sub/../b.wav", "sub//../b.wav", "{folder}/b.wav", "{folder}/sub/../b.wav", "up/b.wav")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_file_by_another_spelling_of_its_path_keeps_its_row(folder: Path, spelling: str) -> None:
    (folder / "up").symlink_to(folder)
    name = spelling.format(folder=folder)
    (folder / "labels.csv").write_text(f"file,label\n{name},good\n")
    (row,) = rows_below(folder)
    set_cells(folder, place_of(row, folder), {"label": "bad"})
    assert text_of(folder) == f"file,label\n{name},bad\n"
    if not spelling.startswith("up"):  # a name through a link is its own
        set_cells(folder, RowKey("b.wav"), {"label": "worn"})
        assert text_of(folder) == f"file,label\n{name},worn\n"
    (folder / "labels.csv").write_text(f"file,label\nb.wav,good\n{name},bad\n")
    with pytest.raises(RecordingError, match=r"line 3: .*b.wav is already listed in line 2"):
        rows_below(folder)


@pytest.mark.parametrize("name", [" a.wav", "a.wav "])
def test_a_name_that_a_list_cannot_hold_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(RecordingError, match="rename the file"):
        set_cells(folder, RowKey(name), {"label": "good"})
    assert text_of(folder) == ""
    (folder / f"{name}x").mkdir()
    (folder / f"{name}x" / "d.wav").write_bytes(b"")
    set_cells(folder, RowKey("b.wav"), {"label": "good"})
    assert all(row.file.exists() for row in rows_below(folder)), "none comes back as another"


def test_a_cell_under_no_column_never_comes_under_one(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label\na.wav,good,extra\nb.wav,good\n")
    with pytest.raises(RecordingError, match="line 2: has more cells than the header has columns, such as 'extra'"):
        rows_below(folder)
    set_cells(folder, RowKey("b.wav"), {"component": "7"})
    assert text_of(folder) == "file,label,component\na.wav,good,,extra\nb.wav,good,7\n"
    with pytest.raises(RecordingError, match="line 2: has more cells"):
        set_cells(folder, RowKey("a.wav"), {"label": "bad"})


def test_a_bad_row_costs_no_other_row_its_label(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label,start_s\na.wav,good,soon\n../out.wav,good,\n")
    set_cells(folder, RowKey("b.wav"), {"label": "bad"})
    with pytest.raises(RecordingError, match=r"line 2: a.wav: start_s 'soon' is no number of seconds"):
        set_cells(folder, RowKey("a.wav"), {"label": "bad"})
    found = rows_below(folder, problems=True)
    assert [(row.known.get("label"), row.listed_in, row.problem.split(";")[0]) for row in found[:2]] == [
        (None, "labels.csv, line 2", "a.wav: start_s 'soon' is no number of seconds"),
        (None, "labels.csv, line 3", f"../out.wav lies outside the folder {folder}"),
    ]
    assert (found[2].file.name, found[2].known["label"]) == ("b.wav", "bad")


def test_columns_are_named_once_and_a_file_is_not_renamed_by_a_cell(folder: Path) -> None:
    (folder / "labels.csv").write_text("file,label,Load\na.wav,good,1\n")
    set_cells(folder, RowKey("a.wav"), {"LOAD": "2"})
    assert text_of(folder) == "file,label,Load\na.wav,good,2\n"
    with pytest.raises(RecordingError, match="rename the file itself"):
        set_cells(folder, RowKey("a.wav"), {"file": "b.wav"})
    (folder / "labels.csv").write_text("file,label,load,Load\na.wav,good,1,2\n")
    with pytest.raises(RecordingError, match="column load stands there twice"):
        set_cells(folder, RowKey("a.wav"), {"label": "bad"})


def test_a_list_stays_what_it_was_to_those_who_share_it(folder: Path) -> None:
    """A link stays a link, and who may write stays so."""
    (folder / "lists").mkdir()
    real = folder / "lists" / "ours.csv"
    real.write_text("file,label\n")
    real.chmod(0o660)
    (folder / "labels.csv").symlink_to(real)
    set_cells(folder, RowKey("a.wav"), {"label": "good"})
    assert (folder / "labels.csv").is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("file,label\na.wav,good\n", 0o660)


def test_nothing_waits_for_a_list_that_is_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "labels.csv")
    with pytest.raises(RecordingError, match="not a regular file"):
        set_cells(folder, RowKey("a.wav"), {"label": "good"})
