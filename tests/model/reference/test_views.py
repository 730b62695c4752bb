"""The network of views by NumPy, held to PyTorch and to the compiled kernel."""

import numpy as np
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.views import views_of
from dualres.model.reference import views
from tests.model.made_views import machine_windows, made_views

NETWORK = made_views().double()
WEIGHTS = weights_of(NETWORK)
WINDOWS = machine_windows(1, seed=5)


def test_what_the_heads_see_is_what_pytorch_s_see():
    with torch.inference_mode():
        expected = NETWORK.views(torch.from_numpy(WINDOWS.astype(np.float64)))
    found = views.views(WEIGHTS.config, WINDOWS)
    assert list(found) == list(VIEW_SIZES.features(WEIGHTS.config))
    for view, other in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(view, other.numpy(), atol=1e-9)


def test_log_probabilities_are_pytorch_s():
    with torch.inference_mode():
        expected = NETWORK(torch.from_numpy(WINDOWS.astype(np.float64))).numpy()
    found = views.log_probabilities(WEIGHTS, WINDOWS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose(np.exp(found).sum(1), 1)


def test_without_the_kernel_views_are_these(monkeypatch):
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    for name, view in views_of(WEIGHTS, WINDOWS).items():
        assert view.dtype == np.float32
        np.testing.assert_array_equal(view, views.views(WEIGHTS.config, WINDOWS)[name].astype(np.float32))


def test_oscillators_that_frames_cannot_follow_are_silent():
    slow = ModelConfig(rate=16_000, frequency_hz=(5.0, 50.0))
    found = views.modulation(WINDOWS[:1].astype(np.float64), slow).reshape(VIEW_SIZES.bands, -1)
    fast = np.array(VIEW_SIZES.oscillator_hz()) > slow.token_rate
    assert fast.any()
    assert not found[:, fast].any()
    assert found[:, ~fast].all()


def test_no_window_no_probabilities():
    assert views.log_probabilities(WEIGHTS, WINDOWS[:0]).shape == (0, 4)
