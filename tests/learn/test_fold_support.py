import dataclasses
from functools import partial

import numpy as np
import pytest

from dualres.bench.datasets.folds import Fold
from dualres.errors import ConfigError
from dualres.judge.verdict import diagnose_recording, window_scores
from dualres.learn.fold import Budget
from dualres.learn.fold_support import evaluate, gather_support
from dualres.model.network import DualRes
from dualres.recordings.recording import Recording
from tests.models import model_of

FOLD = Fold(
    fold="T1",
    dataset="made up",
    held_out="day",
    support={"good": ("g1", "g2"), "worn": ("w1", "w2")},
    evaluation=("g3", "w3", "w4"),
    support_start_s=1,
    support_step=1.0,
    evaluation_windows=4,
)


@pytest.fixture
def recordings():
    rng = np.random.default_rng(0)
    labels = {"g": "good", "w": "worn"}
    return [
        Recording.from_array(rng.standard_normal(4000), 2000, id=name, label=labels[name[0]])
        for name in ("g1", "g2", "g3", "w1", "w2", "w3", "w4")
    ]


def test_a_support_is_the_windows_the_fold_and_budget_say(recordings, small):
    support = gather_support(FOLD, recordings, Budget(recordings=2, windows=3), small)
    assert support.windows.shape == (12, small.window)
    assert support.labels.tolist() == [0] * 6 + [1] * 6
    assert support.origins[:4] == (("g1", 2000), ("g1", 2256), ("g1", 2512), ("g2", 2000))
    assert support.seconds == pytest.approx({"good": 6 * 0.128, "worn": 6 * 0.128})
    by_id = {r.id: r for r in recordings}
    for window, (name, start) in zip(support.windows, support.origins, strict=True):
        np.testing.assert_array_equal(window, by_id[name].signal[start : start + small.window])


def test_supports_are_nested(recordings, small):
    less = gather_support(FOLD, recordings, Budget(1, 2), small)
    more = gather_support(FOLD, recordings, Budget(2, 3), small)
    assert set(less.origins) < set(more.origins)


def test_a_support_opens_no_evaluated_recording(recordings, small):
    closed = {"load": partial(pytest.fail, "an evaluated recording was opened")}
    guarded = [dataclasses.replace(r, **closed) if r.id in FOLD.evaluation else r for r in recordings]
    gather_support(FOLD, guarded, Budget(2, 2), small)


def test_an_evaluation_judges_every_held_out_recording_once(recordings, small):
    seen = []
    model = model_of(DualRes(2, small, seed=0).eval(), FOLD.classes)
    result = evaluate(model, FOLD, recordings, lambda *x: seen.append(x))
    assert (result.classes, result.recordings) == (FOLD.classes, FOLD.evaluation)
    assert (result.truth, result.windows) == ((0, 1, 1), (4, 4, 4))
    assert result.confusion.sum(1).tolist() == [1, 2]
    for name, scores in zip(result.recordings, result.scores, strict=True):
        judged = next(r for r in recordings if r.id == name)
        assert scores == tuple(window_scores(model, judged, FOLD.evaluation_windows).mean(0))
        assert scores == tuple(diagnose_recording(model, judged, FOLD.evaluation_windows).probabilities.values())
    assert seen == [("Judge unseen recordings", i, 3, "") for i in (1, 2, 3)]


def test_what_is_missing_is_named(recordings, small):
    with pytest.raises(ConfigError, match="fewer than 3"):
        gather_support(FOLD, recordings, Budget(3, 1), small)
    with pytest.raises(ConfigError, match="T1 needs recording g1"):
        gather_support(FOLD, recordings[1:], Budget(1, 1), small)
    model = model_of(DualRes(2, small, seed=0).eval(), ("good", "new"))
    with pytest.raises(ConfigError, match="w3: label 'worn' is not among the classes good, new"):
        evaluate(model, FOLD, recordings)
