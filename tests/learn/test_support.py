from dataclasses import replace

import numpy as np
import pytest

from dualres.config import POLYPHASE
from dualres.errors import ConfigError, RecordingError
from dualres.learn.support import MICROBATCH, check_support, cut_support, spread_support, views_of
from dualres.recordings.recording import Recording
from tests.learn.trained.test_fit import tones


def test_windows_tell_their_class_their_recording_and_their_start(small):
    ramp = np.arange(1024, dtype=np.float32)
    recordings = [Recording.from_array(ramp + 5000 * i, small.rate, f"r{i}") for i in range(3)]
    labels, shown = ["worn", "good", "worn"], {"windows_each": 2, "resampler": POLYPHASE}
    found = spread_support(recordings, labels, ("good", "worn"), small, **shown)
    assert found.origins == tuple((f"r{i}", start) for i in range(3) for start in (0, 768))
    assert found.labels.tolist() == [1, 1, 0, 0, 1, 1]
    assert found.windows[:, 0].tolist() == [0, 768, 5000, 5768, 10_000, 10_768]
    assert found.seconds == {"good": 2 * 256 / 2000, "worn": 4 * 256 / 2000}


def test_no_windows_are_refused(small):
    with pytest.raises(ConfigError, match="0 windows of each signal"):
        spread_support([], [], ("good",), small, windows_each=0, resampler=POLYPHASE)


def test_windows_begin_where_they_are_asked_for_and_overlaps_count_once(small):
    told = []
    recordings = [Recording.from_array(np.arange(1024, dtype=np.float32), small.rate, name) for name in "ab"]
    both, progress = ("good", "worn"), lambda *x: told.append(x)
    found = cut_support(recordings, both, both, lambda n: [0, 128, n - 256], config=small, progress=progress)
    assert found.windows[:, 0].tolist() == [0, 128, 768] * 2
    assert found.seconds == {"good": 640 / 2000, "worn": 640 / 2000}
    assert told == [("Cut the labelled windows", i, 2, "") for i in (1, 2)]


def test_a_window_beyond_the_end_names_its_recording(small):
    short = Recording.from_array(np.zeros(300, np.float32), small.rate, "pump 3")
    with pytest.raises(RecordingError, match="pump 3: a window ends at sample 356"):
        cut_support([short], ["good"], ("good",), lambda samples: [100], config=small)


def test_axes_are_cut_at_the_same_moments_and_their_seconds_count_once(small):
    ramp = np.arange(1024, dtype=np.float32)
    recordings = [Recording.from_axes({"x": ramp + 5000 * i, "y": -ramp}, small.rate, f"r{i}") for i in range(2)]
    recordings[1] = replace(recordings[1], axes=recordings[1].axes[::-1])  # by name, not by place
    settings = {"windows_each": 2, "resampler": POLYPHASE}
    found = spread_support(recordings, ["good", "worn"], ("good", "worn"), small, **settings)
    assert found.channels == ("x", "y")
    assert found.windows[:, 0].tolist() == [0, 768, 5000, 5768]
    assert [windows[:, 0].tolist() for windows in found.more_axes] == [[0, -768, 0, -768]]
    assert found.origins == tuple((f"r{i}", start) for i in range(2) for start in (0, 768))
    assert found.seconds == {"good": 512 / 2000, "worn": 512 / 2000}
    pooled = found.pooled()
    assert pooled.windows[:, 0].tolist() == [0, 768, 5000, 5768, 0, -768, 0, -768]
    assert pooled.labels.tolist() == [0, 0, 1, 1] * 2
    assert (pooled.origins, pooled.seconds, pooled.axes) == (found.origins * 2, found.seconds, (pooled.windows,))


def test_recordings_of_other_axes_are_refused(small):
    signal = np.arange(1024, dtype=np.float32)
    three = Recording.from_axes(dict.fromkeys("xyz", signal), small.rate, "a")
    one = Recording.from_array(signal, 2000, "b")
    with pytest.raises(RecordingError, match=r"b: has one signal, and a has 3 axes \(x, y, z\)"):
        cut_support([three, one], ["good", "good"], ("good",), lambda samples: [0], config=small)


def test_views_are_made_a_few_windows_at_a_time():
    windows = np.random.default_rng(0).standard_normal((MICROBATCH + 3, 5)).astype(np.float32)
    seen = []
    doubled, sums = views_of(lambda x: seen.append(len(x)) or (2 * x, x.sum(1)), windows, "cpu")
    assert seen == [MICROBATCH, 3]
    np.testing.assert_array_equal(doubled, 2 * windows)
    assert len(sums) == len(windows)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda w, y: (w[:, :-1], y), "shape"),
        (lambda w, y: (w, y[:-1]), "labels of shape"),
        (lambda w, y: (w[:0], y[:0]), "every class needs one"),
        (lambda w, y: (w, y * 0), "no support window carries class 1"),
        (lambda w, y: (w, np.where(y == 0, 3, y)), "no support window carries class 0"),
        (lambda w, y: (np.concatenate([w, w[:1]]), np.append(y, 7)), "from 0 to 7"),
        (lambda w, y: (np.where(w > 1, np.nan, w), y), "NaN"),
    ],
)
def test_a_support_that_cannot_be_used_is_refused(small, spoil, reason):
    windows, labels = spoil(*tones(small))
    with pytest.raises(ConfigError, match=reason):
        check_support(windows, labels, 3, small.window)
