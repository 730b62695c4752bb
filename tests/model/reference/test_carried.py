from dataclasses import replace

import numpy as np
import pytest

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.judge.backends import weights_of
from dualres.model.network import DualRes
from dualres.model.reference.carried import carried_logits, empty_memory
from dualres.model.reference.memory import affine, coefficients, read, walk
from dualres.model.reference.network import features, gated, logits, normed
from dualres.model.reference.spectra import aligned_spectra

CONFIG = ModelConfig(window=4096)  # 25 tokens, of which 16 lie in half a window


@pytest.fixture(scope="module")
def weights():
    """A memory that lasts for longer than a window, damped by what it hears."""
    found = weights_of(DualRes(3, CONFIG, seed=5).eval())
    found.arrays["encoder.memory.damping.weight"][:] = 0.1 * np.random.default_rng(5).standard_normal((64, 64))
    found.arrays["encoder.memory.log_rate"][:] = np.log(np.log(2) / 0.2)  # a half-life of 0.2 s
    found.arrays["encoder.memory.write_in.weight"] *= 100  # it is heard, although what lasts is written softly
    return found


def noise(samples, seed=0):
    return np.random.default_rng(seed).standard_normal(samples).astype(np.float32)


def test_from_an_empty_memory_a_window_is_the_paper_s(weights):
    window = noise(CONFIG.window) + 3
    found, _ = carried_logits(weights, window, empty_memory(CONFIG))
    np.testing.assert_allclose(found, logits(weights, window[None])[0], rtol=0, atol=1e-12)


def test_windows_that_carry_it_on_are_one_long_pass(weights):
    """Where all windows have one mean and one RMS, because the signal repeats, so that nothing else differs."""
    signal = np.tile(noise(CONFIG.window // 2), 4)
    long = replace(CONFIG, window=len(signal))
    e = features(weights, *aligned_spectra(signal[None].astype(np.float64), long))
    given = coefficients(weights, normed(weights, e))
    states = list(walk(given, weights.theta()))
    tokens = e + gated(weights, read(given, states))
    state = empty_memory(CONFIG)
    for i in range(3):
        window = signal[i * CONFIG.window // 2 :][: CONFIG.window]
        found, state = carried_logits(weights, window, state)
        pooled = tokens[:, 16 * i :][:, : CONFIG.tokens].mean(1)
        np.testing.assert_allclose(found, affine(weights, "head", pooled[:, None])[0, 0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(state, states[16 * i + 15][0], rtol=0, atol=1e-9)
    alone = logits(weights, window[None])[0]
    assert np.abs(found - alone).max() > 1e-4  # what came before is heard


def test_loudness_does_not_count_as_in_the_paper(weights):
    window, before = noise(CONFIG.window), carried_logits(weights, noise(CONFIG.window, 1), empty_memory(CONFIG))[1]
    louder = carried_logits(weights, 1000 * window + 7, before)[0]
    np.testing.assert_allclose(louder, carried_logits(weights, window, before)[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ModelConfig(memory=False), "memory silenced"),
        (ModelConfig(window=4224), "no whole number of tokens"),
        (ModelConfig(window=1024), "more than its tokens reach"),
    ],
)
def test_a_memory_that_cannot_go_on_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        empty_memory(config)
