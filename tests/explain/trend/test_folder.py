import json
import os

import numpy as np
import pytest
from scipy.io import wavfile

from dualres.errors import RecordingError
from dualres.explain.check import CheckedMachine
from dualres.explain.trend.folder import TrendSettings, trend_folder
from dualres.explain.trend.kept import KeptLevels
from tests.cli.runner import write_labels

RATE = 4096


def record(path, level, seed, axes=1):
    noise = np.random.default_rng(seed).standard_normal((RATE // 2, axes))
    wavfile.write(path, RATE, (1000 * level * noise).astype(np.int16))


@pytest.fixture
def folder(tmp_path):
    """Thirty recordings of a machine whose level doubles twice, listed against their order, and one that is broken."""
    made = tmp_path / "made"
    made.mkdir()
    levels = 2 ** np.clip(np.arange(30) / 6 - 3, 0, 2)
    for number, level in enumerate(levels):
        record(made / f"{number}.wav", level, number)
    (made / "broken.wav").write_bytes(b"RIFF but no more")
    rows = [[f"{n}.wav", f"2026-01-{n + 1:02}", "", "good" if n < 15 else ""] for n in reversed(range(30))]
    write_labels(made, "file time machine label", [*rows, ["broken.wav", "2026-02-01", "", ""]])
    return made


def test_a_folder_is_one_machine_in_the_order_of_its_times(folder):
    (trend,) = trend_folder(folder)
    assert [point.file for point in trend.points] == [f"{number}.wav" for number in range(30)]
    assert (trend.times, trend.answer) == ("the column time", "changed")
    assert 18 <= trend.change.began <= trend.change.found <= 26
    assert trend.points[trend.change.found].time == f"2026-01-{trend.change.found + 1:02}"
    assert [file for file, _ in trend.left_out] == ["broken.wav"]


def test_the_baseline_is_as_it_is_stated(folder):
    (by_label,) = trend_folder(folder, TrendSettings(healthy="good"))
    (by_count,) = trend_folder(folder, TrendSettings(healthy=15))
    assert by_label.change == by_count.change
    assert by_label.baseline == 15


def test_machines_and_axes_have_series_of_their_own(tmp_path):
    for number in range(6):
        record(tmp_path / f"{number}.wav", 1, number, axes=2)
    rows = [[f"{n}.wav", f"2026-01-{n + 1:02}", "all", "ab"[n % 2]] for n in range(6)]
    write_labels(tmp_path, "file time channels machine", rows)
    assert [(one.machine, len(one.points)) for one in trend_folder(tmp_path)] == [("a", 3), ("b", 3)]
    by_axis = trend_folder(tmp_path, TrendSettings(by_axis=True))
    assert [one.name for one in by_axis] == [f"{machine} axis channel {axis}" for machine in "ab" for axis in (1, 2)]


def test_one_signal_has_no_axes_to_tell_apart(folder):
    with pytest.raises(RecordingError, match="--by-axis needs several"):
        trend_folder(folder, TrendSettings(by_axis=True))


def test_what_is_kept_is_not_read_again(folder, tmp_path):
    settings, path = TrendSettings(CheckedMachine(unit="g")), tmp_path / "kept.json"
    kept = KeptLevels(path, "")
    (first,) = trend_folder(folder, settings, kept=kept)
    kept.write()
    for number in range(30):  # as long and as old as before
        file = folder / f"{number}.wav"
        stamp = file.stat().st_mtime_ns
        file.write_bytes(bytes(file.stat().st_size))
        os.utime(file, ns=(stamp, stamp))
    (again,) = trend_folder(folder, settings, kept=KeptLevels(path, ""))
    assert json.dumps(again.as_data()) == json.dumps(first.as_data())


def test_progress_is_told_file_by_file(folder):
    told = []
    trend_folder(folder, progress=lambda *news: told.append(news[:3]))
    assert told[0] == ("Read", 1, 31)
    assert told[-1] == ("Read", 31, 31)


@pytest.mark.parametrize("files", [{}, {"a.wav": b"RIFF"}])
def test_a_folder_without_a_usable_recording_is_an_error(tmp_path, files):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(RecordingError, match="none of the 1 files" if files else "there are no recordings"):
        trend_folder(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    with pytest.raises(RecordingError, match="there is no such folder"):
        trend_folder(tmp_path / "x")
