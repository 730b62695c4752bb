import numpy as np
import pytest

from dualres.advise.features import WINDOWS, looks_of
from dualres.config import ModelConfig
from dualres.learn.closed_form import fit_views
from dualres.recordings.windows import at_rate, cut, spread
from tests.advise.made import made


@pytest.fixture(scope="module")
def recordings():
    return [made(label, seed) for label in ("good", "worn") for seed in range(3)]


@pytest.fixture(scope="module")
def looks(recordings):
    return looks_of(recordings)


def test_every_recording_has_as_many_windows(looks, recordings):
    assert len(looks) == len(recordings)
    assert len(looks.of(np.array([4, 1])).spectra) == 2 * WINDOWS
    np.testing.assert_array_equal(looks.of(np.array([1])).lines, looks.seen.lines[WINDOWS : 2 * WINDOWS])


def test_averages_are_of_each_recording(looks):
    (mean, within), (repeating, _) = looks.averages()
    np.testing.assert_allclose(mean[2], looks.of(np.array([2])).spectra.double().numpy().mean(0))
    assert within.shape == mean.shape[1:]
    assert len(repeating) == len(looks)


def test_probabilities_are_those_of_views_that_are_fitted(looks, recordings):
    learned, labels, judged = np.array([0, 1, 3, 4]), np.array([0, 0, 1, 1]), np.array([2, 5])
    found = looks.probabilities(learned, labels, 2, judged)
    config, windows = ModelConfig(), []
    for recording in recordings:
        signal = at_rate(recording, config.rate, config.window)
        starts = spread(len(signal), config.window, WINDOWS)
        windows.append(cut(signal, [starts[i % len(starts)] for i in range(WINDOWS)], config.window))
    network = fit_views(np.concatenate([windows[i] for i in learned]), np.repeat(labels, WINDOWS), 2)
    from dualres.judge.backends import scores

    expected = [np.asarray(scores(network, windows[i])).mean(0) for i in judged]
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert found.argmax(1).tolist() == [0, 1]
