import os

import numpy as np
import pytest

from dualres.bench.campaign.signal_cache import SignalCache

SIGNAL = np.arange(100, dtype=np.float32)


class Maker:
    """Makes the signal, and counts how often."""

    def __init__(self, signal=SIGNAL):
        self.signal, self.calls = signal, 0

    def __call__(self):
        self.calls += 1
        return self.signal


@pytest.fixture
def cache(tmp_path):
    return SignalCache(tmp_path / "cache")


def kept(cache, name="folder/a", maker=None):
    maker = maker or Maker()
    np.testing.assert_array_equal(cache.kept(name, maker), SIGNAL)
    return maker.calls


def test_a_signal_is_made_once(cache):
    assert [kept(cache), kept(cache)] == [1, 0]
    np.testing.assert_array_equal(np.load(cache.folder / "folder" / "a.npy"), SIGNAL)


@pytest.mark.parametrize("place", [0, 130, 300, -1])
def test_one_that_lost_a_bit_is_made_again(cache, place):
    kept(cache)
    path = cache.folder / "folder" / "a.npy"
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert [kept(cache), kept(cache)] == [1, 0]


@pytest.mark.parametrize("length", [0, 31, 32, 200])
def test_one_that_was_cut_is_made_again(cache, length):
    kept(cache)
    path = cache.folder / "folder" / "a.npy"
    path.write_bytes(path.read_bytes()[:length])
    assert kept(cache) == 1


def test_one_without_a_hash_is_made_again(cache):
    (cache.folder / "folder").mkdir(parents=True)
    np.save(cache.folder / "folder" / "a.npy", SIGNAL + 1)
    assert kept(cache) == 1


def test_one_under_another_s_name_is_made_again(cache):
    cache.kept("folder/b", Maker(SIGNAL + 1))
    (cache.folder / "folder" / "b.npy").rename(cache.folder / "folder" / "a.npy")
    assert kept(cache) == 1


@pytest.mark.parametrize("where", ["", "folder"])
def test_a_folder_that_anybody_may_write_to_is_neither_read_nor_written(cache, where):
    kept(cache)
    (cache.folder / where).chmod(0o777)
    before = {path: path.read_bytes() for path in cache.folder.rglob("*.npy")}
    assert [kept(cache), kept(cache), kept(cache, "folder/b")] == [1, 1, 1]
    assert {path: path.read_bytes() for path in cache.folder.rglob("*.npy")} == before


def test_a_folder_of_somebody_else_is_neither_read_nor_written(cache, monkeypatch):
    kept(cache)
    owner = os.geteuid()
    if owner == 0:
        os.chown(cache.folder, 12_345, -1)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert [kept(cache), kept(cache, "folder/b")] == [1, 1]
    assert not (cache.folder / "folder" / "b.npy").exists()


def test_a_file_that_anybody_may_write_to_is_made_again(cache):
    kept(cache)
    (cache.folder / "folder" / "a.npy").chmod(0o666)
    assert kept(cache) == 1
