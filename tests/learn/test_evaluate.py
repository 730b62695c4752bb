import numpy as np
import pytest

from dualres.config import POLYPHASE, Recipe
from dualres.errors import ConfigError
from dualres.judge.model import Model
from dualres.judge.verdict import diagnose_recording
from dualres.learn.evaluate import evaluate
from dualres.model.network import DualRes
from dualres.model_file.card import Card
from dualres.recordings.recording import Recording

CLASSES = ("good", "worn")


@pytest.fixture
def recordings():
    rng = np.random.default_rng(0)
    return [
        Recording.from_array(rng.standard_normal(4000), 2000, id=name, label=label)
        for name, label in (("g3", "good"), ("w3", "worn"), ("w4", "worn"))
    ]


def test_every_recording_is_scored_by_the_mean_of_its_windows_as_its_verdict_is(recordings, small):
    model = Model((DualRes(2, small, seed=0).eval(),), Card(CLASSES, small, Recipe(), 0, POLYPHASE, {}))
    told = []
    result = evaluate(model, recordings, limit=4, progress=lambda *x: told.append(x))
    assert (result.classes, result.recordings) == (CLASSES, ("g3", "w3", "w4"))
    assert (result.truth, result.windows) == ((0, 1, 1), (4, 4, 4))
    for recording, scores in zip(recordings, result.scores, strict=True):
        verdict = diagnose_recording(model, recording, 4)
        assert scores == tuple(verdict.probabilities.values())
    assert result.confusion.sum(1).tolist() == [1, 2]
    assert told == [("Judge unseen recordings", i, 3, "") for i in (1, 2, 3)]


def test_a_label_that_is_no_class_is_refused(recordings, small):
    model = Model((DualRes(2, small, seed=0).eval(),), Card(("good", "new"), small, Recipe(), 0, POLYPHASE, {}))
    with pytest.raises(ConfigError, match="w3: label 'worn' is not among the classes good, new"):
        evaluate(model, recordings)
