"""Recordings of several axes in a prepared dataset, as jobs get them."""

from hashlib import sha256

import numpy as np

from dualres.campaign.sources import Source
from dualres.config import POLYPHASE
from dualres.recordings.resample import resample
from dualres.recordings.store import write_index, write_signal


def test_axes_of_a_store_are_resampled_each(tmp_path):
    signals = np.random.default_rng(0).standard_normal((2, 16_000)).astype(np.float32)
    store = tmp_path / "stores" / "cwru"
    write_signal(store, "a", signals)
    entry = {"id": "a", "samples": 16_000, "channels": ["x", "y"], "label": "good"}
    write_index(store, {"dataset": "cwru", "channel": "x,y", "rate": "16000"}, [entry])
    source = Source("cwru", tmp_path / "stores", tmp_path / "cache", POLYPHASE)
    for _ in range(2):  # made, then read
        (recording,) = source.at_rate(["a"])
        assert (recording.channels, recording.rate, recording.length) == (("x", "y"), 64_000, 64_000)
        for axis, signal in zip(recording.axes, signals, strict=True):
            np.testing.assert_array_equal(axis.signal, resample(signal, 16_000, 64_000))
    assert source.hashes == {"a": sha256(signals.tobytes()).hexdigest()}
