import json
from dataclasses import replace

import pytest

from dualres.config import ModelConfig
from dualres.judge.trust import novelty as likeness
from dualres.judge.trust.calibration import NO_PROMISE, NONE_OF_THESE, ONE_OF, Calibration, held_out
from dualres.judge.verdict import diagnose_recording, recording_scores
from dualres.recordings.recording import Recording
from dualres.stream import Monitor
from dualres.stream.monitor.block import NO_RATE, NOVELTY_WINDOWS, windows_in
from tests.stream.conftest import CLASSES, noise

RATE = 12_800


@pytest.fixture(scope="module")
def calibrated(views):
    """By what it says of recordings of one kind, under every label."""
    recordings = [Recording.from_array(noise(8000, seed), RATE, id=str(seed)) for seed in range(12)]
    held = []
    for number, recording in enumerate(recordings):
        shares, label = recording_scores(views, recording)[0].tolist(), CLASSES[number % len(CLASSES)]
        look = likeness.look_at(views, recording)
        held.append(held_out(CLASSES, label, recording.id, True, probabilities=shares, look=look))
    data = Calibration(CLASSES, "recording", tuple(held)).as_data()
    return replace(views, card=replace(views.card, calibration=data))


@pytest.mark.parametrize(("seconds", "windows"), [(0.1, 1), (0.512, 1), (0.513, 2), (0.768, 2), (5.0, 19)])
def test_a_block_has_the_fewest_windows_that_span_it(seconds, windows):
    assert windows_in(seconds, ModelConfig()) == windows


def test_a_block_is_answered_without_a_promise(calibrated):
    (block,) = [event for event in Monitor(calibrated, RATE, block_s=0.5).push(noise(8000, 3)) if event.answer]
    assert block.kind == "block"
    assert (block.answer.kind, block.answer.promise, block.answer.reason) == (NO_PROMISE, None, NO_RATE)
    assert block.answer.classes[0] == block.label


def test_a_class_that_could_not_be_named_of_a_recording_is_not_one_of_two_of_a_block(calibrated):
    """The truth was never surprising, and yet all names were wrong."""
    data = calibrated.card.calibration
    told = {**data, "surprise": [-1.0] * 12, "verdict": [(which + 1) % len(CLASSES) for which in data["label"]]}
    model = replace(calibrated, card=replace(calibrated.card, calibration=told))
    whole = diagnose_recording(model, Recording.from_array(noise(8000, 3), RATE)).answer
    assert (whole.kind, len(whole.classes)) == (ONE_OF, 2)
    (block,) = [event for event in Monitor(model, RATE, block_s=0.5).push(noise(8000, 3)) if event.answer]
    assert (block.answer.kind, block.answer.promise, block.answer.reason) == (NO_PROMISE, None, NO_RATE)
    assert not block.answer.names


def test_what_is_none_of_the_classes_is_told(calibrated):
    events = Monitor(calibrated, RATE, block_s=0.5).push(100 * noise(8000, 3))
    answer = next(event.answer for event in events if event.kind == "block")
    assert answer.kind == NONE_OF_THESE
    assert "its level is 1e+02 times the usual" in answer.reason


def test_a_block_is_looked_at_a_few_times_and_a_marker_remembers_it(calibrated, monkeypatch):
    looks = []
    look_at = likeness.look_at_windows
    monkeypatch.setattr("dualres.stream.monitor.monitor.look_at_windows", lambda *g: looks.append(1) or look_at(*g))
    signal, monitor = noise(66_000), Monitor(calibrated, RATE)
    whole = Monitor(calibrated, RATE).push(signal)
    assert len(looks) == NOVELTY_WINDOWS
    events = monitor.push(signal[:30_000])
    marker = json.loads(json.dumps(monitor.marker()))
    monitor = Monitor.resumed(calibrated, marker, signal[marker["needed_from"] : 30_000])
    assert events + monitor.push(signal[30_000:]) == whole
    assert whole[-1].kind == "block"
    assert len(looks) == 2 * NOVELTY_WINDOWS
