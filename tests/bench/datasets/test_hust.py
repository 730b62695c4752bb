from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.io import savemat

from dualres.bench.datasets.folds import load_fold
from dualres.bench.datasets.hust import RELEASE
from dualres.errors import RecordingError
from tests.bench.datasets.test_adapters import touch

LABELS = {
    **{"N": "healthy", "I": "inner", "O": "outer", "B": "ball"},
    **{"IO": "inner+outer", "IB": "inner+ball", "OB": "outer+ball"},
}
NAMES = [
    f"{letters}{bearing}0{load}"
    for letters in LABELS
    for bearing in (4, 5, 6, 7, 8)
    if bearing > 4 or letters not in ("B", "IB")
    for load in (0, 2, 4)
]


def write(path, samples=2048, seed=0):
    """A file as released: columns, the shaft's frequency as `fs`, and a run-up."""
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((samples, 1))
    run_up = {"rpm": np.linspace(0, 1490, 64)[:, None], "ru": np.ones((256, 1)), "ru_raw": np.ones((256, 1))}
    path.parent.mkdir(parents=True, exist_ok=True)
    savemat(path, {"data": data, "fs": 24.88, **run_up}, do_compression=True)
    return data[:, 0].astype(np.float32)


@pytest.fixture
def release(tmp_path):
    """All names of the release, in its folder; indexing looks into none of the files."""
    touch(*(tmp_path / "HUST bearing dataset" / f"{name}.mat" for name in NAMES))
    return tmp_path


def test_all_recordings_are_found(release):
    index = RELEASE.index(release)
    assert len(NAMES) == 99
    assert sorted(e.id for e in index.entries) == sorted(NAMES)
    assert not index.left_out
    counts = dict.fromkeys(LABELS.values(), 15) | {"ball": 12, "inner+ball": 12}
    assert Counter(e.label for e in index.entries) == counts
    assert len({e.component for e in index.entries}) == 33  # a bearing has its three loads


def test_the_signal_is_data_at_its_own_length(tmp_path):
    even, odd = write(tmp_path / "N400.mat", 2048), write(tmp_path / "IO400.mat", 2049, seed=1)
    found = {e.id: e.read() for e in RELEASE.index(tmp_path).entries}
    assert np.array_equal(found["N400"], even)
    assert np.array_equal(found["IO400"], odd)
    assert found["IO400"].dtype == np.float32
    assert len(found["N400"]) / RELEASE.rate == Fraction("0.04")  # s; `fs` in the file would make it 82 s


def test_a_file_without_run_up_is_read(tmp_path):
    savemat(tmp_path / "OB400.mat", {"data": np.arange(512.0)[:, None], "fs": 24.9})
    (entry,) = RELEASE.index(tmp_path).entries
    assert np.array_equal(entry.read(), np.arange(512))


def test_a_file_without_data_is_refused(tmp_path):
    savemat(tmp_path / "N400.mat", {"ru": np.ones((256, 1)), "fs": 24.9})
    (entry,) = RELEASE.index(tmp_path).entries
    with pytest.raises(RecordingError, match=r"N400\.mat"):
        entry.read()


@pytest.mark.parametrize(("name", "targets"), [("H1", (7, 8)), ("H2", (5, 6))])
def test_the_folds_follow_their_rule(name, targets):
    expected = [f"{letters}{bearing}0{load}" for letters in LABELS for bearing in targets for load in (0, 2, 4)]
    assert list(load_fold(name).evaluation) == expected
