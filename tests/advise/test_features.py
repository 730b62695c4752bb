from dataclasses import replace

import numpy as np
import pytest
import torch

from dualres.advise.features import WINDOWS, looks_of
from dualres.config import ModelConfig
from dualres.judge.backends import scores
from dualres.learn.closed_form import fit_orders
from dualres.model.views.order_modulation import order_modulation
from dualres.recordings.speed import Speed
from dualres.recordings.windows import at_rate, cut, spread
from tests.advise.made import made


@pytest.fixture(scope="module", params=["with speeds", "without"])
def recordings(request):
    found = [made(label, seed) for label in ("good", "worn") for seed in range(3)]
    if request.param == "without":
        return found
    return [replace(one, speed=Speed((20.0 + i,))) for i, one in enumerate(found)]


@pytest.fixture(scope="module")
def looks(recordings):
    return looks_of(recordings)


def test_every_recording_has_as_many_windows(looks, recordings):
    assert len(looks) == len(recordings)
    assert len(looks.of(np.array([4, 1])).spectra) == 2 * WINDOWS
    np.testing.assert_array_equal(looks.of(np.array([1])).lines, looks.seen.lines[WINDOWS : 2 * WINDOWS])


def test_averages_are_of_each_recording(looks):
    (mean, within), (repeating, _), (envelope, _) = looks.averages()
    np.testing.assert_allclose(mean[2], looks.of(np.array([2])).spectra.double().numpy().mean(0))
    assert within.shape == mean.shape[1:]
    assert len(repeating) == len(envelope) == len(looks)


def test_what_repeats_is_compared_by_orders_where_every_speed_is_known(looks, recordings):
    one = looks.of(np.array([4]))
    hz = one.hz if looks.by_order else torch.full((WINDOWS,), 25.0, dtype=torch.float64)
    assert looks.by_order == (recordings[0].speed is not None)
    expected = order_modulation(one.swings, hz).double().mean(0)
    np.testing.assert_allclose(looks.averages()[1][0][4], expected, rtol=1e-6)
    assert not looks_of([recordings[0], replace(recordings[1], speed=None)]).by_order, "all or none"


def test_probabilities_are_those_of_a_network_that_is_fitted(looks, recordings):
    learned, labels, judged = np.array([0, 1, 3, 4]), np.array([0, 0, 1, 1]), np.array([2, 5])
    found = looks.probabilities(learned, labels, 2, judged)
    config, windows = ModelConfig(), []
    for recording in recordings:
        signal = at_rate(recording, config.rate, config.window)
        starts = spread(len(signal), config.window, WINDOWS)
        windows.append(cut(signal, [starts[i % len(starts)] for i in range(WINDOWS)], config.window))
    turning = [np.full(WINDOWS, one.speed.mean_hz if one.speed else np.nan) for one in recordings]
    shown, hz = (np.concatenate([each[i] for i in learned]) for each in (windows, turning))
    network = fit_orders(shown, np.repeat(labels, WINDOWS), 2, hz=hz)
    expected = [np.asarray(scores(network, windows[i], turning[i])).mean(0) for i in judged]
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found.argmax(1).tolist() == [0, 1]
