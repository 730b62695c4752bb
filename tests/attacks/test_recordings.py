"""Files made to do harm when they are read."""

import pickle

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from dualres.errors import RecordingError
from dualres.recordings.readers import read, signals
from tests.attacks.stress_scripts import script

_tally, fuzz_readers = script("_tally"), script("fuzz_readers")
X = np.arange(5.0)


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("name", fuzz_readers.SEEDS)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # pyuff leaves a file it wrote open
def test_damage_is_refused_and_never_escapes(name, tmp_path):
    attack = fuzz_readers.ATTACKS[name]
    if attack.missing:
        pytest.skip("an extra is not installed")
    for intact in fuzz_readers.seeds(name, tmp_path):
        assert read(intact, rate=None if intact.suffix in fuzz_readers.CARRY_A_RATE else 1).signal.size == 200
    result = _tally.here(attack, range(60))
    assert result["failures"] == {}
    assert result["tries"] == 60
    assert result["outcomes"]["refused"] > 0


@pytest.mark.slow
def test_two_thousand_damaged_matlab_files():
    result = _tally.here(fuzz_readers.ATTACKS["mat"], range(2000))
    assert result["failures"] == {}
    assert result["outcomes"]["lost"] > 0  # the reason for the guard; if this ever fails, rejoice and remove it


def test_pickles_are_not_opened(tmp_path):
    taken = tmp_path / "taken"
    np.save(tmp_path / "object.npy", np.array([Trap(taken), 1], dtype=object), allow_pickle=True)
    (tmp_path / "bare.npy").write_bytes(pickle.dumps(Trap(taken)))
    np.savez(tmp_path / "archive.npz", x=np.array([Trap(taken)], dtype=object))
    (tmp_path / "archive.npz").rename(tmp_path / "archive.npy")
    for name in ("object", "bare", "archive"):
        with pytest.raises(RecordingError, match=rf"{name}\.npy: cannot be read as NumPy"):
            read(tmp_path / f"{name}.npy", rate=1)
    assert not taken.exists()


def test_a_recording_cannot_name_other_files(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as secret:
        secret["x"] = X
    (tmp_path / "secret.raw").write_bytes(X.tobytes())
    layout = h5py.VirtualLayout(X.shape, X.dtype)
    layout[:] = h5py.VirtualSource(tmp_path / "secret.h5", "x", X.shape)
    with h5py.File(tmp_path / "a.mat", "w") as file:
        file["linked"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "x")
        file["soft"] = h5py.SoftLink("/linked")
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("stored", X.shape, X.dtype, external=[(str(tmp_path / "secret.raw"), 0, X.nbytes)])
        file["own"] = -X
    assert signals(tmp_path / "a.mat") == {"own": 5}
    assert read(tmp_path / "a.mat", rate=1).signal.tolist() == (-X).tolist()


def test_structs_that_contain_themselves_end(tmp_path):
    with h5py.File(tmp_path / "a.mat", "w") as file:
        loop = file.create_group("loop")
        loop["again"] = loop  # a hard link
        reference = file.create_dataset("cell", (1,), h5py.ref_dtype)
        reference[0] = reference.ref
    with pytest.raises(RecordingError, match=r"a\.mat: cannot be read as MATLAB v7\.3: .*more than 50 levels"):
        read(tmp_path / "a.mat", rate=1)


def test_a_promise_of_endless_samples_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", X)
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content.replace(b"(5,), }" + b" " * 14, b"(99999999999999,), }" + b" "))
    assert len((tmp_path / "a.npy").read_bytes()) == len(content)
    with pytest.raises(RecordingError, match=r"a\.npy: cannot be read as NumPy"):
        read(tmp_path / "a.npy", rate=1)


def test_thousands_of_vectors_are_not_listed(tmp_path):
    savemat(tmp_path / "a.mat", {"x": np.zeros((10_001, 10_001), np.int8)}, do_compression=True)
    with pytest.raises(RecordingError, match=r"a\.mat: .* 10001 vectors, more than 10000"):
        read(tmp_path / "a.mat", rate=1)


def test_names_cannot_steer_the_terminal(tmp_path):
    (tmp_path / "a.csv").write_text("\x1b]0;owned\x07,b\n1,2\n3,4\n")
    with pytest.raises(RecordingError, match="2 signals") as caught:
        read(tmp_path / "a.csv", rate=1)
    assert str(caught.value).isprintable()
