import os
from datetime import UTC, datetime

import pytest

from dualres.errors import RecordingError
from dualres.explain.trend.times import moment_of, recording_times, time_text
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.recording import Segment


def rows(folder, *names, at=None):
    found = []
    for number, name in enumerate(names):
        path = folder / name
        path.write_bytes(b"")
        moment = 1e9 + (at or range(len(names)))[number]
        os.utime(path, (moment, moment))
        found.append(LabelRow(path))
    return found


def seconds(*when):
    return datetime(*when, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-31 14:30", seconds(2026, 5, 31, 14, 30)),
        ("2026-05-31T14:30:05+02:00", seconds(2026, 5, 31, 12, 30, 5)),
        ("20260531", seconds(2026, 5, 31)),
        ("2026/05/31 14:30", seconds(2026, 5, 31, 14, 30)),
        ("31.05.2026", seconds(2026, 5, 31)),
        ("1780000000", 1780000000),
        ("12.5", 12.5),
        ("05/06/2026", None),
        ("May", None),
    ],
)
def test_times_are_understood_where_they_mean_one_thing(text, moment):
    assert moment_of(text) == moment


def test_a_column_says_when_a_recording_was_made(tmp_path):
    listed = [LabelRow(tmp_path / "a.wav", {"condition": {"time": "2026-05-02 10:00"}}), LabelRow(tmp_path / "b.wav")]
    found = recording_times(listed)
    assert found.seconds == (seconds(2026, 5, 2, 10), None)
    assert (found.source, found.text(0), found.text(1)) == ("the column time", "2026-05-02 10:00", "")


def test_date_and_time_in_columns_of_their_own_are_read_together(tmp_path):
    listed = [LabelRow(tmp_path / "a.wav", {"condition": {"date": "2026-05-02", "time": "10:00:30"}})]
    assert recording_times(listed).text(0) == "2026-05-02 10:00:30"


def test_a_column_of_another_name_is_used_where_it_is_named(tmp_path):
    listed = [LabelRow(tmp_path / "a.wav", {"condition": {"hours": "3.5", "time": "2026-05-02"}})]
    found = recording_times(listed, "Hours")
    assert (found.seconds, found.dated, found.text(0)) == ((3.5,), False, "3.5")
    with pytest.raises(RecordingError, match="no recording has a column days"):
        recording_times(listed, "days")


def test_a_time_with_two_meanings_is_an_error_that_names_it(tmp_path):
    listed = [LabelRow(tmp_path / "a.wav", {"condition": {"date": "05/06/2026"}}, listed_in="labels.csv, line 2")]
    with pytest.raises(RecordingError, match=r'line 2: date "05/06/2026" .* write it as 2026-05-31'):
        recording_times(listed)


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        (("p_2026-01-02.wav", "p_2026-01-03.wav"), ["2026-01-02", "2026-01-03"]),
        (("2004.02.12.10.32.39", "2004.02.12.10.42.39"), ["2004-02-12 10:32:39", "2004-02-12 10:42:39"]),
        (("a20260102T0304.wav", "a20260102T0305.wav"), ["2026-01-02 03:04", "2026-01-02 03:05"]),
    ],
)
def test_dates_in_all_names_are_used(tmp_path, names, texts):
    found = recording_times([LabelRow(tmp_path / f"{name}.csv") for name in names])
    assert [found.text(number) for number in range(len(names))] == texts
    assert found.source == "the dates in file names"


@pytest.mark.parametrize(
    "names", [("2026-01-02.wav", "2026-01-02_b.wav"), ("2026-13-02.wav", "2026-13-40.wav"), ("x.wav", "2026-01-02.wav")]
)
def test_names_that_do_not_tell_all_apart_are_not_used(tmp_path, names):
    assert recording_times(rows(tmp_path, *names)).source == "the times at which files were last written"


def test_a_name_without_a_date_among_many_with_one_costs_its_row(tmp_path):
    names = [f"2026-01-0{day}.wav" for day in range(1, 9)]
    found = recording_times(rows(tmp_path, *names, "about.wav"))
    assert found.source == "the dates in file names"
    assert [at is None for at in found.seconds] == [False] * 8 + [True]
    assert found.text(8) == ""


def test_numbers_in_names_are_used_where_file_times_do_not_rise_with_them(tmp_path):
    right = rows(tmp_path, "run1.wav", "run2.wav", "run10.wav")
    assert recording_times(right).dated
    copied = rows(tmp_path, "run1.wav", "run2.wav", "run10.wav", at=[5, 5, 5])
    found = recording_times(copied)
    assert (found.seconds, found.dated) == ((1, 2, 10), False)
    assert "numbers in file names" in found.source


def test_parts_of_a_file_follow_each_other(tmp_path):
    path = tmp_path / "2026-01-02.wav"
    found = recording_times([LabelRow(path, part=Segment(0, 10)), LabelRow(path, part=Segment(10, 20))])
    assert found.seconds[1] - found.seconds[0] == 10
    assert time_text(found.seconds[1]) == "2026-01-02 00:00:10"
