"""Weak impacts show in the envelope of the whitened window, whatever is louder beside them."""

import numpy as np
import pytest
import torch

from dualres.config import ORDER_SIZES, ModelConfig
from dualres.model.views.envelope import envelope, envelope_samples, envelope_spectrum, line_hz, order_envelope
from tests.model.views.test_modulation import impacts

CONFIG = ModelConfig()
TIME = np.arange(CONFIG.window) / CONFIG.rate


def tone(hz, size):
    return torch.from_numpy((size * np.sin(2 * np.pi * hz * TIME)).astype(np.float32))[None]


def strongest_hz(signal, low=8.0):
    found = envelope_spectrum(signal, CONFIG)[0].numpy()
    hz = line_hz(CONFIG) * np.arange(len(found))
    found[hz < low] = 0
    return hz[found.argmax()]


def test_its_sizes_are_those_that_are_stated():
    signal = impacts(61.0, 3500.0)
    assert envelope(signal, CONFIG).shape == (1, envelope_samples(CONFIG)) == (1, 1984)
    assert envelope_spectrum(signal, CONFIG).shape == (1, 1024)
    assert line_hz(CONFIG) == 4000 / 2048


@pytest.mark.parametrize("rate_hz", [23.0, 61.0, 140.0])
def test_the_strongest_line_is_where_impacts_repeat(rate_hz):
    assert abs(strongest_hz(impacts(rate_hz, 3500.0)) - rate_hz) < 2


def test_a_loud_tone_beside_them_changes_little():
    alone = impacts(61.0, 3500.0)
    assert abs(strongest_hz(alone + tone(1100.0, 20 * float(alone.std()))) - 61.0) < 2


def test_its_mean_is_about_that_of_noise_and_level_does_not_matter():
    noise = torch.from_numpy(np.random.default_rng(0).standard_normal((1, CONFIG.window)).astype(np.float32))
    torch.testing.assert_close(envelope(noise, CONFIG), envelope(1000 * noise + 5, CONFIG), rtol=1e-3, atol=1e-4)


def test_silence_stays_silent():
    assert not envelope_spectrum(torch.full((1, CONFIG.window), 0.7), CONFIG).any()


@pytest.mark.parametrize("hz", [18.0, 31.0])
def test_a_fault_of_order_5_4_shows_there_at_every_speed(hz):
    lines = envelope_spectrum(impacts(5.4 * hz, 3500.0), CONFIG)
    found = order_envelope(lines, torch.tensor([hz], dtype=torch.float64), line_hz(CONFIG))[0].numpy()
    orders = np.array(ORDER_SIZES.axis(ORDER_SIZES.lines))
    below = orders < 8
    assert abs(orders[below][found[below].argmax()] / 5.4 - 1) < 0.06
