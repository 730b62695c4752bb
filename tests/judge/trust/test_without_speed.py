"""A recording whose speed is not known is answered by held-out recordings that were judged without theirs."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dualres.errors import ModelFileError
from dualres.judge.model import Model, load, save
from dualres.judge.segments import segment_verdicts
from dualres.judge.trust.calibration import Calibration
from dualres.judge.trust.conditions import known_of
from dualres.judge.trust.novelty import look_at
from dualres.judge.turning import labelled_speeds, unsearched_speeds
from dualres.judge.verdict import diagnose_recording, judged_each_way, recording_scores
from dualres.learn import workflow
from dualres.learn.calibrate import answered, calibrated, look_of
from dualres.learn.estimate import evaluate
from dualres.learn.fit import fit_recordings
from dualres.learn.settings import FitSettings
from dualres.learn.workflow import fit_model
from tests.judge.test_turning import FAULTS, machine

UNKNOWN = "its speed is not known, and the error rate was measured with speeds"


def without(recording):
    return replace(recording, speed=None, speedless=False)


@cache
def labelled():
    """One of them is to be judged without a speed."""
    found = [
        machine(label, hz, 10 * i + j, stated=hz, seconds=2.0)
        for i, label in enumerate(FAULTS)
        for j, hz in enumerate((22.0, 24.5, 27.0, 29.0))
    ]
    return [*found[:-1], replace(found[-1], speed=None, speedless=True)]


@pytest.fixture(scope="module")
def fitted():
    return fit_model(labelled(), windows_each=4, held_out="recording")


def test_windows_are_looked_at_once_for_all_ways_of_judging(fitted, monkeypatch):
    recording, seen = machine("inner", 25.0, 7, stated=25.5, seconds=20.0), []
    apart = [
        (recording_scores(fitted.model, one), look_at(fitted.model, one)) for one in (recording, without(recording))
    ]
    looked = Model.seen
    monkeypatch.setattr(
        Model, "seen", lambda self, windows, axis: seen.append(len(windows)) or looked(self, windows, axis)
    )
    ways = [unsearched_speeds(fitted.model, one) for one in (recording, without(recording))]
    found = judged_each_way(fitted.model, recording, ways)
    assert sum(seen) == found[0].windows == found[1].windows == 77
    for one, ((scores, _), look) in zip(found, apart, strict=True):
        np.testing.assert_array_equal(one.scores, scores)
        assert one.look == look
    assert ways[0].found() != ways[1].found()


def test_every_held_out_recording_is_also_judged_without_its_speed(fitted):
    estimate, recordings = fitted.estimate, labelled()
    for number, held in enumerate(estimate.plan.held_out):
        known = [r for r in recordings if r.id not in held]
        labels, settings = [r.label for r in known], FitSettings(windows_each=4)
        model, _ = fit_recordings(known, labels, fitted.model.classes, settings)
        unseen = [r for r in recordings if r.id in held]
        assert evaluate(model, unseen) == estimate.judged[number]
        untold = [one if one.speedless else without(one) for one in unseen]
        assert evaluate(model, untold) == estimate.without_speed.judged[number]
    found, other = estimate.held, estimate.without_speed.held
    assert [one.recording for one in found] == [one.recording for one in other]
    same = {one.recording for one, two in zip(found, other, strict=True) if one.probabilities == two.probabilities}
    assert recordings[-1].id in same
    assert len(same) < len(recordings)
    told = fitted.model.card.estimates[0]["without_speed"]
    assert told["macro_f1"] == estimate.without_speed.macro_f1


def test_a_speed_that_was_found_for_a_fit_is_not_known_of_what_is_held_out(monkeypatch):
    """Whoever labels recordings without their speeds will not know those of others."""
    found = [replace(one, speed=one.speed and replace(one.speed, source="estimated")) for one in labelled()]
    monkeypatch.setattr(workflow, "lined_up", lambda recordings, progress: (tuple(recordings), "found"))
    estimated = fit_model(found, windows_each=4, held_out="recording")
    assert labelled_speeds(estimated.model) is not None
    assert estimated.estimate.without_speed.judged == estimated.estimate.judged
    assert "without_speed" not in estimated.model.card.estimates[0], "and so it was worth nothing"
    known = estimated.model.calibration
    assert known.without_speed == replace(known, without_speed=None, standings={})
    assert diagnose_recording(estimated.model, without(labelled()[0])).answer.reason != UNKNOWN


def test_a_card_keeps_both_and_answers_each_recording_by_its_own(fitted, tmp_path):
    known = fitted.model.calibration
    assert known == Calibration.parsed(known.as_data(), known.classes)
    assert [one.unit for one in known.held] == [one.unit for one in known.without_speed.held]
    assert known.held != known.without_speed.held
    assert known.without_speed.windows == known.windows
    save(fitted.model, tmp_path / "m.safetensors")
    new = machine("outer", 25.0, 99, stated=25.0, seconds=2.0)
    for model in (fitted.model, load(tmp_path / "m.safetensors")):
        for one, own in (
            (new, known),
            (without(new), known.without_speed),
            (replace(new, speedless=True), known.without_speed),
        ):
            verdict = diagnose_recording(model, one)
            said = list(verdict.probabilities.values())
            assert verdict.answer == own.answer(said, look_at(model, one), known_of(one))


def test_held_out_recordings_are_answered_likewise(fitted):
    known = calibrated(fitted.estimate, labelled())
    by_name = {each.held.recording: each.answer for each in answered(fitted.estimate, labelled(), known)}
    (last,) = (one for one in fitted.estimate.held if one.recording == labelled()[-1].id)
    look = look_of(fitted.estimate, last, known.standings)
    said = [last.probabilities[label] for label in known.classes]
    assert by_name[last.recording] == known.without_speed.answer(said, look, {})


def test_a_card_that_was_calibrated_with_speeds_alone_promises_nothing_without(fitted):
    data = {name: value for name, value in fitted.model.card.calibration.items() if name != "without_speed"}
    older = Model(fitted.model.members, replace(fitted.model.card, calibration=data))
    new = machine("outer", 25.0, 99, stated=25.0, seconds=2.0)
    assert diagnose_recording(older, new).answer == diagnose_recording(fitted.model, new).answer
    for one in (without(new), replace(new, speedless=True)):
        answer = diagnose_recording(older, one).answer
        assert (answer.kind, answer.promise, answer.reason) == ("no_promise", None, UNKNOWN)
        assert {verdict.answer.reason for _, verdict in segment_verdicts(older, one, 1.0)} == {UNKNOWN}


def test_a_model_that_learned_without_speeds_is_judged_and_answered_in_one_way():
    refused = [replace(one, speed=None, speedless=True) for one in labelled()]
    fitted = fit_model(refused, windows_each=2, held_out="recording")
    assert fitted.estimate.without_speed is None
    assert "without_speed" not in fitted.model.card.calibration
    assert "without_speed" not in fitted.model.card.estimates[0]
    new = machine("outer", 25.0, 99, seconds=2.0)
    assert diagnose_recording(fitted.model, new).answer.reason != UNKNOWN


def test_a_card_that_holds_half_of_it_is_refused(fitted):
    data = {**fitted.model.card.calibration, "without_speed": {"surprise": [1.0]}}
    with pytest.raises(ModelFileError, match="cannot be understood"):
        Calibration.parsed(data, fitted.model.classes)
