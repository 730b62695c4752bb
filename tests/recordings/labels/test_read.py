from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.read import read_row, to_judge
from dualres.recordings.recording import Segment
from dualres.recordings.speed import Speed
from tests.recordings.labels.test_folder import noise, write_labels


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("a", "b"), start=1):
        np.save(tmp_path / f"{name}.npy", noise(seed, 3000))
    return tmp_path


def test_parts_of_a_file_are_recordings_of_their_own(folder):
    write_labels(folder, "file,label,start_s,end_s\na.npy,good,,1.5\na.npy,worn,2,\nb.npy,worn,,\n")
    found = read_folder(folder, rate=Fraction(1000))
    assert found.seconds == {"a.npy [0 s to 1.5 s]": 1.5, "a.npy [2 s to the end]": 1.0, "b.npy": 3.0}
    first, second, whole = found.recordings
    assert [r.label for r in found.recordings] == ["good", "worn", "worn"]
    assert (first.origin.part, whole.origin.part) == (Segment(0, 1.5), None)
    assert not first.condition, "the seconds are no operating condition"
    np.testing.assert_array_equal(first.signal, noise(1, 3000)[:1500])
    np.testing.assert_array_equal(second.signal, noise(1, 3000)[2000:])
    assert not found.same, "parts of one file are not the same content"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("a.npy,good,2,1", "labels.csv, line 2: a.npy: end_s 1 is not after start_s 2; correct one of them"),
        ("a.npy,good,1,1", "end_s 1 is not after start_s 1"),
        ("a.npy,good,soon,1", "line 2: a.npy: start_s 'soon' is no number of seconds"),
        ("a.npy,good,-1,1", "start_s '-1' is no number of seconds"),
        ("a.npy,good,0,nan", "end_s 'nan' is no number of seconds"),
        ("a.npy,good,0,9", r"labels.csv, line 2: .*a.npy: is 3.000 s long, so end_s 9 lies beyond its end"),
        ("a.npy,good,0,.1", r"line 2: .*a.npy, 0 s to 0.1 s: is 0.100 s long, but one window takes 0.512 s"),
        ("a.npy,good,0,2\na.npy,worn,1,3", "line 3: a.npy, 1 s to 3 s: overlaps with line 2, 0 s to 2 s; list each"),
        ("a.npy,good,,\na.npy,worn,1,3", "line 3: a.npy, 1 s to 3 s: overlaps with line 2, the whole"),
    ],
)
def test_mistakes_in_parts_are_named_by_line_and_file(folder, rows, reason):
    write_labels(folder, f"file,label,start_s,end_s\n{rows}\n")
    with pytest.raises(RecordingError, match=reason):
        read_folder(folder, rate=Fraction(1000))


def test_parts_are_judged_apart(folder):
    write_labels(folder, "file,start_s,end_s\na.npy,0,1\na.npy,1,2\n")
    rows = list(to_judge([folder]))
    assert [(row.file.name, row.which) for row in rows] == [
        ("a.npy", " [0 s to 1 s]"),
        ("a.npy", " [1 s to 2 s]"),
        ("b.npy", ""),
    ]


def test_a_file_is_judged_as_the_list_above_it_says(folder):
    """Of a file that is given by itself, too; what a list says of others, or wrongly, changes nothing."""
    (folder / "deep").mkdir()
    (folder / "deep" / "b.npy").write_bytes((folder / "a.npy").read_bytes())
    write_labels(folder, "file,component,rpm,load\na.npy,B1,1797,3\ndeep/b.npy,B2,,0\n,B3,,\n")
    one, other, unlisted = to_judge([folder / "a.npy", folder / "deep" / "b.npy", folder / "c.npy"])
    assert (one.file, one.known["component"]) == (folder / "a.npy", "B1")
    assert one.known["condition"] == {"rpm": "1797", "load": "3"}
    assert read_row(one, rate=Fraction(1000)).speed == Speed((29.95,))
    assert (other.file, other.known["condition"]) == (folder / "deep" / "b.npy", {"load": "0"})
    assert (unlisted.file, unlisted.known) == (folder / "c.npy", {})


@pytest.mark.parametrize("header", ["filename,class", "Path,Fault", "file_name,state", "file,Class"])
def test_other_names_of_file_and_label_are_understood(folder, header):
    write_labels(folder, f"{header},load\na.npy,good,2\n")
    (one,) = read_folder(folder, rate=Fraction(1000)).recordings
    assert (one.id, one.label, one.condition) == ("a.npy", "good", {"load": "2"})
    assert "label" not in next(to_judge([folder])).known
    assert next(to_judge([folder])).known["condition"] == {"load": "2"}, "what is judged must not be told its class"


def test_a_column_beside_label_stays_a_condition(folder):
    write_labels(folder, "file,label,state\na.npy,good,warm\n")
    (one,) = read_folder(folder, rate=Fraction(1000)).recordings
    assert (one.label, one.condition) == ("good", {"state": "warm"})


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("name,label", "columns file and label are needed.*found: name, label; rename the one that holds the file"),
        ("file,verdict", "found: file, verdict; rename the one that holds the label"),
        ("file,class,fault", "labels.csv: the columns class and fault could each be the label; rename the one that is"),
    ],
)
def test_what_was_found_in_the_header_is_said(folder, header, reason):
    write_labels(folder, f"{header}\na.npy,good,good\n")
    with pytest.raises(RecordingError, match=reason):
        read_folder(folder)


def test_a_list_that_is_too_large_is_not_read(folder):
    write_labels(folder, "file,label\na.npy,good\n" + "\n" * (16 << 20))
    with pytest.raises(RecordingError, match=r"labels.csv: cannot be read .it has more than 16 MiB"):
        read_folder(folder, rate=Fraction(1000))


@pytest.mark.parametrize("name", ["a\0.npy", "\0", "circle/a.npy"])
def test_a_name_that_no_file_can_have_is_refused(folder, name):
    (folder / "circle").symlink_to(folder / "circle")
    write_labels(folder, f"file,label\n{name},good\nb.npy,worn\n")
    with pytest.raises(RecordingError, match=r"line 2: .* cannot be a file"):
        read_folder(folder, rate=Fraction(1000))
