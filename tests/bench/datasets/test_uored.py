"""The UORED-VAFCLS adapter, on files written as the release's are; the release itself is not at hand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets import uored
from dualres.bench.datasets.folds import load_fold
from dualres.errors import RecordingError

RAW = "3_MatLab_Raw_Data_Files (.mat)"
CSV = "1_CSV_Raw_Data_Files (.csv)"
FOLDERS = {
    "H": "1_Healthy",
    "I": "2_Inner_Race_Faults",
    "O": "3_Outer_Race_Faults",
    "B": "4_Ball_Faults",
    "C": "5_Cage_Faults",
}
NAMES = [f"H_{n}_0" for n in range(1, 21)] + [
    f"{letter}_{n}_{stage}"
    for letter, first in {"I": 1, "O": 6, "B": 11, "C": 16}.items()
    for n in range(first, first + 5)
    for stage in (1, 2)
]


def place(folder: Path, stem: str, suffix=".mat") -> Path:
    path = folder / FOLDERS[stem[0]] / f"{stem}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write(folder: Path, stem: str, variable="anything", samples=420) -> np.ndarray:
    """A file in the release's structure; returns its first column."""
    matrix = np.random.default_rng(samples).normal(size=(samples, 5))
    matrix[1:, 2:4] = np.nan  # speed and load stand in the first row only
    savemat(place(folder, stem), {variable: matrix}, do_compression=True)
    return matrix[:, 0].astype(np.float32)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The index of a release with all its names; nothing in it could be read."""
    folder = tmp_path_factory.mktemp("uored")
    for stem in NAMES:
        place(folder / RAW, stem).touch()
        place(folder / CSV, stem, ".csv").touch()
    return uored.RELEASE.index(folder)


@pytest.mark.parametrize("variable", ["I_3_1", "data"])
def test_a_recording_is_the_first_column_of_its_one_matrix(tmp_path, variable):
    accelerometer = write(tmp_path / RAW, "I_3_1", variable)
    (entry,) = uored.RELEASE.index(tmp_path).entries
    assert (entry.id, entry.label, entry.component) == ("I_3_1", "inner", "bearing 3")
    assert entry.condition == {"stage": "1"}
    signal = entry.read()
    assert signal.dtype == np.float32
    assert np.array_equal(signal, accelerometer)


def test_hyphens_in_names_are_as_good(tmp_path):
    savemat(tmp_path / "O-10-2.mat", {"x": np.eye(42, 5)})
    (entry,) = uored.RELEASE.index(tmp_path).entries
    assert (entry.id, entry.label, entry.component) == ("O_10_2", "outer", "bearing 10")
    assert len(entry.read()) == 42


def test_a_healthy_recording_belongs_to_the_bearing_that_is_damaged_later(whole):
    stages = {e.id: (e.component, e.label, e.condition["stage"]) for e in whole.entries}
    assert stages["H_7_0"] == ("bearing 7", "healthy", "0")
    assert stages["O_7_1"] == ("bearing 7", "outer", "1")
    assert stages["O_7_2"] == ("bearing 7", "outer", "2")


def test_the_task_retains_ten_bearings_and_three_classes(whole):
    assert Counter(e.label for e in whole.entries) == {"healthy": 10, "inner": 10, "outer": 10}
    assert {e.component for e in whole.entries} == {f"bearing {n}" for n in range(1, 11)}
    assert {p.suffix for p, _ in whole.left_out} == {".mat"}
    assert {p.stem for p, _ in whole.left_out} == {n for n in NAMES if int(n.split("_")[1]) > 10}
    assert {reason for _, reason in whole.left_out} == {
        "the task retains three classes, healthy, inner and outer: bearings 1 to 10"
    }


def test_files_made_from_the_raw_ones_are_passed_by(tmp_path):
    raw = write(tmp_path / RAW, "I_1_2")
    write(tmp_path / "4_Something_Derived (.mat)", "I_1_2", samples=99)
    (entry,) = uored.RELEASE.index(tmp_path).entries
    assert np.array_equal(entry.read(), raw)


def test_a_file_of_another_structure_is_named(tmp_path):
    savemat(tmp_path / "I_1_2.mat", {"a": np.eye(42, 5), "b": np.eye(42, 5)})
    (entry,) = uored.RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"I_1_2\.mat: one matrix is expected in it, there are 2"):
        entry.read()


@pytest.mark.parametrize(("name", "bearings"), [("U1", {2, 3, 4, 5, 7, 8, 9, 10}), ("U2", {1, 2, 3, 4, 6, 7, 8, 9})])
def test_the_folds_follow_their_rule(whole, name, bearings):
    judged = [e for e in whole.entries if int(e.component.split()[1]) in bearings and e.condition["stage"] in "02"]
    assert set(load_fold(name).evaluation) == {e.id for e in judged}
    assert Counter(e.label for e in judged) == {"healthy": 8, "inner": 4, "outer": 4}
