"""Prepared recordings, as jobs get them."""

from hashlib import sha256

import numpy as np
import pytest

from dualres.bench.campaign.dataset_signals import DatasetSignals
from dualres.config import POLYPHASE
from dualres.errors import RecordingError
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
    kept.write_bytes(content[:4000] + bytes([content[4000] ^ 1]) + content[4001:])
    np.testing.assert_array_equal(source.at_rate(["a"])[0].signal, before)
    assert kept.read_bytes() == content


def test_a_damaged_store_is_not_learned_from(prepared):
    source, store, _ = prepared
    path = store / "signals" / "a.npy"
    content = path.read_bytes()
    path.write_bytes(content[:4000] + bytes([content[4000] ^ 1]) + content[4001:])
    with pytest.raises(RecordingError, match="not those that were prepared"):
        source.at_rate(["a"])
