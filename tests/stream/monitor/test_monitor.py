import json
from dataclasses import replace
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dualres.config import POLYPHASE, SOXR
from dualres.errors import ConfigError, RecordingError
from dualres.judge.verdict import diagnose_recording, window_scores
from dualres.kernel import compiled
from dualres.recordings.recording import Recording
from dualres.stream import Monitor, score_together
from tests.stream.conftest import RATES, noise

SIZES = st.lists(st.one_of(st.integers(1, 20), st.integers(1, 5000), st.integers(1, 100_000)), min_size=1, max_size=6)
slow = settings(deadline=None, max_examples=30)
every_rate = pytest.mark.parametrize("rate", RATES, ids=str)


def cut(signal, sizes):
    """Chunks of these sizes, over and over; few of the small ones make up much of a signal."""
    at = 0
    for size in cycle([*sizes, 5000]):
        if at >= len(signal):
            return
        yield signal[at : at + size]
        at += size


def events_of(monitor, chunks):
    return [event for chunk in chunks for event in monitor.push(chunk)] + monitor.finish()


def shares(events, kind="window"):
    return np.array([list(event.probabilities.values()) for event in events if event.kind == kind])


def seconds(rate, seconds_, seed=0):
    return noise(int(rate * Fraction(seconds_)), seed)


def of_a_recording(model, signal, rate):
    return window_scores(model, Recording.from_array(signal, rate))


def assert_equal(found, expected):
    """By PyTorch, the last bits of a window's scores depend on what it is scored with."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=0 if compiled.variant() else 1e-5)


def test_rates_are_those_of_the_datasets():
    of_the_eight = {64_000, 48_000, 25_600, 42_000, 51_200, 200_000, 12_800, Fraction(200_000, 3)}
    assert of_the_eight | {12_000, 20_000} <= set(RATES)


@every_rate
@given(sizes=SIZES, seed=st.integers(0, 9))
@slow
def test_a_stream_says_what_a_recording_says(views, rate, sizes, seed):
    signal = seconds(rate, "1.3", seed)
    events = events_of(Monitor(views, rate), cut(signal, sizes))
    assert_equal(shares(events), of_a_recording(views, signal, rate))


@pytest.mark.parametrize("rate", [12_800, 200_000])
@given(sizes=SIZES)
@slow
def test_so_it_does_by_members_of_the_paper_s_network(papers, rate, sizes):
    signal = seconds(rate, "2.1")
    events = events_of(Monitor(papers, rate), cut(signal, sizes))
    assert_equal(shares(events), of_a_recording(papers, signal, rate))


@given(sizes=SIZES)
@slow
def test_so_it_does_on_several_axes(two_axes, sizes):
    signals = {"x": seconds(20_000, 1, 1), "y": seconds(20_000, 1, 2)}
    events = events_of(Monitor(two_axes, 20_000), cut(np.stack(list(signals.values()), axis=1), sizes))
    assert_equal(shares(events), window_scores(two_axes, Recording.from_axes(signals, 20_000)))


def test_samples_may_come_one_by_one(views):
    signal = seconds(12_000, "0.9")
    events = events_of(Monitor(views, 12_000), ([sample] for sample in signal))
    assert_equal(shares(events), of_a_recording(views, signal, 12_000))


@every_rate
@given(sizes=SIZES, data=st.data())
@slow
def test_a_monitor_that_is_saved_goes_on_as_it_was(views, rate, sizes, data):
    signal = seconds(rate, "1.3")
    monitor, events, ways = Monitor(views, rate, name="pump"), [], st.sampled_from(["go on", "state", "marker"])
    for chunk in cut(signal, sizes):
        events += monitor.push(chunk)
        way = data.draw(ways) if len(chunk) > 1000 else "go on"
        if way == "state":
            monitor = Monitor.restored(views, monitor.state())
        elif way == "marker":
            marker = json.loads(json.dumps(monitor.marker()))
            monitor = Monitor.resumed(views, marker, signal[marker["needed_from"] : monitor.position])
    events += monitor.finish()
    assert_equal(shares(events), of_a_recording(views, signal, rate))
    assert [event.number for event in events if event.kind == "window"] == list(range(len(shares(events))))
    assert {event.stream for event in events} == {"pump"}


@every_rate
def test_a_state_is_small(views, rate):
    monitor, most = Monitor(views, rate), 0
    for chunk in np.array_split(seconds(rate, "1.1"), 400):
        monitor.push(chunk)
        most = max(most, len(monitor.state()))
        assert len(json.dumps(monitor.marker())) < 2000
    assert 100_000 < most < 150_000


def test_blocks_are_means_of_their_windows(views):
    signal, monitor = seconds(12_800, "3"), Monitor(views, 12_800, block_s=1.0)
    events = [*monitor.push(signal), *monitor.finish()]
    windows, blocks = ([e for e in events if e.kind == kind] for kind in ("window", "block"))
    assert [block.windows for block in blocks] == [3, 3, 3, 1]  # two span 0.768 s, three 1.024 s
    of_first = windows[:3]
    np.testing.assert_allclose(shares(blocks, "block")[0], shares(of_first).mean(0), rtol=1e-12)
    assert (blocks[0].start, blocks[0].stop) == (of_first[0].start, of_first[-1].stop)
    assert events.index(blocks[0]) == 3
    assert blocks[0].answer is None  # the model was fitted without an estimate


def test_places_are_in_the_stream_s_own_samples(views):
    monitor = Monitor(views, 12_800)
    first, second, *_ = monitor.push(seconds(12_800, "1.2"))
    assert (first.start, first.stop, first.seconds) == (0, 6554, 0.0)
    assert (second.start, second.stop) == (3276, 9831)
    assert second.seconds == 3276 / 12_800
    assert monitor.position == 15_360


def test_after_a_gap_a_stream_is_a_recording_of_its_own(views):
    before, after = seconds(12_800, "1.2", 1), seconds(12_800, "0.9", 2)
    monitor = Monitor(views, 12_800)
    events = [*monitor.push(before), *monitor.gap(700), *monitor.push(after), *monitor.finish()]
    expected = [of_a_recording(views, part, 12_800) for part in (before, after)]
    assert_equal(shares(events), np.concatenate(expected))
    windows = [event for event in events if event.kind == "window"]
    assert [event.missing for event in windows] == [0] * len(expected[0]) + [700] + [0] * (len(expected[1]) - 1)
    assert windows[len(expected[0])].start == len(before) + 700
    assert events[-1].missing == 700
    assert monitor.position == len(before) + 700 + len(after)


@given(sizes=SIZES, place=st.integers(0, 15_000), bad=st.sampled_from([np.nan, np.inf, -np.inf, 1e38]))
@slow
def test_samples_that_are_not_finite_are_a_gap(views, sizes, place, bad):
    """Wherever chunks end."""
    signal = seconds(12_800, "2.4")
    signal[place : place + 5] = bad
    events = events_of(Monitor(views, 12_800), cut(signal, sizes))
    parts = [part for part in (signal[:place], signal[place + 5 :]) if len(part) >= 6554]
    assert_equal(shares(events), np.concatenate([of_a_recording(views, part, 12_800) for part in parts]))
    for kind in ("window", "block"):
        assert sum(event.missing for event in events if event.kind == kind) == 5


def test_a_marker_after_a_gap_needs_nothing_from_before_it(views):
    monitor = Monitor(views, 12_800)
    monitor.push(seconds(12_800, "0.7"))
    monitor.gap(10)
    assert monitor.needed_from == monitor.position
    again = Monitor.resumed(views, monitor.marker(), [])
    rest = seconds(12_800, "0.6")
    assert again.push(rest) == monitor.push(rest)


def test_many_streams_are_scored_together(views, papers):
    rates = [12_800, 48_000, 12_800, 64_000]
    pairs = [(model, rate) for rate in rates for model in (views, papers)]
    monitors = [Monitor(model, rate, name=str(number)) for number, (model, rate) in enumerate(pairs)]
    signals = [seconds(one.rate, "1.4", seed) for seed, one in enumerate(monitors)]
    for monitor, signal in zip(monitors, signals, strict=True):
        monitor.take(signal)
    events = score_together(monitors)
    assert score_together(monitors) == []
    for monitor, signal in zip(monitors, signals, strict=True):
        own = [event for event in events if event.stream == monitor.name]
        assert own
        assert own == Monitor(monitor.model, monitor.rate, name=monitor.name).push(signal)


def test_what_waits_for_a_score_is_not_left_behind(views):
    monitor = Monitor(views, 12_800)
    monitor.take(seconds(12_800, 1))
    with pytest.raises(ConfigError, match="score_together"):
        monitor.state()


def test_a_chunk_may_be_overwritten_afterwards(views):
    signal, buffer = seconds(12_800, 1), np.empty(1280, np.float32)
    monitor, events = Monitor(views, 12_800), []
    for part in np.split(signal, 10):
        buffer[:] = part
        events += monitor.push(buffer)
        buffer[:] = np.nan
    assert_equal(shares(events + monitor.finish()), of_a_recording(views, signal, 12_800))


def test_a_short_stream_is_told_as_a_short_recording(views):
    monitor, signal = Monitor(views, 12_800, name="pump"), seconds(12_800, "0.3")
    assert monitor.push(signal) == []
    with pytest.raises(RecordingError) as of_stream:
        monitor.finish()
    with pytest.raises(RecordingError) as of_recording:
        diagnose_recording(views, Recording.from_array(signal, 12_800, id="pump"))
    assert str(of_stream.value) == str(of_recording.value)
    with pytest.raises(RecordingError, match="pump: there are no samples in it"):
        Monitor(views, 12_800, name="pump").finish()


@pytest.mark.parametrize("resampler", [POLYPHASE, SOXR])
def test_a_model_that_needs_a_recording_s_mean_is_refused(views, resampler):
    model = replace(views, card=replace(views.card, resampler=resampler))
    with pytest.raises(ConfigError, match=f"resamples by {resampler}, which needs the mean .* or sample at 64000 Hz"):
        Monitor(model, 12_800)
    signal, monitor = seconds(64_000, "1.1"), Monitor(model, 64_000)  # nothing is resampled
    assert_equal(shares(monitor.push(signal) + monitor.finish()), of_a_recording(model, signal, 64_000))


def test_what_cannot_be_is_refused(views, two_axes):
    with pytest.raises(ConfigError, match=r"a chunk of shape \(4,\) was given; \(n, 2\), with x, y in this order"):
        Monitor(two_axes, 12_800).push([1, 2, 3, 4])
    with pytest.raises(ConfigError, match=r"\(2, 2\) was given; \(n,\)"):
        Monitor(views, 12_800).push([[1, 2], [3, 4]])
    with pytest.raises(ConfigError, match="a gap of -1"):
        Monitor(views, 12_800).gap(-1)
    with pytest.raises(ConfigError, match=r"a block of 0\.0 s"):
        Monitor(views, 12_800, block_s=0)
    marker = Monitor(views, 12_800).marker()
    weights = views.members[0]
    arrays = {name: array + 1e-3 for name, array in weights.arrays.items()}
    for other in (two_axes, replace(views, members=(type(weights)(weights.config, arrays),))):
        with pytest.raises(ConfigError, match="another model"):
            Monitor.resumed(other, marker, [])
    with pytest.raises(ConfigError, match="3 samples came with a marker that needs 0"):
        Monitor.resumed(views, marker, [1, 2, 3])
    for wrong in (b"", b"[]", b"{}\n", Monitor(views, 12_800).state() + b"more"):
        with pytest.raises(ConfigError, match="no state of a monitor"):
            Monitor.restored(views, wrong)
