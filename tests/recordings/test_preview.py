"""Any stretch of any file, equal to what the reader of whole files finds."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from dualres.errors import RecordingError
from dualres.recordings import preview as pieces
from dualres.recordings.preview import previews_of
from dualres.recordings.readers import read


@pytest.fixture
def signal() -> np.ndarray:
    return np.random.default_rng(0).standard_normal(5000).astype(np.float32)


def written(folder: Path, signal: np.ndarray, suffix: str) -> Path:
    path = folder / f"one{suffix}"
    if suffix == ".wav":
        soundfile.write(path, signal / 8, 8000, subtype="FLOAT")
    elif suffix == ".npy":
        np.save(path, signal)
    else:
        np.savetxt(path, signal, fmt="%.9g", header="x", comments="")
    return path


@pytest.mark.parametrize("suffix", [".wav", ".npy", ".csv"])
@pytest.mark.parametrize("whole", [1 << 20, 100], ids=["at once", "in pieces"])
def test_a_piece_is_what_the_whole_has_there(
    tmp_path: Path, signal: np.ndarray, suffix: str, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "WHOLE", whole)
    monkeypatch.setattr(pieces, "BLOCK", 300)
    path = written(tmp_path, signal, suffix)
    (one,) = previews_of(path)
    expected = read(path, rate=None if suffix == ".wav" else 8000).signal
    assert one.length == len(expected)
    for first, last in ((0, 10), (123, 1234), (4990, 6000), (7000, 8000), (-5, 3)):
        np.testing.assert_array_equal(one.samples(first, last), expected[max(first, 0) : last])


def test_axes_have_names_and_rates(tmp_path: Path, signal: np.ndarray) -> None:
    soundfile.write(tmp_path / "two.wav", np.stack([signal, -signal], 1) / 8, 8000, subtype="FLOAT")
    first, second = previews_of(tmp_path / "two.wav")
    assert (first.name, second.name, first.rate) == ("channel 1", "channel 2", 8000)
    np.testing.assert_array_equal(first.samples(5, 50), -second.samples(5, 50))


def test_a_file_that_changed_is_read_again(tmp_path: Path, signal: np.ndarray) -> None:
    path = written(tmp_path, signal, ".npy")
    before = previews_of(path)[0].samples(0, 5)
    np.save(path, np.concatenate([signal, signal]) + 1)
    np.testing.assert_allclose(previews_of(path)[0].samples(0, 5), before + 1)


def test_what_is_no_recording_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_bytes(b"RIFFnothing")
    with pytest.raises(RecordingError, match=r"x\.wav"):
        previews_of(tmp_path / "x.wav")
    with pytest.raises(RecordingError, match="folder"):
        previews_of(tmp_path)
