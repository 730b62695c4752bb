from collections import Counter

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.kaist import RELEASE
from dualres.errors import RecordingError
from tests.bench.datasets.test_adapters import touch

STATES = [
    "Normal",
    *(f"{fault}_{size}" for fault in ("BPFI", "BPFO") for size in ("03", "10", "30")),
    *(f"Misalign_{size}" for size in ("01", "03", "05")),
    *(f"Unbalance_{mass}mg" for mass in ("0583", "1169", "1751", "2239", "3318")),
]
IDS = [f"{load}Nm_{state}" for load in (0, 2, 4) for state in STATES]
FILES = [name.replace("2Nm_Unbalance", "2Nm_Unbalalnce") for name in IDS]  # as they are spelled on disk


def write(path, samples=1024, columns=4, increment=3.90625e-05):
    """A file as released: a struct of structs."""
    values = np.random.default_rng(0).standard_normal((samples, columns))
    x_values = {} if increment is None else {"x_values": {"increment": increment, "number_of_values": samples}}
    points = {"name": [f"{i + 3}:Point{i + 1}" for i in range(columns)]}
    path.parent.mkdir(parents=True, exist_ok=True)
    savemat(path, {"Signal": {**x_values, "y_values": {"values": values}, "function_record": points}})
    return values


@pytest.fixture
def release(tmp_path):
    """All names of the vibration archive; indexing looks into none of the files."""
    touch(*(tmp_path / "vibration" / f"{name}.mat" for name in FILES))
    touch(tmp_path / "current,temp" / "0Nm_Normal.tdms")
    return tmp_path


def test_all_recordings_are_found_under_their_right_spelling(release):
    index = RELEASE.index(release)
    assert len(IDS) == 45
    assert sum("Unbalalnce" in name for name in FILES) == 5
    assert sorted(e.id for e in index.entries) == sorted(IDS)
    assert not index.left_out
    counts = dict.fromkeys(RELEASE.classes, 9) | {"healthy": 3, "unbalance": 15}
    assert Counter(e.label for e in index.entries) == counts
    assert {e.component for e in index.entries} == set(STATES)


@pytest.mark.parametrize("increment", [3.90625e-05, None], ids=["with a rate", "without"])
def test_the_signal_is_the_first_of_four_columns(tmp_path, increment):
    values = write(tmp_path / "2Nm_Unbalalnce_0583mg.mat", increment=increment)
    (entry,) = RELEASE.index(tmp_path).entries
    signal = entry.read()
    assert signal.dtype == np.float32
    assert np.array_equal(signal, values[:, 0].astype(np.float32))
    assert RELEASE.rate == 25_600


def test_a_column_of_time_stamps_is_not_taken_for_vibration(tmp_path):
    write(tmp_path / "0Nm_Normal.mat", columns=5)
    (entry,) = RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"0Nm_Normal\.mat: holds 5 columns"):
        entry.read()


def test_a_file_of_another_structure_is_refused(tmp_path):
    savemat(tmp_path / "0Nm_Normal.mat", {"data": np.arange(64.0)})
    (entry,) = RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"0Nm_Normal\.mat"):
        entry.read()


@pytest.mark.parametrize("folder", ["acoustic", "Acoustic data", "acoustic/0Nm"])
def test_the_acoustic_archive_is_kept_apart(release, folder):
    """Also where the folder above both archives is named for sound: pytest names this one after the test."""
    assert "acoustic" in release.name
    names = ["0Nm_BPFI_03", "0Nm_Normal"]
    touch(*(release / folder / f"{name}.mat" for name in names))
    index = RELEASE.index(release)
    assert sorted(e.id for e in index.entries) == sorted(IDS)
    assert {e.path.parent.name for e in index.entries} == {"vibration"}
    assert [path for path, _ in index.left_out] == [release / folder / f"{name}.mat" for name in names]
    assert all("acoustic archive" in reason for _, reason in index.left_out)
    with pytest.raises(RecordingError, match=r"2 files refused.*it belongs to the acoustic archive"):
        RELEASE.index(release / folder.partition("/")[0])


def test_a_folder_that_bears_the_release_s_title_is_searched(tmp_path):
    touch(tmp_path / "Vibration, Acoustic, Temperature, and Motor Current Dataset" / "vibration" / "0Nm_Normal.mat")
    assert [e.id for e in RELEASE.index(tmp_path).entries] == ["0Nm_Normal"]


@pytest.mark.parametrize(("name", "target"), [("K1", 4), ("K2", 0)])
def test_the_folds_follow_their_rule(name, target):
    assert list(load_fold(name).evaluation) == [f"{target}Nm_{state}" for state in STATES]
