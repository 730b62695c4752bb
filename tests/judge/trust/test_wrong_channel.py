"""A channel that is no vibration, judged by a model of one that is."""

from fractions import Fraction

import numpy as np
import pytest

from dualres.judge.verdict import diagnose_recording
from dualres.recordings.recording import Recording
from tests.learn.test_calibrate import fit_of_labelled, labelled
from tests.model.made_views import RATE, WINDOW


@pytest.fixture(scope="module", params=["orders", "views"])
def model(request):
    return fit_of_labelled(request.param).model


def tachometer(level: float) -> Recording:
    """A pulse for each revolution, a tenth of it long, with a little noise; its rms is `level`."""
    angle = 29.9 * np.arange(2 * WINDOW) / RATE % 1  # at 29.9 Hz
    pulses = (angle < 0.1) + 0.01 * np.random.default_rng(0).standard_normal(len(angle))
    return Recording("tacho", lambda: (level * pulses / pulses.std()).astype(np.float32), Fraction(RATE))


def test_a_tachometer_is_none_of_these_even_at_the_level_of_the_vibration(model):
    """It is far nearer to one class than to the other all the same; a network of views is sure of it."""
    for level in (5.0, float(labelled()[0].signal.std())):
        verdict = diagnose_recording(model, tachometer(level))
        answer = verdict.answer
        assert verdict.probability > (0.8 if model.card.method == "dualres/views" else 0.6)
        assert answer.kind == "none_of_these", answer
        assert answer.reason.startswith("its spectrum is")


def test_the_vibration_itself_is_named(model):
    kinds = [diagnose_recording(model, one).answer.kind for one in labelled(seed=1)]
    assert kinds.count("named") >= len(kinds) - 2
