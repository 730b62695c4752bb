"""The Ottawa adapter, on files written as the release's are; the release itself is not at hand."""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets import ottawa
from dualres.bench.datasets.folds import load_fold

FOLDERS = {
    "H": "1 Data collected from a healthy bearing",
    "I": "2 Data collected from a bearing with inner race fault",
    "O": "3 Data collected from a bearing with outer race fault",
    "B": "4 Data collected from a bearing with ball fault",
    "C": "5 Data collected from a bearing with a combination of faults",
}


def place(folder: Path, stem: str) -> Path:
    path = folder / FOLDERS[stem[0]] / f"{stem}.mat"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write(folder: Path, stem: str, samples=2000) -> np.ndarray:
    """A file in the release's structure; returns its vibration."""
    vibration = np.random.default_rng(3).normal(size=(samples, 1))
    pulses = np.where(np.arange(samples) % 9 < 4, 5.0, 0.0)[:, None]
    savemat(place(folder, stem), {"Channel_1": vibration, "Channel_2": pulses}, do_compression=True)
    return vibration[:, 0].astype(np.float32)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The index of a release with all its names; nothing in it could be read."""
    folder = tmp_path_factory.mktemp("ottawa")
    for health, profile, trial in product("HIOBC", "ABCD", "123"):
        place(folder, f"{health}-{profile}-{trial}").touch()
    return ottawa.RELEASE.index(folder)


def test_a_recording_is_the_accelerometer_s(tmp_path):
    vibration = write(tmp_path, "H-D-3")
    (entry,) = ottawa.RELEASE.index(tmp_path).entries
    assert (entry.id, entry.label, entry.component) == ("H-D-3", "healthy", "healthy bearing")
    assert entry.condition == {"profile": "D", "trial": "3"}
    signal = entry.read()
    assert signal.dtype == np.float32
    assert np.array_equal(signal, vibration)


def test_the_whole_release_has_twelve_recordings_of_each_of_five_bearings(whole):
    assert len(whole.entries) == 60
    assert not whole.left_out
    per_bearing = Counter((e.label, e.component) for e in whole.entries)
    assert per_bearing == {(label, f"{label} bearing"): 12 for label in ottawa.RELEASE.classes}


def test_letter_c_is_not_called_a_cage_fault(whole):
    assert {e.label for e in whole.entries if e.id.startswith("C")} == {"combined"}
    assert any("Letter C" in limitation for limitation in ottawa.RELEASE.limitations)


@pytest.mark.parametrize(("name", "judged"), [("O1", "CD"), ("O2", "AB")])
def test_the_folds_follow_their_rule(whole, name, judged):
    assert set(load_fold(name).evaluation) == {e.id for e in whole.entries if e.condition["profile"] in judged}
