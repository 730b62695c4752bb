"""A load that nobody labelled is named by the block's answer, however the monitor was saved in between."""

from dataclasses import replace

import pytest

from dualres.judge.trust.calibration import NO_PROMISE, Calibration, held_out
from dualres.judge.trust.novelty import look_at
from dualres.judge.verdict import recording_scores
from dualres.recordings.recording import Recording
from dualres.stream import Monitor
from dualres.stream.monitor.block import NO_RATE
from dualres.stream.monitor.told_condition import ToldCondition
from tests.stream.conftest import CLASSES, noise

RATE = 12_800
UNKNOWN = "load 7 was not labelled"


def bound_to_loads(model):
    """The model, with promises about other recordings at the loads 0 and 2 alone."""
    held = []
    for number in range(30):
        recording = Recording.from_array(noise(8000, number % 6), RATE, id=str(number))
        shares, label = recording_scores(model, recording)[0].tolist(), CLASSES[number % 3]
        look, away = look_at(model, recording), number % 5 - 2
        # So unlike each other that no block is unlike them all.
        look = replace(
            look, distance=9.0, spectrum=9.0 * away, level=look.level + away, bandwidth=look.bandwidth + away
        )
        held.append(held_out(CLASSES, label, str(number), True, probabilities=shares, look=look))
    data = Calibration(CLASSES, "recording", tuple(held), conditions={"load": ("0", "2")}).as_data()
    return replace(model, card=replace(model.card, calibration=data))


@pytest.fixture(scope="module")
def calibrated(views):
    return bound_to_loads(views)


def reasons(events):
    return [event.answer.reason for event in events if event.kind == "block"]


def test_a_block_says_that_its_load_was_not_labelled(calibrated):
    monitor = Monitor(calibrated, RATE, block_s=0.5)
    monitor.tell_condition({"load": "7", "site": "B"})
    (block,) = [event for event in monitor.push(noise(8000, 3)) if event.kind == "block"]
    assert (block.answer.kind, block.answer.promise, block.answer.reason) == (NO_PROMISE, None, UNKNOWN)


def test_it_changes_from_block_to_block_and_one_unknown_load_in_a_block_is_enough(calibrated):
    monitor = Monitor(calibrated, RATE, block_s=1.0)  # three windows, and a new block every 0.768 s
    monitor.tell_condition({"load": "2"})
    monitor.tell_condition({"load": "7"}, int(1.5 * RATE))
    monitor.tell_condition({"load": "0"}, int(1.6 * RATE))
    events = monitor.push(noise(4 * RATE, 3)) + monitor.finish()
    assert reasons(events)[:4] == [NO_RATE, UNKNOWN, UNKNOWN, NO_RATE]


@pytest.mark.parametrize("kept", ["marker", "state"])
@pytest.mark.parametrize("at", [5000, 9000, 20_000])
def test_a_monitor_that_is_saved_goes_on_as_it_was(calibrated, kept, at):
    def told(monitor, since):
        for load, first in (("2", 0), ("7", 8000), ("0", 9500)):
            if since <= first:
                monitor.tell_condition({"load": load}, first)
        return monitor

    signal = noise(40_000, 3)
    whole = told(Monitor(calibrated, RATE, block_s=1.0), 0)
    expected = reasons(whole.push(signal) + whole.finish())
    first = told(Monitor(calibrated, RATE, block_s=1.0), 0)
    events = first.push(signal[:at])
    if kept == "state":
        second = Monitor.restored(calibrated, first.state())
    else:
        marker = first.marker()
        second = Monitor.resumed(calibrated, marker, signal[marker["needed_from"] : at])
    events += second.push(signal[at:]) + second.finish()
    assert reasons(events) == expected
    assert UNKNOWN in expected
    assert NO_RATE in expected


def test_only_what_promises_depend_on_is_kept_and_no_longer_than_needed(calibrated, views):
    told = ToldCondition(calibrated)
    for at in range(100):
        told.tell({"load": str(at // 50), "rpm": str(at)}, at)
    assert told.marker() == [[0, {"load": "0"}], [50, {"load": "1"}]]
    assert told.between(10, 60) == [{"load": "0"}, {"load": "1"}]
    assert told.between(50, 60) == [{"load": "1"}]
    told.forget(55)
    assert told.marker() == [[50, {"load": "1"}]]
    assert told.between(10, 60) == [{}, {"load": "1"}], "nobody knows any more"
    nothing = ToldCondition(views)
    nothing.tell({"load": "7"}, 0)
    assert nothing.marker() == [], "a model without promises needs none"
