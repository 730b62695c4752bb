import numpy as np
import pytest
from scipy.io import savemat

from dualres.recordings.formats.speed_detection import speed_beside, stated_speeds
from dualres.recordings.readers import read

X = np.random.default_rng(0).standard_normal(100)


@pytest.mark.parametrize(
    ("name", "value", "hz"),
    [
        ("rpm", 1800, 30),
        ("RPM", 1800.0, 30),
        ("X097RPM", 1797, 29.95),
        ("speed", 1800, 30),
        ("speed_rpm", 1800, 30),
        ("speed_hz", 30, 30),
        ("shaft_hz", 30, 30),
        ("shaft_speed", "30 Hz", 30),
        ("rpm", "1800", 30),
    ],
)
def test_a_number_says_the_speed_by_its_name(name, value, hz):
    assert speed_beside("X097_DE_time", stated_speeds({name: value})) == pytest.approx(hz)


@pytest.mark.parametrize("numbers", [{"fs": 12_800}, {"rpm": 0}, {"rpm": "fast"}, {"wind_speed": 5}, {"speeds": 3}, {}])
def test_other_numbers_do_not(numbers):
    assert stated_speeds(numbers) == {}


def test_of_several_each_is_of_the_signal_whose_name_begins_as_it_does():
    stated = stated_speeds({"X098RPM": 1772, "X099RPM": 1750})
    assert speed_beside("X098_DE_time", stated) == pytest.approx(1772 / 60)
    assert speed_beside("X099_DE_time", stated) == pytest.approx(1750 / 60)
    assert speed_beside("other", stated) is None
    assert stated_speeds({"rpm": 1800, "RPM": 1500}) == {}


def test_archives_and_matlab_files_say_it(tmp_path):
    np.savez(tmp_path / "a.npz", DE=X, FE=2 * X, fs=12_800, rpm=1800)
    assert read(tmp_path / "a.npz", "DE").speed.hz == (30.0,)
    assert read(tmp_path / "a.npz", "all").speed.hz == (30.0,)
    savemat(tmp_path / "a.mat", {"X098_DE_time": X, "X099_DE_time": X, "X098RPM": 1772, "X099RPM": 1750})
    assert read(tmp_path / "a.mat", "X098_DE_time", 1000).speed.rpm == pytest.approx(1772)
    savemat(tmp_path / "b.mat", {"run": {"values": X, "fs": 12_800, "shaft_hz": 25}, "rpm": 1800, "z": X})
    assert read(tmp_path / "b.mat", "run.values").speed.hz == (25.0,), "what stands nearer holds"
    assert read(tmp_path / "b.mat", "z", 1000).speed.hz == (30.0,)


def test_a_file_that_says_nothing_has_no_speed(tmp_path):
    np.savez(tmp_path / "a.npz", DE=X, fs=12_800)
    assert read(tmp_path / "a.npz").speed is None
