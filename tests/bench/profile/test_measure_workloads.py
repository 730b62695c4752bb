import numpy as np
import pytest

from dualres.bench.profile import measure
from dualres.bench.profile.plan import LONG_S, LONG_WINDOWS, NATIVE, PREPARED, WINDOW
from dualres.config import POLYPHASE, ModelConfig
from dualres.judge.model import Model
from dualres.judge.verdict import STRETCH, window_scores
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording

CONFIG = ModelConfig()


class Mean:
    """Scores a window by its mean, and remembers how many windows it was given at a time."""

    def __init__(self):
        self.batches = []

    def scores(self, windows):
        self.batches.append(len(windows))
        return np.stack([windows.mean(1), -windows.mean(1)], axis=1).astype(np.float64)


def model_of(member):
    return Model((member,), Card(("up", "down"), CONFIG, None, 0, POLYPHASE, {}, method="mean"))


@pytest.fixture(scope="module")
def recording():
    rng = np.random.default_rng(1)
    return Recording.from_array(rng.standard_normal(18 * 12_800).astype(np.float32), 12_800)


def test_all_ways_score_the_same_windows_as_a_verdict_does(recording):
    member = Mean()
    model = model_of(member)
    work = measure.calls(model, measure.subject(recording, None, long=False, config=CONFIG))
    prepared, native = work[PREPARED](), work[NATIVE]()
    np.testing.assert_array_equal(native, window_scores(model, recording))
    np.testing.assert_array_equal(native, prepared)
    np.testing.assert_array_equal(work[WINDOW]()[0], prepared[0])
    assert len(prepared) == 69
    assert max(member.batches) == STRETCH == 64


def test_fewer_windows_at_once_give_the_same_scores(recording):
    member = Mean()
    on = measure.subject(recording, None, long=False, config=CONFIG)
    few, many = (measure.calls(model_of(each), on, size) for each, size in ((member, 4), (Mean(), STRETCH)))
    for name in (PREPARED, NATIVE):
        np.testing.assert_array_equal(few[name](), many[name]())
    assert max(member.batches) == 4


def test_the_limit_of_the_evaluation_holds(recording):
    work = measure.calls(model_of(Mean()), measure.subject(recording, 7, long=False, config=CONFIG))
    assert len(work[PREPARED]()) == len(work[NATIVE]()) == 7


def test_a_short_recording_is_played_until_it_is_long(recording):
    on = measure.subject(recording, 7, long=True, config=CONFIG)
    assert LONG_WINDOWS <= on.windows <= LONG_WINDOWS + 2
    signal = on.recording.signal
    assert len(signal) / recording.rate >= LONG_S
    assert on.cycles == pytest.approx(len(signal) / len(recording.signal))
    np.testing.assert_array_equal(signal[: 2 * 230_400], np.tile(recording.signal, 2))


def test_a_long_recording_is_left_as_it_is(recording, monkeypatch):
    monkeypatch.setattr(measure, "LONG_WINDOWS", 2)
    monkeypatch.setattr(measure, "LONG_S", 1.0)
    on = measure.subject(recording, 7, long=True, config=CONFIG)
    assert on.cycles == 1
    assert on.windows == 69
