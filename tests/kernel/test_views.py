"""The compiled network of views against the readable one: each view, and what the heads say."""

from pathlib import Path
from pickle import dumps, loads

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.kernel import compiled
from dualres.kernel.views import ViewsKernel, features, scratch_bytes, views_in
from tests.kernel.signals import WINDOW, odd_windows
from tests.model.made_views import machine_windows, made_views

KERNEL = Path(compiled.__file__).parent
VIEWS = ("spectra", "repetition", "lines")
TOLERANCE = 2e-5  # of features and, relative to the largest, of log-probabilities; float64 is the truth

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


@pytest.fixture(scope="module")
def network():
    return made_views()


@torch.inference_mode()
def exact(network, windows) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The views by name, and the log-probabilities, in double precision."""
    double = made_copy(network).double()
    views = double.views(torch.from_numpy(np.array(windows, dtype=np.float64)))
    named = dict(zip(double.heads, (view.numpy() for view in views), strict=True))
    return named, double.classify(*views).numpy()


def made_copy(network):
    return loads(dumps(network))


def assert_agrees(network, windows, tolerance=TOLERANCE) -> None:
    wanted, logits = exact(network, windows)
    seen = views_in(features(windows))
    for name in VIEWS:
        assert seen[name].shape == wanted[name].shape
        assert np.abs(seen[name] - wanted[name]).max() < tolerance, name
    assert_says(ViewsKernel(weights_of(network)).logits(windows), logits, tolerance)


def assert_says(said, logits, tolerance=TOLERANCE) -> None:
    assert (np.abs(said - logits).max(1) < tolerance * np.maximum(1, np.abs(logits).max(1))).all()
    assert (said.argmax(1) == logits.argmax(1)).all()


def test_agrees_on_windows_like_those_learned_from(variant, network):
    assert_agrees(network, machine_windows(2))
    assert_agrees(network, machine_windows(2, seed=1))


def test_agrees_on_odd_windows(variant, network):
    """By float32 a lone tone leaves a little in every band, whose fluctuation PyTorch does not know better."""
    assert_agrees(network, np.stack(list(odd_windows(55))), tolerance=2e-3)


def test_agrees_on_tones_between_and_on_bins(variant, network):
    t, rng = np.arange(WINDOW), np.random.default_rng(1)
    tones = [np.sin(2 * np.pi * hz * t / 64_000) for hz in (5, 17.3, 100, 999, 1001.5, 12_000)]
    assert_agrees(network, np.array([x + 0.1 * rng.standard_normal(WINDOW) for x in tones], dtype=np.float32))


@pytest.mark.parametrize("offset", [1e3, -3e5])
def test_agrees_on_a_large_offset(variant, network, offset):
    assert_agrees(network, machine_windows(1) + np.float32(offset))


@pytest.mark.parametrize("size", [1e-44, 1e-30, 1e30, 1e38])
def test_the_smallest_and_largest_floats(variant, network, size):
    noise = np.random.default_rng(2).uniform(-3, 3, (2, WINDOW))
    assert_agrees(network, (noise * size).astype(np.float32))


@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_a_constant_window_has_nothing_to_see(variant, network, value):
    windows = np.full((1, WINDOW), value, np.float32)
    assert (features(windows) == 0).all()
    assert_agrees(network, windows)


def test_leaves_other_frames_to_numpy(small, network, monkeypatch):
    assert ViewsKernel.serves(ModelConfig())
    assert scratch_bytes() > 23_000
    assert not ViewsKernel.serves(small)
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert not ViewsKernel.serves(ModelConfig())
    assert scratch_bytes() == 0
    with pytest.raises(ConfigError, match="compiled kernel"):
        features(np.zeros((1, WINDOW), np.float32))
