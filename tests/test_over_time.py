from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.file import Card, Model
from dualres.judge import diagnose_recording, window_scores
from dualres.model.network import DualRes
from dualres.over_time import judge_over_time, over_time
from dualres.recordings.labels import Row
from dualres.recordings.recording import Blockwise, Interval, Recording, sliced


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
    found = over_time(model, recording, 2.5)
    assert [part for part, _ in found] == [Interval(2.5 * i, 2.5 * (i + 1)) for i in range(4)]
    assert sum(verdict.windows for _, verdict in found) == len(scores)
    middles = (np.arange(len(scores)) + 1) * config.window / 2 / config.rate
    for part, verdict in found:
        mean = scores[(part.start_s <= middles) & (middles < part.end_s)].mean(0)
        assert list(verdict.probabilities.values()) == pytest.approx(mean.tolist())
        assert verdict.label == model.classes[mean.argmax()]


def test_one_stretch_is_the_recording(model):
    recording = noise(3.0)
    whole = replace(diagnose_recording(model, recording), answer=None)  # rates are those of whole recordings
    assert over_time(model, recording, 60) == [(Interval(0.0, 3.0), whole)]


def test_the_last_stretch_ends_with_the_recording(model):
    assert [part.end_s for part, _ in over_time(model, noise(7.3), 2.0)] == [2, 4, 6, 7.3]
    assert [part.end_s for part, _ in over_time(model, noise(6.03), 2.0)] == [2, 4, 6.03], "no window is left for 30 ms"


def test_a_change_is_found_where_it_is(model, monkeypatch):
    """The model is asked of the level here, which a true one does not see."""
    signal = noise(10.0).signal * np.repeat(np.float32([1, 100]), 10_000)
    loud = lambda self, windows, axis: np.eye(2)[(np.std(windows, axis=1) > 10).astype(int)]  # noqa: E731
    monkeypatch.setattr(Model, "scores", loud)
    found = over_time(model, Recording.from_array(signal, 2000), 1.0)
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
    assert [part for part, _ in over_time(model, blocks, 5)] == [part for part, _ in over_time(model, recording, 5)]


def test_progress_goes_from_nothing_to_all(model):
    told = []
    over_time(model, noise(30.0), 5, lambda stage, done, total, remark: told.append((done, total)))
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] > 0
    assert told == sorted(told)


@pytest.mark.parametrize("seconds", [0, -3, 0.01, float("nan"), float("inf")])
def test_a_stretch_holds_a_window(model, seconds):
    with pytest.raises(ConfigError, match=r"one window takes 0\.128 s"):
        over_time(model, noise(3.0), seconds)


def test_differences_are_those_of_the_recording(model):
    card = replace(model.card, learned_from={"rates": ["1000"], "looks": {"level": [1e-3, 1e-2]}})
    for _, verdict in over_time(replace(model, card=card), noise(4.0), 2.0):
        assert [each.what for each in verdict.differences] == ["rate", "level"]


def test_files_and_their_parts(model, tmp_path):
    np.save(tmp_path / "a.npy", noise(10.0).signal)
    row = Row(tmp_path / "a.npy", rate=Fraction(2000), part=Interval(3.0, 8.0))
    found = list(judge_over_time(model, row, None, None, 2.0))
    assert [one.part for one in found] == [Interval(3.0, 5.0), Interval(5.0, 7.0), Interval(7.0, 8.0)]
    (missing,) = judge_over_time(model, Row(Path("nowhere.npy")), None, None, 2.0)
    assert missing.verdict is None
    assert "no such file" in missing.problem
    with pytest.raises(ConfigError):
        list(judge_over_time(model, row, None, None, 0.0))
