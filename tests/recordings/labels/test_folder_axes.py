import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels import folder as beside
from dualres.recordings.labels.folder import Axis
from tests.recordings.axes_files import RATE, three, write_csv


@pytest.fixture
def reads(monkeypatch):
    """The files that are read, each time."""
    read, paths = beside.read, []
    monkeypatch.setattr(beside, "read", lambda path, *rest: paths.append(path.name) or read(path, *rest))
    return paths


def axes_of(path):
    return [Axis(path, ("x", "y", "z"), name, RATE) for name in "xyz"]


def test_a_file_is_read_once_for_all_its_axes_and_again_the_next_time(tmp_path, reads):
    axes = axes_of(write_csv(tmp_path / "a.csv", three()))
    for times in (1, 2):
        for load, expected in zip(axes, three(), strict=True):
            np.testing.assert_array_equal(load(), expected)
        assert reads == ["a.csv"] * times


def test_one_file_s_axes_are_kept_and_none_of_a_file_that_changed(tmp_path, reads):
    one, other = (axes_of(write_csv(tmp_path / f"{name}.csv", three(seed=i))) for i, name in enumerate("ab"))
    one[0]()
    other[0]()
    np.testing.assert_array_equal(one[1](), three()[1])
    assert reads == ["a.csv", "b.csv", "a.csv"]
    write_csv(tmp_path / "a.csv", three(8000, seed=7))
    np.testing.assert_array_equal(one[2](), three(8000, seed=7)[2])
    (tmp_path / "a.csv").unlink()
    with pytest.raises(RecordingError, match=r"a.csv: there is no such file"):
        one[0]()
