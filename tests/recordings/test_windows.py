from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualres.config import POLYPHASE
from dualres.errors import ConfigError, RecordingError
from dualres.recordings import resample as resample_module
from dualres.recordings.recording import Recording
from dualres.recordings.windows import (
    at_rate,
    covered,
    cut,
    evenly,
    every_window,
    half_overlapping,
    shortage,
    spread,
    window_blocks,
)
from tests.recordings.few import InBlocks


def test_windows_half_overlap_as_the_paper_counts():
    assert half_overlapping(100, 40) == [0, 20, 40, 60]
    assert half_overlapping(99, 40) == [0, 20, 40]
    assert half_overlapping(100, 40, limit=2) == [0, 20]
    assert half_overlapping(39, 40) == []
    assert len(half_overlapping(60 * 64_000, 32_768)) == 233
    assert len(half_overlapping(4 * 64_000, 32_768)) == 14
    assert evenly(64_000, 4, 32_768) == [64_000, 96_768, 129_536, 162_304]


def test_spread_takes_first_last_and_some_between():
    starts = spread(1000, 40, 5)
    assert len(starts) == 5
    assert (starts[0], starts[-1]) == (0, 960)
    assert all(start % 20 == 0 for start in starts)
    assert spread(100, 40, 12) == half_overlapping(100, 40)


@pytest.mark.parametrize("samples", [0, 39, 40, 59, 60, 100])
def test_every_window_is_a_view_of_what_would_be_cut(samples):
    signal = np.arange(samples, dtype=np.float32)
    for limit in (None, 2):
        windows = every_window(signal, 40, limit)
        assert windows.tolist() == [signal[i : i + 40].tolist() for i in half_overlapping(samples, 40, limit)]
        assert np.shares_memory(windows, signal) == (samples >= 40)


def test_cut_copies_the_windows_at_their_starts():
    signal = np.arange(10, dtype=np.float32)
    assert cut(signal, [0, 4], 3).tolist() == [[0, 1, 2], [4, 5, 6]]
    with pytest.raises(RecordingError, match=r"pump: a window ends at sample 11, .* has 10"):
        cut(signal, [8], 3, "pump")
    with pytest.raises(RecordingError):
        cut(signal, [-1], 3)
    signal = np.zeros(10, dtype=np.float32)
    cut(signal, [0], 3)[0, 0] = 1
    assert not signal.any()


def test_covered():
    assert covered([0, 10], 10) == 20
    assert covered([0, 5, 10], 10) == 20
    assert covered([10, 0, 0], 10) == 20
    assert covered([], 10) == 0
    assert covered([0, 16_384, 32_768], 32_768) / 64_000 == pytest.approx(1.024)


@given(st.lists(st.integers(0, 300), max_size=12), st.integers(1, 60))
def test_covered_counts_samples_once(starts, window):
    assert covered(starts, window) == len({i for s in starts for i in range(s, s + window)})


def test_at_rate_resamples_and_refuses_what_is_too_short():
    recording = Recording.from_array(np.zeros(12_800), 12_800, id="pump")
    assert len(at_rate(recording, 64_000, 32_768)) == 64_000
    with pytest.raises(RecordingError, match=r"pump: 1.000 s long, but one window takes 1.024 s"):
        at_rate(recording, 64_000, 65_536)


def blocks(recording, rate, window, at_once, limit=None):
    return list(window_blocks(recording, rate=rate, window=window, resampler=POLYPHASE, at_once=at_once, limit=limit))


@pytest.mark.parametrize("samples", [40, 59, 60, 100, 139, 140, 141, 1000])
@pytest.mark.parametrize("limit", [None, 1, 3, 4, 10])
def test_blocks_hold_every_window_once_and_in_order(samples, limit):
    signal = np.arange(samples, dtype=np.float32)
    some = blocks(Recording.from_array(signal, 10), 10, 40, 3, limit)
    assert all(len(block) == 3 for block in some[:-1])
    np.testing.assert_array_equal(np.concatenate(some), every_window(signal, 40, limit))


def test_blocks_are_resampled_as_the_whole_is_and_are_views_of_what_is_in_memory():
    recording = Recording.from_array(np.random.default_rng(0).standard_normal(7_000), 12_800)
    whole = at_rate(recording, 64_000, 4096)
    np.testing.assert_array_equal(np.concatenate(blocks(recording, 64_000, 4096, 2)), every_window(whole, 4096))
    signal = np.arange(1000, dtype=np.float32)
    some = blocks(Recording.from_array(signal, 10), 10, 40, 3)
    assert len(some) == 17
    assert all(np.shares_memory(block, signal) for block in some)


@given(st.integers(20, 700), st.integers(1, 150), st.integers(1, 4))
def test_blocks_of_windows_do_not_depend_on_those_of_samples(samples, block, windows):
    signal = np.arange(samples, dtype=np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resample_module, "BLOCK", block)
        some = blocks(Recording("pump", InBlocks(signal), Fraction(10)), 10, 20, windows)
    assert all(len(block) == windows for block in some[:-1])
    np.testing.assert_array_equal(np.concatenate(some), every_window(signal, 20))


def test_a_recording_too_short_for_a_window_is_told_by_how_much():
    with pytest.raises(RecordingError, match=r"pump: 3.900 s long, but one window takes 4.000 s"):
        blocks(Recording.from_array(np.arange(39), 10, "pump"), 10, 40, 3)
    assert shortage(32_767, 32_768, 64_000) == "32767 samples long, but one window takes 32768 samples"
    assert shortage(32_700, 32_768, 64_000) == "0.511 s long, but one window takes 0.512 s"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_positive(limit):
    with pytest.raises(ConfigError, match=f"at most {limit} windows are none; give a positive limit"):
        blocks(Recording.from_array(np.arange(100), 10), 10, 40, 3, limit)


def test_what_is_lacking_is_said_in_the_samples_of_the_file():
    recording = Recording.from_array(np.zeros(6553), 12_800, id="pump")  # 32,765 at the model's rate
    message = "pump: 6553 samples long, but one window takes 6554 samples; leave it out or record longer"
    for ask in (lambda: at_rate(recording, 64_000, 32_768), lambda: blocks(recording, 64_000, 32_768, 3)):
        with pytest.raises(RecordingError, match=message):
            ask()


def test_too_large_a_recording_is_refused_by_name():
    signal = np.sign(np.random.default_rng(0).standard_normal(7000)) * 3e38
    with pytest.raises(RecordingError, match="pump: the samples are too large to be resampled"):
        at_rate(Recording.from_array(signal, 12_800, "pump"), 64_000, 4096)
