"""Held to the values that were worked out independently, to PyTorch and to the compiled kernel."""

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import scorer, weights_of
from dualres.model.network import DualRes
from dualres.model.reference import memory, network, spectra
from tests.model.golden import golden_network, golden_window
from tests.model.made_views import machine_windows

WINDOWS = machine_windows(1, 3, seed=4) + np.float32(2)


def near(values, expected):
    np.testing.assert_allclose(np.ravel(values), expected, rtol=0, atol=1e-5)


def by_torch(network, windows) -> np.ndarray:
    with torch.inference_mode():
        return network.double()(torch.from_numpy(windows.astype(np.float64))).numpy()


def test_golden_values_stage_by_stage():
    weights, window = weights_of(golden_network()), golden_window().numpy()
    short, long = spectra.aligned_spectra(window, weights.config)
    near(short[0, 0, :3], [0.426482, 1.467798, 2.963068])
    near(long[0, 248, 510:], [0.740777, 0.599916, 0.670076])
    given = memory.coefficients(weights, network.normed(weights, network.features(weights, short, long)))
    near(given.delta[0, 100, :3], [0.0313898, 0.1640403, 0.1471061])
    near(memory.readout(given, weights.theta())[0, 248, :3], [0.0271923, -0.1368057, 0.0587704])


def test_golden_logits_by_every_way_without_pytorch(kernel):
    logits = scorer(weights_of(golden_network()))(golden_window().numpy())
    near(logits, [-0.06014, -0.22594, 0.07864, 0.18797, -0.02036, -0.01365, -0.00669, 0.08657])


@pytest.mark.parametrize(
    "settings", [{}, {"branches": "short"}, {"branches": "long"}, {"rotation": False}, {"memory": False}], ids=str
)
def test_it_is_pytorch_s_network(settings):
    exact = DualRes(3, ModelConfig(**settings), seed=3).eval()
    with torch.no_grad():
        for parameter in exact.parameters():
            parameter.mul_(1.5)
    np.testing.assert_allclose(network.logits(weights_of(exact), WINDOWS), by_torch(exact, WINDOWS), atol=1e-6)


def test_of_other_sizes(small):
    windows = np.random.default_rng(0).standard_normal((40, small.window)).astype(np.float32)
    exact = DualRes(3, small, seed=0).eval()
    np.testing.assert_allclose(network.logits(weights_of(exact), windows), by_torch(exact, windows), atol=1e-6)


def test_a_window_is_judged_alike_alone_and_among_others(small):
    windows = np.random.default_rng(0).standard_normal((21, small.window)).astype(np.float32)
    weights = weights_of(DualRes(3, small, seed=0))
    together = network.logits(weights, windows).astype(np.float32)
    alone = np.concatenate([network.logits(weights, window[None]) for window in windows]).astype(np.float32)
    np.testing.assert_array_equal(together, alone)


def test_silence_and_what_is_not_finite():
    weights = weights_of(DualRes(2, seed=0))
    flat, broken = np.full((1, 32_768), 5, np.float32), np.full((1, 32_768), np.nan, np.float32)
    assert np.isfinite(network.logits(weights, flat)).all()
    assert np.isnan(network.logits(weights, broken)).all()
    assert network.logits(weights, flat[:0]).shape == (0, 2)


def test_sizes_that_take_too_much_memory_are_refused():
    config = ModelConfig(window=2**20, hop=1, short=1024, long=1024)
    arrays = dict(weights_of(DualRes(2, seed=0)).arrays)
    with pytest.raises(ConfigError, match="too much memory"):
        network.logits(type(weights_of(DualRes(2, seed=0)))(config, arrays), np.zeros((1, 2**20), np.float32))
