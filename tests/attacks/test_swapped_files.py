"""Files that are swapped for links, or for others, between the moment a folder is listed and that of reading it."""

import os
from fractions import Fraction

import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.recordings.labels.folder import read_folder
from dualres.recordings.labels.read import listed, read_row
from tests.recordings.axes_files import RATE, three, write_csv

HERTZ = Fraction(1000)


def noise(seed):
    return np.random.default_rng(seed).standard_normal(600).astype(np.float32)


@pytest.fixture
def folder(tmp_path):
    """A folder with a list and two files, and beside it one that is nobody else's business."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, seed in (("a", 1), ("b", 2)):
        np.save(folder / f"{name}.npy", noise(seed))
    (folder / "labels.csv").write_text("file,label\na.npy,good\nb.npy,worn\n")
    np.save(tmp_path / "secret.npy", noise(3))
    return folder


def swap(file, other):
    """A link takes the place of a file, whose size and time it has."""
    status = file.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    file.unlink()
    file.symlink_to(other)
    assert file.stat()[6:7] == status[6:7]
    assert file.stat().st_mtime_ns == status.st_mtime_ns


def test_a_listed_file_that_becomes_a_link_out_of_the_folder_is_refused(folder):
    row, _ = listed(folder)
    swap(folder / "a.npy", folder.parent / "secret.npy")
    with pytest.raises(RecordingError, match=r"a\.npy: is a link that leads out of the folder"):
        read_row(row, rate=HERTZ)


def test_a_link_within_the_folder_is_as_good_as_a_file(folder):
    (folder / "a.npy").rename(folder / "c.npy")
    (folder / "a.npy").symlink_to(folder / "c.npy")
    row, _ = listed(folder)
    np.testing.assert_array_equal(read_row(row, rate=HERTZ).signal, noise(1))


@pytest.mark.parametrize("by_link", [True, False])
def test_a_file_that_was_checked_is_the_one_that_is_loaded(folder, by_link):
    first, second = read_folder(folder, rate=HERTZ).recordings
    if by_link:
        swap(folder / "a.npy", folder.parent / "secret.npy")
    else:
        np.save(folder / "other.npy", noise(4))
        (folder / "other.npy").replace(folder / "a.npy")
    with pytest.raises(RecordingError, match=r"a\.npy: has changed since it was first read; read it again"):
        _ = first.signal
    np.testing.assert_array_equal(second.signal, noise(2))


def test_the_same_of_several_axes(tmp_path):
    (tmp_path / "good").mkdir()
    write_csv(tmp_path / "good" / "a.csv", three())
    (found,) = read_folder(tmp_path, "x,y,z", RATE).recordings
    np.testing.assert_array_equal(found.axes[1].signal, three()[1])
    write_csv(tmp_path / "b.csv", three(seed=5))
    (tmp_path / "b.csv").replace(tmp_path / "good" / "a.csv")
    with pytest.raises(RecordingError, match=r"a\.csv: has changed since it was first read"):
        _ = found.axes[2].signal
