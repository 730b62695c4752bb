from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels import folder as beside
from dualres.recordings.labels.folder import Axis, read_folder
from dualres.recordings.labels.read import LabelRow, expanded, files_below, to_judge
from dualres.recordings.readers import IN_MEMORY, OnDisk
from tests.recordings.axes_files import RATE, three, write_csv


def noise(seed, samples=600):
    return np.random.default_rng(seed).standard_normal(samples).astype(np.float32)


@pytest.fixture
def sorted_folder(tmp_path):
    for label, seeds in (("good", (1, 2)), ("worn", (3,))):
        (tmp_path / label).mkdir()
        for seed in seeds:
            np.save(tmp_path / label / f"{seed}.npy", noise(seed))
    return tmp_path


def test_one_subfolder_per_class(sorted_folder):
    folder = read_folder(sorted_folder, rate=Fraction(1000))
    assert [(r.id, r.label, r.component) for r in folder.recordings] == [
        ("good/1.npy", "good", None),
        ("good/2.npy", "good", None),
        ("worn/3.npy", "worn", None),
    ]
    assert folder.classes == ("good", "worn")
    assert folder.seconds == {"good/1.npy": 0.6, "good/2.npy": 0.6, "worn/3.npy": 0.6}
    np.testing.assert_array_equal(folder.recordings[2].signal, noise(3))


def test_a_long_recording_stays_on_disk(sorted_folder):
    np.save(sorted_folder / "worn" / "3.npy", noise(3, IN_MEMORY + 1))
    recording = read_folder(sorted_folder, rate=Fraction(1000)).recordings[2]
    assert isinstance(recording.load, OnDisk)
    assert (recording.id, recording.length) == ("worn/3.npy", IN_MEMORY + 1)
    assert np.array_equal(next(recording.blocks(600)), noise(3))


def test_hidden_and_foreign_files_are_no_recordings(sorted_folder):
    (sorted_folder / "good" / "readme.md").write_text("x")
    (sorted_folder / "good" / "._1.npy").write_bytes(b"x")
    (sorted_folder / ".git").mkdir()
    assert len(read_folder(sorted_folder, rate=Fraction(1000)).recordings) == 3


def write_labels(folder, text):
    (folder / "labels.csv").write_text(text, encoding="utf-8-sig")


def test_labels_csv_brings_everything_else(sorted_folder):
    write_labels(
        sorted_folder,
        "File, label, component, rate, load\ngood/1.npy, fine, pump 1, 2/3 kHz, high\nworn/3.npy, bad, pump 2, 500,\n",
    )
    first, second = read_folder(sorted_folder).recordings
    assert (first.label, first.component, first.rate, first.condition) == (
        "fine",
        "pump 1",
        Fraction(2000, 3),
        {"load": "high"},
    )
    assert (second.label, second.rate, second.condition) == ("bad", Fraction(500), {})


def test_what_cannot_be_used_is_left_out_with_the_reason(sorted_folder):
    np.save(sorted_folder / "good" / "constant.npy", np.ones(50))
    np.save(sorted_folder / "good" / "short.npy", noise(7, samples=200))
    (sorted_folder / "worn" / "damaged.npy").write_bytes(b"not numpy")
    folder = read_folder(sorted_folder, rate=Fraction(1000))
    assert len(folder.recordings) == 3
    reasons = dict(folder.left_out)
    assert "constant" in reasons["good/constant.npy"]
    assert str(sorted_folder) not in reasons["good/constant.npy"]
    assert reasons["good/short.npy"].startswith("0.200 s long, but one window takes 0.512 s")
    assert reasons["worn/damaged.npy"]


def test_almost_a_window_is_left_out_with_its_samples(sorted_folder):
    for samples in (32_767, 32_768):
        np.save(sorted_folder / "good" / f"{samples}.npy", noise(7, samples=samples))
    reasons = dict(read_folder(sorted_folder, rate=Fraction(64_000)).left_out)
    assert reasons["good/32767.npy"].startswith("32767 samples long, but one window takes 32768 samples")
    assert "good/32768.npy" not in reasons


def test_identical_content_under_two_names_is_pointed_out(sorted_folder):
    (sorted_folder / "worn" / "copy.npy").write_bytes((sorted_folder / "good" / "1.npy").read_bytes())
    assert read_folder(sorted_folder, rate=Fraction(1000)).same == (("good/1.npy", "worn/copy.npy"),)


def test_a_missing_rate_is_a_reason(sorted_folder):
    folder = read_folder(sorted_folder)
    assert not folder.recordings
    assert all("rate" in reason for _, reason in folder.left_out)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,label\na.npy,good\n", "line 2: the columns file and label"),
        ("file,label\ngood/1.npy,\n", "line 2: .* must not be empty"),
        ("file,label\n../secret.npy,good\n", "outside the folder"),
        ("file,label,rate\ngood/1.npy,good,fast\n", "line 2: rate 'fast' is no number of Hz"),
        ("file,label,rate\ngood/1.npy,good,-5\n", "rate '-5'"),
        ("file,label\ngood/1.npy,good\n\ngood/1.npy,worn\n", "line 4: good/1.npy is already listed in line 2"),
    ],
)
def test_mistakes_in_labels_csv_are_named_by_line(sorted_folder, text, reason):
    write_labels(sorted_folder, text)
    with pytest.raises(RecordingError, match=reason):
        read_folder(sorted_folder)


def test_an_empty_folder_says_what_is_expected(tmp_path):
    with pytest.raises(RecordingError, match=r"one subfolder per class, or list them in labels.csv"):
        read_folder(tmp_path)
    with pytest.raises(RecordingError, match="no such folder"):
        read_folder(tmp_path / "nowhere")


def test_folders_are_expanded_and_files_stay_as_they_are(sorted_folder, tmp_path):
    given = [sorted_folder, tmp_path / "nowhere.wav"]
    found = list(expanded(given))
    assert found == [*files_below(sorted_folder), tmp_path / "nowhere.wav"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordingError, match="there are no recordings in this folder"):
        list(expanded([tmp_path / "empty"]))


@pytest.mark.parametrize("header", ["file,label,component,load", "file,load,component"])
def test_what_is_to_be_judged_needs_no_labels(sorted_folder, header):
    cells = {"file": "good/1.npy", "label": "", "component": "A", "load": "2 hp"}
    write_labels(sorted_folder, f"{header}\n{','.join(cells[name] for name in header.split(','))}\n")
    first, *others = to_judge([sorted_folder])
    assert (first.file, dict(first.known)) == (
        sorted_folder / "good" / "1.npy",
        {"component": "A", "condition": {"load": "2 hp"}},
    )
    assert others == [LabelRow(sorted_folder / "good" / "2.npy"), LabelRow(sorted_folder / "worn" / "3.npy")]


def test_labels_of_what_is_to_be_judged_are_not_looked_at_and_a_mistake_is_named(sorted_folder):
    write_labels(sorted_folder, "file,label\ngood/1.npy,worn\n")
    assert [row.known.get("label") for row in to_judge([sorted_folder])] == [None] * 3
    write_labels(sorted_folder, "file,load\n,low\n")
    with pytest.raises(RecordingError, match=r"labels.csv, line 2: the column file is needed"):
        list(to_judge([sorted_folder]))


def test_a_file_is_judged_by_every_channel_listed_and_one_that_is_missing_is_kept(sorted_folder):
    write_labels(sorted_folder, "file,channel,rate\ngood/1.npy,x,\ngood/1.npy,y,2000\ngone.npy,,\n")
    rows = list(to_judge([sorted_folder]))
    found = [(row.file.name, row.channel, row.rate) for row in rows]
    assert found[:2] == [("1.npy", "x", None), ("1.npy", "y", Fraction(2000))]
    assert found[2:] == [("2.npy", None, None), ("3.npy", None, None), ("gone.npy", None, None)]


def test_without_a_list_files_and_folders_are_judged_as_before(sorted_folder, tmp_path):
    given = [sorted_folder, tmp_path / "nowhere.wav"]
    assert list(to_judge(given)) == [LabelRow(file) for file in expanded(given)]


@pytest.fixture
def pumps(tmp_path):
    """Two files of three axes each."""
    for i, name in enumerate(("a", "b")):
        write_csv(tmp_path / f"{name}.csv", three(seed=i))
    return tmp_path


@pytest.mark.parametrize(
    ("table", "channel"),
    [
        ("file,label\na.csv,good\nb.csv,worn\n", "x,y,z"),
        ("file,label\na.csv,good\nb.csv,worn\n", "all"),
        ('file,label,channels\na.csv,good,"x,y,z"\nb.csv,worn,x;y;z\n', None),
        ("file;label;channels\na.csv;good;1,2,3\nb.csv;worn;all\n", None),
    ],
)
def test_several_axes_are_one_recording(pumps, table, channel):
    write_labels(pumps, table)
    found = read_folder(pumps, channel)
    assert [(r.label, r.channels) for r in found.recordings] == [("good", ("x", "y", "z")), ("worn", ("x", "y", "z"))]
    assert list(found.seconds.values()) == [9000 / 8000] * 2
    for i, one in enumerate(found.recordings):
        assert {axis.id for axis in one.axes} == {one.id}
        np.testing.assert_array_equal([axis.signal for axis in one.axes], three(seed=i))


def test_a_part_of_several_axes(pumps):
    write_labels(pumps, "file,label,start_s,end_s\na.csv,good,0.25,1\na.csv,worn,,0.25\n")
    with pytest.raises(RecordingError, match="label a longer part"):
        read_folder(pumps, "all")
    write_labels(pumps, "file,label,start_s,end_s\na.csv,good,0.25,1\nb.csv,worn,,1\n")
    one, _ = read_folder(pumps, "x,z").recordings
    assert (one.id, one.length, str(one.origin.part)) == ("a.csv [0.25 s to 1 s]", 6000, "0.25 s to 1 s")
    np.testing.assert_array_equal([axis.signal for axis in one.axes], three()[[0, 2], 2000:8000])


def test_an_axis_that_a_file_lacks_leaves_it_out(pumps):
    write_csv(pumps / "b.csv", three(), names=("x", "y", "w"))
    write_labels(pumps, "file,label\na.csv,good\nb.csv,worn\n")
    found = read_folder(pumps, "x,y,z")
    assert [r.id for r in found.recordings] == ["a.csv"]
    ((name, reason),) = found.left_out
    assert name == "b.csv"
    assert reason.startswith("there is no signal called z in it")


def test_a_channel_and_channels_are_not_both_given(pumps):
    write_labels(pumps, "file,label,channel,channels\na.csv,good,x,x;y\n")
    with pytest.raises(
        RecordingError, match=r"line 2: a.csv: channel 'x' and channels 'x;y' are both given; leave one"
    ):
        read_folder(pumps)


def test_unlabelled_recordings_wait_for_a_label(sorted_folder):
    np.save(sorted_folder / "new.npy", noise(9))
    folder = read_folder(sorted_folder, rate=Fraction(1000), unlabelled=True)
    assert [r.id for r in folder.recordings if r.label is None] == ["new.npy"]
    assert "new.npy" not in {r.id for r in read_folder(sorted_folder, rate=Fraction(1000)).recordings}
    write_labels(sorted_folder, "file,label,load\ngood/1.npy,good,1\ngood/2.npy,,2\nworn/3.npy,worn,1\n")
    folder = read_folder(sorted_folder, rate=Fraction(1000))
    assert [r.id for r in folder.recordings] == ["good/1.npy", "worn/3.npy"]
    assert folder.not_chosen == {"an empty label": 1}


def test_unlabelled_recordings_are_read_where_they_are_wanted(sorted_folder):
    write_labels(sorted_folder, "file,label,load\ngood/1.npy,good,1\ngood/2.npy,,2\n")
    folder = read_folder(sorted_folder, rate=Fraction(1000), unlabelled=True)
    known = {r.id: (r.label, dict(r.condition)) for r in folder.recordings}
    assert known["good/1.npy"] == ("good", {"load": "1"})
    assert known["good/2.npy"] == (None, {"load": "2"})
    assert known["worn/3.npy"] == (None, {})  # the list does not name it
    assert folder.classes == ("good",)


def test_a_list_of_conditions_alone_will_do(sorted_folder):
    write_labels(sorted_folder, "file,load\ngood/1.npy,1\n")
    folder = read_folder(sorted_folder, rate=Fraction(1000), unlabelled=True)
    assert {r.label for r in folder.recordings} == {None}
    with pytest.raises(RecordingError, match="the columns file and label are needed"):
        read_folder(sorted_folder)


@pytest.fixture
def reads(monkeypatch):
    """The files that are read, each time."""
    read, paths = beside.read_again, []
    monkeypatch.setattr(beside, "read_again", lambda path, *a, **b: paths.append(path.name) or read(path, *a, **b))
    return paths


def axes_of(path):
    return [Axis(path, ("x", "y", "z"), name, RATE) for name in "xyz"]


def test_a_file_is_read_once_for_all_its_axes_and_again_the_next_time(tmp_path, reads):
    axes = axes_of(write_csv(tmp_path / "a.csv", three()))
    for times in (1, 2):
        for load, expected in zip(axes, three(), strict=True):
            np.testing.assert_array_equal(load(), expected)
        assert reads == ["a.csv"] * times


def test_one_file_s_axes_are_kept_and_none_of_a_file_that_changed(tmp_path, reads):
    one, other = (axes_of(write_csv(tmp_path / f"{name}.csv", three(seed=i))) for i, name in enumerate("ab"))
    one[0]()
    other[0]()
    np.testing.assert_array_equal(one[1](), three()[1])
    assert reads == ["a.csv", "b.csv", "a.csv"]
    write_csv(tmp_path / "a.csv", three(8000, seed=7))
    np.testing.assert_array_equal(one[2](), three(8000, seed=7)[2])
    (tmp_path / "a.csv").unlink()
    with pytest.raises(RecordingError, match=r"a.csv: there is no such file"):
        one[0]()
