import numpy as np
import pytest

from dualres.config import POLYPHASE
from dualres.errors import ConfigError
from dualres.learn.support import spread_support
from dualres.recordings.recording import Recording


def test_windows_tell_their_class_their_recording_and_their_start(small):
    ramp = np.arange(1024, dtype=np.float32)
    recordings = [Recording.from_array(ramp + 5000 * i, small.rate, f"r{i}") for i in range(3)]
    found = spread_support(
        recordings, ["worn", "good", "worn"], ("good", "worn"), small, windows_each=2, resampler=POLYPHASE
    )
    assert found.origins == tuple((f"r{i}", start) for i in range(3) for start in (0, 768))
    assert found.labels.tolist() == [1, 1, 0, 0, 1, 1]
    assert found.windows[:, 0].tolist() == [0, 768, 5000, 5768, 10_000, 10_768]
    assert found.seconds == {"good": 2 * 256 / 2000, "worn": 4 * 256 / 2000}


def test_no_windows_are_refused(small):
    with pytest.raises(ConfigError, match="0 windows of each signal"):
        spread_support([], [], ("good",), small, windows_each=0, resampler=POLYPHASE)
