import pickle

import numpy as np
import pytest

from dualres.errors import ConfigError, RecordingError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.read import LabelRow, read_row
from dualres.recordings.recording import Segment
from dualres.recordings.speed import Speed
from dualres.recordings.speed_sources import SpeedError, SpeedSources

RATE = 4000
SECONDS = 4


@pytest.fixture
def file(tmp_path):
    """Four seconds of noise, with pulses and a speed beside it: 20 Hz that rise to 28."""
    t = np.arange(SECONDS * RATE) / RATE
    pulses = (((20 * t + t**2) * 4) % 1 < 0.3).astype(np.float64)
    noise = np.random.default_rng(0).standard_normal(len(t))
    np.savez(tmp_path / "a.npz", signal=noise, pulses=pulses, turning=60 * (20 + 2 * t), hertz_hz=20 + 2 * t, fs=RATE)
    return tmp_path / "a.npz"


def speed_of(file, condition=None, part=None, **sources):
    row = LabelRow(file, {"condition": condition or {}}, part=part)
    return read_row(row, "signal", speed=SpeedSources(**sources)).speed


@pytest.mark.parametrize("sources", [{"tacho": "pulses", "pulses": 4}, {"channel": "turning"}, {"channel": "hertz_hz"}])
def test_a_channel_beside_the_signal_measures_it(file, sources):
    speed = speed_of(file, **sources)
    assert (speed.source, speed.varies) == ("measured", True)
    np.testing.assert_allclose(speed.hz, 20 + 2 * np.array(speed.at_s), rtol=5e-3)
    later = speed_of(file, part=Segment(2.0, 4.0), **sources)
    assert later.mean_hz == pytest.approx(26, rel=0.01)


def test_a_channel_that_is_not_there_is_named(file):
    with pytest.raises(RecordingError, match=r"a\.npz: pulse: there is no signal called pulse"):
        speed_of(file, tacho="pulse")
    with pytest.raises(RecordingError, match=r"turning: the tachometer shows \d+ pulses; at least"):
        speed_of(file, tacho="turning")


def test_what_is_stated_serves_recordings_that_state_none(file):
    assert speed_of(file) is None
    assert speed_of(file, stated=Speed((30.0,))).hz == (30.0,)
    assert speed_of(file, {"rpm": "1790"}, stated=Speed((30.0,))).rpm == pytest.approx(1790)
    assert speed_of(file, {"rpm": "1790"}, used=False) is None


def test_the_list_comes_before_what_the_file_states(tmp_path):
    np.savez(tmp_path / "a.npz", signal=np.random.default_rng(0).standard_normal(4000), fs=RATE, rpm=1797)
    assert speed_of(tmp_path / "a.npz").rpm == pytest.approx(1797)
    assert speed_of(tmp_path / "a.npz", {"rpm": "1800"}).rpm == 1800
    with pytest.raises(SpeedError, match="the list states 1500 rpm, and the file says 1797 rpm; correct one of them"):
        speed_of(tmp_path / "a.npz", {"rpm": "1500"})
    with pytest.raises(SpeedError, match="the speed is given as 1500 rpm, and the file says 1797 rpm"):
        speed_of(tmp_path / "a.npz", stated=Speed((25.0,)))


def test_a_statement_lies_within_what_was_measured(file):
    tacho = {"tacho": "pulses", "pulses": 4}
    assert speed_of(file, {"rpm": "1500"}, **tacho).source == "measured"
    with pytest.raises(
        SpeedError, match=r"the list states 1000 rpm, and its channel measures 12[\d.]+ to 16[\d.]+ rpm"
    ):
        speed_of(file, {"rpm": "1000"}, **tacho)


def test_one_way_to_know_the_speed_is_enough():
    with pytest.raises(ConfigError, match="give one of them"):
        SpeedSources(stated=Speed((30.0,)), tacho="2")
    with pytest.raises(ConfigError, match="at least one"):
        SpeedSources(tacho="2", pulses=0)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (None, []),
        ("none", ["--speed", "none"]),
        ("29.95Hz", ["--speed", "29.95Hz"]),
        (1800, ["--speed", "30.0Hz"]),
        (SpeedSources(tacho="2", pulses=4), ["--tacho", "2", "--pulses", "4"]),
        (SpeedSources(channel="rpm"), ["--speed-channel", "rpm"]),
    ],
)
def test_what_is_given_as_a_command_takes_it(given, options):
    sources = SpeedSources.of(given)
    assert sources.options == options
    assert pickle.loads(pickle.dumps(sources)) == sources


def test_a_folder_is_read_with_a_speed(file):
    folder = file.parent
    (folder / "labels.csv").write_text("file,label,channel,rpm\na.npz,good,signal,1500\n")
    (one,) = read_folder(folder).recordings
    assert (one.label, one.speed.rpm, one.condition) == ("good", 1500, {"rpm": "1500"})
    (one,) = read_folder(folder, speed="none").recordings
    assert one.speed is None
    with pytest.raises(RecordingError, match=r"labels\.csv, line 2: .*given as 3000 rpm, and the list states 1500"):
        read_folder(folder, speed=3000)
    (folder / "labels.csv").write_text("file,label,channel\na.npz,good,signal\n")
    (one,) = read_folder(folder, speed="25Hz").recordings
    assert one.speed == Speed((25.0,))
    (one,) = read_folder(folder, speed=SpeedSources(tacho="pulses", pulses=4)).recordings
    assert one.speed.source == "measured"
