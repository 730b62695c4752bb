from pathlib import Path

import numpy as np
import soundfile
from scipy.io import savemat

from dualres.recordings.formats.registry import FORMATS
from tests.recordings.few import X


def test_a_vector_comes_in_parts_if_its_format_has_some(guard, npy, tmp_path):
    parts = [guard.extract(npy, FORMATS["npy"], None, start=start, stop=start + 2)[1].tolist() for start in (0, 2, 4)]
    assert parts == [[0, 1], [2, 3], [4]]
    assert guard.extract(npy, FORMATS["npy"], "array", start=1, stop=4)[1].tolist() == [1, 2, 3]
    savemat(tmp_path / "a.mat", {"x": X})
    assert guard.extract(tmp_path / "a.mat", FORMATS["mat"], None, start=1, stop=3)[1].tolist() == X.tolist()


def open_files(process):
    return {str(entry.readlink()) for entry in Path(f"/proc/{process}/fd").iterdir()}


def test_a_file_stays_open_only_while_there_is_more_of_it(tmp_path, guard):
    path = tmp_path / "a.wav"
    soundfile.write(path, X / 10, 8000, "FLOAT")
    for start, open_after in ((0, True), (2, True), (4, False)):
        guard.extract(path, FORMATS["wav"], None, start=start, stop=start + 2)
        assert (str(path) in open_files(guard._child._process.pid)) is open_after


def test_the_first_part_is_of_the_file_as_it_is_now(tmp_path, guard):
    path = tmp_path / "a.wav"
    for sign in (1, -1):
        soundfile.write(tmp_path / "new.wav", sign * X / 10, 8000, "FLOAT")
        (tmp_path / "new.wav").rename(path)
        parts = [guard.extract(path, FORMATS["wav"], None, start=start, stop=start + 2)[1] for start in (0, 2)]
        np.testing.assert_allclose(np.concatenate(parts), sign * X[:4] / 10, rtol=1e-6)
