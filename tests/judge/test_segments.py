from dataclasses import astuple, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.segments import _SegmentNovelty, judge_segments, segment_verdicts
from dualres.judge.trust.calibration import Calibration, held_out
from dualres.judge.trust.novelty import look_at, look_at_windows
from dualres.judge.turning import moments_of
from dualres.judge.verdict import diagnose_recording, window_scores
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.labels.read import LabelRow
from dualres.recordings.recording import Blockwise, Recording, Segment, sliced
from dualres.recordings.windows import at_rate, every_window


@pytest.fixture(scope="module")
def model(small):
    card = Card(("good", "worn"), small, Recipe(), 0, POLYPHASE, {})
    return Model((DualRes(2, small, seed=0).eval(),), card)


def noise(seconds, rate=2000):
    signal = np.random.default_rng(0).standard_normal(round(seconds * rate)).astype(np.float32)
    return Recording.from_array(signal, rate, "pump")


def test_every_window_counts_once_where_its_middle_is(model):
    recording = noise(10.0)
    config, scores = model.card.config, window_scores(model, recording)
    found = segment_verdicts(model, recording, 2.5)
    assert [part for part, _ in found] == [Segment(2.5 * i, 2.5 * (i + 1)) for i in range(4)]
    assert sum(verdict.windows for _, verdict in found) == len(scores)
    middles = (np.arange(len(scores)) + 1) * config.window / 2 / config.rate
    for part, verdict in found:
        mean = scores[(part.start_s <= middles) & (middles < part.end_s)].mean(0)
        assert list(verdict.probabilities.values()) == pytest.approx(mean.tolist())
        assert verdict.label == model.classes[mean.argmax()]


def test_stretches_end_with_the_recording_which_may_be_one(model):
    recording = noise(3.0)
    assert segment_verdicts(model, recording, 60) == [(Segment(0.0, 3.0), diagnose_recording(model, recording))]
    assert [part.end_s for part, _ in segment_verdicts(model, noise(7.3), 2.0)] == [2, 4, 6, 7.3]
    assert [part.end_s for part, _ in segment_verdicts(model, noise(6.03), 2.0)] == [2, 4, 6.03], (
        "no window is left for 30 ms"
    )


@pytest.fixture(scope="module")
def calibrated(model):
    """Nineteen recordings of noise were held out, of ten windows each."""
    look, classes = look_at(model, noise(3.0)), model.classes
    held = [held_out(classes, classes[i % 2], str(i), True, probabilities=[0.5, 0.5], look=look) for i in range(19)]
    data = Calibration(classes, "recording", tuple(held), windows=10).as_data()
    return replace(model, card=replace(model.card, calibration=data))


def test_a_recording_in_one_stretch_has_its_answer(calibrated):
    recording = noise(0.5)
    whole = diagnose_recording(calibrated, recording, error=0.2, sure=0.5)
    ((_, only),) = segment_verdicts(calibrated, recording, 60, error=0.2, sure=0.5)
    assert only == whole
    assert only.answer.promise == "recording", "however short"


def test_a_stretch_as_long_as_recordings_has_a_promise(calibrated):
    answers = [verdict.answer for _, verdict in segment_verdicts(calibrated, noise(10.0), 2.5)]
    assert [answer.promise for answer in answers] == ["recording"] * 4
    short = [verdict.answer for _, verdict in segment_verdicts(calibrated, noise(10.0), 0.5)]
    assert {answer.kind for answer in short} == {"no_promise"}
    assert "shorter than held-out recordings, of up to 10" in short[0].reason
    assert segment_verdicts(calibrated, noise(10.0), 2.5, error=0.01)[0][1].answer.kind == "no_promise"


def test_an_older_calibration_does_not_know_how_long_recordings_were(calibrated):
    data = {name: value for name, value in calibrated.card.calibration.items() if name != "windows"}
    older = replace(calibrated, card=replace(calibrated.card, calibration=data))
    for _, verdict in segment_verdicts(older, noise(10.0), 5):
        assert (verdict.answer.kind, verdict.answer.promise) == ("no_promise", None)
        assert "fit the model again" in verdict.answer.reason


def test_each_stretch_is_looked_at_by_itself(calibrated):
    """Also the short ones, for which nothing is promised."""
    signal = noise(10.0).signal * np.repeat(np.float32([1, 100]), 10_000)
    for seconds in (2.5, 0.5):
        found = segment_verdicts(calibrated, Recording.from_array(signal, 2000), seconds)
        unlike = ["its level is" in verdict.answer.reason for _, verdict in found]
        assert unlike[: len(found) // 2] == [False] * (len(found) // 2)
        assert unlike[-len(found) // 2 + 1 :] == [True] * (len(found) // 2 - 1)
        assert found[-1][1].answer.kind == "none_of_these"


def test_a_look_at_a_stretch_is_that_at_its_first_windows(calibrated):
    """However many come at a time."""
    recording = noise(10.0)
    config, looks = calibrated.card.config, _SegmentNovelty(calibrated, recording, 5.0)
    windows = every_window(at_rate(recording, config.rate, config.window), config.window)
    for first in range(0, len(windows), 7):
        looks(moments_of(calibrated, [windows[first : first + 7]], first))
    middles = (np.arange(len(windows)) + 1) * config.window / 2 / config.rate
    expected = look_at_windows(calibrated, moments_of(calibrated, [windows[middles >= 5][:24]]), recording.rate)
    assert astuple(looks.of(1)) == pytest.approx(astuple(expected), rel=1e-6)
    assert astuple(looks.of(0)) == pytest.approx(astuple(look_at(calibrated, recording)), rel=1e-6)


def test_a_change_is_found_where_it_is(model, monkeypatch):
    """The model is asked of the level here, which a true one does not see."""
    signal = noise(10.0).signal * np.repeat(np.float32([1, 100]), 10_000)
    loud = lambda self, windows, axis, hz: np.eye(2)[(np.std(windows, axis=1) > 10).astype(int)]  # noqa: E731
    monkeypatch.setattr(Model, "scores", loud)
    found = segment_verdicts(model, Recording.from_array(signal, 2000), 1.0)
    assert [verdict.label for _, verdict in found] == ["good"] * 5 + ["worn"] * 5


class InBlocks(Blockwise):
    def __init__(self, signal):
        self.length, self.mean, self._signal, self.held = len(signal), float(signal.mean()), signal, 0

    def blocks(self):
        return sliced(self._signal, 4096)

    def __call__(self):
        raise AssertionError("the whole signal was asked for")


def test_a_long_recording_is_never_held_whole(model):
    recording = noise(30.0)
    blocks = replace(recording, load=InBlocks(recording.signal))
    assert [part for part, _ in segment_verdicts(model, blocks, 5)] == [
        part for part, _ in segment_verdicts(model, recording, 5)
    ]


def test_progress_goes_from_nothing_to_all(model):
    told = []
    segment_verdicts(model, noise(30.0), 5, lambda stage, done, total, remark: told.append((done, total)))
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] > 0
    assert told == sorted(told)


@pytest.mark.parametrize("seconds", [0, -3, 0.01, float("nan"), float("inf")])
def test_a_stretch_holds_a_window(model, seconds):
    with pytest.raises(ConfigError, match=r"one window takes 0\.128 s"):
        segment_verdicts(model, noise(3.0), seconds)


def test_differences_are_those_of_the_recording(model):
    card = replace(model.card, learned_from={"rates": ["1000"], "looks": {"level": [1e-3, 1e-2]}})
    for _, verdict in segment_verdicts(replace(model, card=card), noise(4.0), 2.0):
        assert [each.what for each in verdict.differences] == ["rate", "level"]


def test_files_and_their_parts(model, tmp_path):
    np.save(tmp_path / "a.npy", noise(10.0).signal)
    row = LabelRow(tmp_path / "a.npy", rate=Fraction(2000), part=Segment(3.0, 8.0))
    found = list(judge_segments(model, row, None, None, seconds=2.0))
    assert [one.part for one in found] == [Segment(3.0, 5.0), Segment(5.0, 7.0), Segment(7.0, 8.0)]
    (missing,) = judge_segments(model, LabelRow(Path("nowhere.npy")), None, None, seconds=2.0)
    assert missing.verdict is None
    assert "no such file" in missing.problem
    with pytest.raises(ConfigError):
        list(judge_segments(model, row, None, None, seconds=0.0))
