"""Blocks of a stream are judged at the speed of the shaft, as segments of a recording are, to the last bit."""

import json
from dataclasses import astuple, replace
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest

from dualres.judge import turning
from dualres.judge.model import Model
from dualres.judge.segments import segment_verdicts
from dualres.judge.trust.calibration import NOT_KNOWN, Calibration, held_out
from dualres.judge.trust.novelty import look_at, look_at_windows
from dualres.judge.turning import moments_of
from dualres.judge.verdict import recording_scores
from dualres.judge.windows import model_windows
from dualres.model_file.card import APART
from dualres.recordings.recording import Recording
from dualres.recordings.speed import Speed
from dualres.stream import Monitor, score_together
from dualres.stream.monitor import block_speed
from dualres.stream.monitor.block import NO_RATE
from tests.judge.test_turning import FAULTS, RATE, machine
from tests.stream.monitor.test_monitor import cut

BLOCK_S, SEGMENT_S = 2.0, 1.8  # both group seven windows
SIZES = [700, 1, 9000, 31_000]


def events_of(monitor, signal, *, sizes=SIZES, speed=None):
    if speed is not None:
        monitor.tell_speed(speed)
    return [event for chunk in cut(signal, sizes) for event in monitor.push(chunk)] + monitor.finish()


def kind(events, which):
    return [event for event in events if event.kind == which]


def rows(events):
    return np.array([list(event.probabilities.values()) for event in events])


@pytest.fixture(scope="module")
def changing():
    """Half of it at one speed, half at another."""
    parts = [machine("outer", hz, seed, seconds=4.3).signal for seed, hz in enumerate((24.0, 25.5))]
    return np.concatenate(parts).astype(np.float32)


@pytest.mark.parametrize("decided_by", [64, 3])
@pytest.mark.parametrize("speed", [None, Speed((24.6,)), Speed((24.6,), source="measured"), "none"])
def test_blocks_are_judged_as_segments_are(orders, changing, monkeypatch, speed, decided_by):
    for module in (turning, block_speed):
        monkeypatch.setattr(module, "DECIDE", decided_by)
    stated = None if speed == "none" else speed
    recording = replace(Recording.from_array(changing, RATE), speed=stated, speedless=speed == "none")
    segments = [verdict for _, verdict in segment_verdicts(orders, recording, SEGMENT_S)]
    monitor = Monitor(orders, RATE, block_s=BLOCK_S, speedless=speed == "none")
    blocks = kind(events_of(monitor, changing, speed=stated), "block")
    assert [block.windows for block in blocks] == [verdict.windows for verdict in segments] == [7, 7, 7, 7, 4]
    assert [block.probabilities for block in blocks] == [verdict.probabilities for verdict in segments]
    assert [block.as_data().get("speed") for block in blocks] == [one.as_data().get("speed") for one in segments]
    if speed is None:
        assert blocks[0].speed.source == "estimated"
        assert abs(blocks[0].speed.mean_hz / 24 - 1) < 0.02
    if speed == Speed((24.6,)):
        assert len({block.speed.mean_hz for block in blocks}) > 1, "each block is searched by itself"


def test_a_window_is_judged_by_what_was_found_of_the_block_before(orders, changing):
    events = events_of(Monitor(orders, RATE, block_s=BLOCK_S), changing, speed=24.6 * 60)
    windows = np.concatenate(list(model_windows(orders, Recording.from_array(changing, RATE))))
    seen = orders.seen(windows, 0)
    before = [24.6, *(block.speed.mean_hz for block in kind(events, "block"))]
    hz = np.array([before[number // 7] for number in range(len(windows))])
    np.testing.assert_array_equal(rows(kind(events, "window")), orders.scores(seen, 0, hz))
    assert kind(events, "window")[0].speed is None


def test_where_nobody_tells_a_speed_and_none_was_found_orders_are_not_used(orders, changing):
    windows = np.concatenate(list(model_windows(orders, Recording.from_array(changing, RATE))))
    at_hz = orders.scores(windows, 0, np.full(len(windows), np.nan))
    events = events_of(Monitor(orders, RATE, block_s=BLOCK_S), changing)
    np.testing.assert_array_equal(rows(kind(events, "window"))[:7], at_hz[:7])
    assert (rows(kind(events, "window"))[7:14] != at_hz[7:14]).any(), "the first block was sure"
    noise = np.random.default_rng(4).standard_normal(4 * RATE)
    unsure = events_of(Monitor(orders, RATE, block_s=BLOCK_S), noise)
    windows = np.concatenate(list(model_windows(orders, Recording.from_array(noise, RATE))))
    at_hz = orders.scores(windows, 0, np.full(len(windows), np.nan))
    np.testing.assert_array_equal(rows(kind(unsure, "window")), at_hz)
    assert "speed" not in kind(unsure, "block")[0].as_data()


def test_a_speed_that_changes_is_used_window_by_window(orders, changing):
    ramp = Speed((24.0, 26.0), (0.0, 1.0), "measured")
    monitor = Monitor(orders, RATE, block_s=BLOCK_S)
    block = kind(events_of(monitor, changing[: 2 * RATE + 1000], speed=ramp), "block")[0]
    assert block.speed.varies
    assert block.speed.source == "measured"
    np.testing.assert_allclose(block.speed.hz[:3], ramp.over(0.256 * np.arange(3), 0.512), atol=0.1)
    assert block.speed.hz[-1] == 26.0


@pytest.fixture(scope="module")
def eventful(changing):
    """Chunks, each with the speed that is told or None; a number is a gap."""
    signal = changing.copy()
    signal[60_000:60_050] = np.nan
    steps, sizes, at = [], cycle([5000, 2600, 11_000, 300, 7000]), 0
    for number, size in enumerate(sizes):
        if at >= len(signal):
            break
        if number in (4, 5, 13):
            steps.append((number, None))
        speed = {3: 24.5, 4: 24.7, 8: 25.0, 12: 26.0}.get(number)
        steps.append((signal[at : at + size], speed and Speed((speed,), spread=0.015)))
        at += size
    return steps


def take(monitor, step):
    samples, speed = step
    return monitor.gap(samples) if isinstance(samples, int) else monitor.push(samples, speed=speed)


@pytest.mark.parametrize("decided_by", [64, 3])
@pytest.mark.parametrize("by", ["state", "marker"])
def test_a_monitor_that_is_saved_anywhere_goes_on_as_it_was(calibrated, eventful, monkeypatch, by, decided_by):
    monkeypatch.setattr(block_speed, "DECIDE", decided_by)
    whole = Monitor(calibrated, RATE, block_s=BLOCK_S)
    expected = [event for step in eventful for event in take(whole, step)] + whole.finish()
    monitor, events, samples = Monitor(calibrated, RATE, block_s=BLOCK_S), [], {}
    for step in eventful:
        at = monitor.position + (step[0] if isinstance(step[0], int) else 0)
        events += take(monitor, step)
        if not isinstance(step[0], int):
            samples |= dict(enumerate(step[0], at))
        if by == "state":
            monitor = Monitor.restored(calibrated, monitor.state())
        else:
            marker = json.loads(json.dumps(monitor.marker()))
            since = [sample for at, sample in samples.items() if at >= marker["needed_from"]]
            monitor = Monitor.resumed(calibrated, marker, since)
            assert json.loads(json.dumps(monitor.marker())) == marker
    events += monitor.finish()
    assert events == expected
    assert {event.speed.spread for event in kind(events, "block")[1:] if event.speed} == {0.015}


def test_lines_are_looked_for_where_no_gap_is(orders, changing, monkeypatch):
    heard = []
    tried = block_speed.speed_tried
    monkeypatch.setattr(
        block_speed, "speed_tried", lambda *g, **more: heard.append(more["middles"]) or tried(*g, **more)
    )
    monitor = Monitor(orders, RATE, block_s=BLOCK_S)
    monitor.push(changing[: int(0.9 * RATE)])  # two windows
    monitor.gap(100)
    monitor.push(changing[int(0.9 * RATE) :])
    first = moments_of(
        orders,
        [np.concatenate(list(model_windows(orders, Recording.from_array(changing[int(0.9 * RATE) :], RATE))))[:5]],
    )
    np.testing.assert_array_equal(heard[0][0], turning.low_middles(orders, first.axes[0].windows))
    assert [len(each[0]) for each in heard[:2]] == [5, 7]


@pytest.mark.parametrize("nothing", ["gap", "nan"])
def test_a_block_does_not_wait_for_ever(orders, changing, nothing):
    """Whoever keeps its samples may let them go."""
    monitor = Monitor(orders, RATE, block_s=BLOCK_S)
    monitor.push(changing[:RATE])
    assert monitor.needed_from == 0
    for _ in range(60):
        if nothing == "gap":
            monitor.gap(1000)
        else:
            monitor.push(np.full(1000, np.nan))
    assert monitor.needed_from == monitor.position
    assert len(json.dumps(monitor.marker())) < 2000
    (block,) = kind(monitor.finish(), "block")
    assert block.windows == 2
    assert "speed" in block.as_data()


def test_samples_that_cannot_be_computed_are_in_no_block(orders, changing, monkeypatch):
    seen = type(orders).seen

    def broken(model, windows, axis=None):
        found = seen(model, windows, axis)
        found.lines[np.ptp(windows, axis=1) > 1e6] = np.inf
        return found

    monkeypatch.setattr(type(orders), "seen", broken)
    signal = changing.copy()
    signal[20_000:20_010] = 1e7
    events = events_of(Monitor(orders, RATE, block_s=BLOCK_S), signal)
    assert np.isfinite(rows(events)).all()
    assert [block.windows for block in kind(events, "block")] == [7, 7, 7, 7, 2], "two hold the click"


@pytest.fixture(scope="module")
def calibrated(orders):
    """By recordings of the labelled machine, with their speeds and, at a temperature of 2, without."""
    known = []
    for stated in (25.0, None):
        recordings = [machine(label, 25.0, 50 + i, stated=stated) for i, label in enumerate(list(FAULTS) * 4)]
        held = []
        for recording in recordings:
            shares = recording_scores(orders, recording)[0].tolist()
            look = look_at(orders, recording)
            held.append(held_out(orders.classes, recording.label, recording.id, True, probabilities=shares, look=look))
        known.append(Calibration(orders.classes, "recording", tuple(held), temperature=1.0 if stated else 2.0))
    data = replace(known[0], without_speed=known[1]).as_data()
    return replace(orders, card=replace(orders.card, calibration=data))


@pytest.mark.parametrize("speed", [24.6, None])
def test_a_block_is_answered_by_windows_at_its_own_speed(calibrated, changing, monkeypatch, speed):
    asked, answer = [], Calibration.answer
    monkeypatch.setattr(Calibration, "answer", lambda *g, **more: asked.append(g) or answer(*g, **more))
    blocks = kind(
        events_of(Monitor(calibrated, RATE, block_s=BLOCK_S), changing, speed=speed and Speed((speed,))), "block"
    )
    windows = np.concatenate(list(model_windows(calibrated, Recording.from_array(changing, RATE))))[[7, 10, 13]]
    moments = moments_of(calibrated, [windows]).at(np.full(3, blocks[1].speed.mean_hz))
    known, shares, look = asked[1]
    assert shares == list(blocks[1].probabilities.values())
    assert astuple(look) == pytest.approx(astuple(look_at_windows(calibrated, moments, Fraction(RATE))))
    assert known.temperature == (2.0 if speed is None else 1.0)
    assert blocks[1].answer.reason == NO_RATE


def test_what_was_held_out_with_speeds_says_nothing_of_a_block_without(calibrated, changing):
    data = {name: value for name, value in calibrated.card.calibration.items() if name != "without_speed"}
    model = replace(calibrated, card=replace(calibrated.card, calibration=data))
    (told, *_), (without, *_), (unused, *_) = (
        kind(events_of(Monitor(model, RATE, block_s=BLOCK_S, speedless=speedless), changing, speed=speed), "block")
        for speed, speedless in ((1476, False), (None, False), (1476, True))
    )
    assert told.answer.reason == NO_RATE
    assert without.answer.reason == unused.answer.reason == NOT_KNOWN


def test_many_streams_say_what_each_says_alone(orders, changing):
    stated, streams = [None, 24.6 * 60, None, 1500], []
    for number, speed in enumerate(stated):
        monitor = Monitor(orders, RATE, block_s=BLOCK_S, name=str(number), speedless=number == 2)
        if speed:
            monitor.tell_speed(speed)
        monitor.take(changing[1000 * number :])
        streams.append(monitor)
    together = score_together(streams)
    for number, speed in enumerate(stated):
        alone = Monitor(orders, RATE, block_s=BLOCK_S, name=str(number), speedless=number == 2)
        own = [event for event in together if event.stream == str(number)]
        assert own == alone.push(changing[1000 * number :], speed=speed)


def test_a_state_is_as_large_as_its_docstring_says(orders, changing):
    monitor, most = Monitor(orders, RATE), 0
    for chunk in np.array_split(changing[: int(5.1 * RATE)], 60):
        monitor.push(chunk, speed=24.6 * 60)
        most = max(most, len(monitor.state()))
        assert len(json.dumps(monitor.marker())) < 2000
    assert 200_000 < most < 650_000


def test_several_axes_find_one_speed_together(orders, changing):
    card = replace(orders.card, channels=("x", "y"), axes=APART)
    model = Model((orders.members[0], orders.members[0]), card)
    both = {"x": changing, "y": machine("inner", 24.5, 5, seconds=8.6).signal[: len(changing)].astype(np.float32)}
    recording = Recording.from_axes(both, RATE, speed=24.6 * 60)
    segments = [verdict for _, verdict in segment_verdicts(model, recording, SEGMENT_S)]
    monitor, signal, events = Monitor(model, RATE, block_s=BLOCK_S), np.stack(list(both.values()), axis=1), []
    monitor.tell_speed(24.6 * 60)
    for chunk in cut(signal, [30_000]):
        events += monitor.push(chunk)
        monitor = Monitor.restored(model, monitor.state())
    blocks = kind(events + monitor.finish(), "block")
    assert [block.probabilities for block in blocks] == [verdict.probabilities for verdict in segments]
    assert [block.speed for block in blocks] == [verdict.speed for verdict in segments]
