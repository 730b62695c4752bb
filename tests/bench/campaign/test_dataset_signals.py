"""Prepared recordings, as jobs and the choice of a recipe get them; signals that are made once."""

import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from dualres.bench.campaign.dataset_signals import DatasetSignals, SignalCache, grouped_support
from dualres.bench.datasets.folds import load_fold
from dualres.config import POLYPHASE
from dualres.errors import ConfigError, RecordingError
from dualres.learn.fold import Budget
from dualres.recordings.resample import resample
from dualres.recordings.store import write_index, write_signal


def test_axes_of_a_store_are_resampled_each(tmp_path):
    signals = np.random.default_rng(0).standard_normal((2, 16_000)).astype(np.float32)
    store = tmp_path / "stores" / "cwru"
    write_signal(store, "a", signals)
    entry = {"id": "a", "samples": 16_000, "channels": ["x", "y"], "label": "good"}
    write_index(store, {"dataset": "cwru", "channel": "x,y", "rate": "16000"}, [entry])
    source = DatasetSignals("cwru", tmp_path / "stores", tmp_path / "cache", POLYPHASE)
    for _ in range(2):  # made, then read
        (recording,) = source.at_rate(["a"])
        assert (recording.channels, recording.rate, recording.length) == (("x", "y"), 64_000, 64_000)
        for axis, signal in zip(recording.axes, signals, strict=True):
            np.testing.assert_array_equal(axis.signal, resample(signal, 16_000, 64_000))
    assert source.hashes == {"a": sha256(signals.tobytes()).hexdigest()}


@pytest.fixture
def prepared(tmp_path):
    """A source of one recording, the folder of its store, and that of its cache."""
    signal = np.random.default_rng(0).standard_normal(16_000).astype(np.float32)
    store = tmp_path / "stores" / "cwru"
    digest = write_signal(store, "a", signal)
    entry = {"id": "a", "samples": 16_000, "label": "good", "sha256": digest}
    write_index(store, {"dataset": "cwru", "channel": "x", "rate": "16000"}, [entry])
    return DatasetSignals("cwru", tmp_path / "stores", tmp_path / "cache", POLYPHASE), store, tmp_path / "cache"


def test_a_damaged_file_of_the_cache_changes_nothing(prepared):
    source, _, cache = prepared
    before = source.at_rate(["a"])[0].signal.copy()
    (kept,) = cache.glob("at_64_kHz/*/*.npy")
    content = kept.read_bytes()
    kept.write_bytes(flipped(content, 4000))
    np.testing.assert_array_equal(source.at_rate(["a"])[0].signal, before)
    assert kept.read_bytes() == content


def test_a_damaged_store_is_not_learned_from(prepared):
    source, store, _ = prepared
    path = store / "signals" / "a.npy"
    content = path.read_bytes()
    path.write_bytes(flipped(content, 4000))
    with pytest.raises(RecordingError, match="not those that were prepared"):
        source.at_rate(["a"])


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


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        *(lambda content, place=place: flipped(content, place) for place in (0, 130, 300, 559)),
        *(lambda content, length=length: content[:length] for length in (0, 31, 32, 200)),
    ],
)
def test_a_damaged_one_is_made_again(cache, damage):
    kept(cache)
    path = cache.folder / "folder" / "a.npy"
    path.write_bytes(damage(path.read_bytes()))
    assert [kept(cache), kept(cache)] == [1, 0]


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


@pytest.fixture(scope="module")
def signals(tmp_path_factory):
    return tmp_path_factory.mktemp("signals")


@pytest.fixture(scope="module")
def divided(signals):
    return grouped_support("S1", Budget(2, 1), Path("stores"), signals)


def test_a_fold_s_conditions_are_held_out_together(divided):
    fold = load_fold("S1")
    assert divided.classes == fold.classes
    assert divided.held_out == "operating condition of the source"
    for (name, _), group, label in zip(divided.support.origins, divided.groups, divided.support.labels, strict=True):
        assert fold.support[fold.classes[label]][group] == name
    assert divided.groups.tolist() == [0, 1] * 8


def test_no_evaluation_recording_is_opened(signals, monkeypatch):
    opened, original = [], DatasetSignals._model_rate
    monkeypatch.setattr(DatasetSignals, "_model_rate", lambda self, name: opened.append(name) or original(self, name))
    seen = []
    grouped_support("S1", Budget(1, 1), Path("stores"), signals, progress=lambda *x: seen.append(x))
    assert set(opened) == {members[0] for members in load_fold("S1").support.values()}
    assert not set(opened) & set(load_fold("S1").evaluation)
    assert [news[:3] for news in seen] == [("Read", i, 8) for i in range(1, 9)]


def test_its_source_could_not_open_one(signals):
    fold = load_fold("S1")
    source = DatasetSignals("simulated", Path("stores"), signals, POLYPHASE, only=fold.supporting())
    with pytest.raises(ConfigError, match=f"{fold.evaluation[0]} of simulated may not be opened here"):
        source.at_rate(fold.evaluation[:1])
