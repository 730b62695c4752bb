import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.formats.npz import read_npz
from dualres.recordings.readers import read, signals

X = np.random.default_rng(0).standard_normal(100)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_go_by_their_names(tmp_path, save):
    path = tmp_path / "a.npz"
    save(path, DE=X, both=np.stack([X, 2 * X], axis=1), standing=X[:, None], gain=3.0, cube=np.zeros((2, 3, 4)))
    assert signals(path) == {"DE": 100, "both[0]": 100, "both[1]": 100, "standing": 100}
    np.testing.assert_array_equal(read(path, "both[1]", 1000).signal, (2 * X).astype(np.float32))
    np.testing.assert_array_equal(read(path, "standing", 1000).signal, X.astype(np.float32))
    with pytest.raises(RecordingError, match=r"a\.npz: the file does not say its sampling rate"):
        read(path, "DE")


@pytest.mark.parametrize(
    "said",
    [{"fs": 12_800}, {"sampling_rate": np.array([12_800.0])}, {"Fs": "12.8kHz"}, {"time": np.arange(100) / 12_800}],
)
def test_an_archive_may_say_its_rate(tmp_path, said):
    np.savez(tmp_path / "a.npz", DE=X, **said)
    assert read(tmp_path / "a.npz").rate == 12_800
    with pytest.raises(RecordingError, match=r"a\.npz: the file says 12800 Hz.* but rate=25600 was given"):
        read(tmp_path / "a.npz", rate=25_600)


def test_pickled_objects_are_passed_over(tmp_path):
    np.savez(tmp_path / "a.npz", DE=X, notes=np.array([{"a": 1}, None], dtype=object))
    assert [one.name for one in read_npz(tmp_path / "a.npz")] == ["DE"]


def test_a_damaged_archive_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, DE=X)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[200] ^= 255
    for damaged in (b"none of it", whole[:300], bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(RecordingError, match=r"a\.npz: cannot be read as NumPy archive: "):
            read(path, rate=1)
