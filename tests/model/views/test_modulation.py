"""Impacts that repeat show where they repeat, in the bands that ring, and move with speed."""

import numpy as np
import pytest
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.views.modulation import MARGIN, at_other_speed, bin_overlaps, modulation, padded, wide_modulation

CONFIG = ModelConfig()
CENTRES = np.geomspace(*VIEW_SIZES.range_hz, 2 * VIEW_SIZES.bins + 1)[1::2]  # Hz


def impacts(rate_hz, ring_hz, noise=0.02):
    """A damped tone that is struck `rate_hz` times a second."""
    t = np.arange(CONFIG.window) / CONFIG.rate
    since = t % (1 / rate_hz)
    signal = np.exp(-since / 0.001) * np.sin(2 * np.pi * ring_hz * since)
    signal = signal + noise * np.random.default_rng(0).standard_normal(len(t))
    return torch.from_numpy(signal.astype(np.float32))[None]


@pytest.mark.parametrize("rate_hz", [23.0, 61.0, 140.0, 310.0])
def test_a_line_stands_where_impacts_repeat(rate_hz):
    band = 2  # 2 to 5 kHz
    found = modulation(impacts(rate_hz, 3500.0), CONFIG)[0, band].numpy()
    below = 1.5 * rate_hz > CENTRES  # harmonics of sharp impacts may be as strong
    assert abs(CENTRES[below][found[below].argmax()] / rate_hz - 1) < 0.08


def test_only_the_band_that_rings_shows_it():
    found = modulation(impacts(61.0, 8000.0, noise=0.3), CONFIG)[0].numpy()
    at = np.abs(CENTRES - 61.0).argmin()
    assert found[:, at].argmax() == 3, "5 to 12.75 kHz"


def test_another_speed_slides_the_axis():
    step = (VIEW_SIZES.range_hz[1] / VIEW_SIZES.range_hz[0]) ** (1 / VIEW_SIZES.bins)
    slow, fast = (wide_modulation(impacts(hz, 3500.0), CONFIG) for hz in (60.0, 60.0 * step**6))
    moved, there = at_other_speed(slow, 6)[0, 2], at_other_speed(fast, 0)[0, 2]
    apart = [float((at_other_speed(slow, shift)[0, 2] - there).square().mean()) for shift in range(-9, 10)]
    assert np.argmin(apart) - 9 == 6
    assert np.corrcoef(moved, there)[0, 1] > 0.9


def test_no_shift_is_the_view_itself():
    wide = wide_modulation(impacts(60.0, 3500.0), CONFIG)
    assert wide.shape[-1] == VIEW_SIZES.bins + 2 * MARGIN
    assert torch.equal(at_other_speed(wide, 0), modulation(impacts(60.0, 3500.0), CONFIG))


def test_bands_above_what_the_sensor_recorded_stay_silent():
    t = np.arange(CONFIG.window) / CONFIG.rate
    hum = np.sin(2 * np.pi * 1000 * t) * (1 + 0.5 * np.sin(2 * np.pi * 30 * t))
    found = modulation(torch.from_numpy(hum.astype(np.float32))[None], CONFIG)[0]
    assert found[1].max() > 2.0
    assert found[-1].max() < 0.1


def test_every_sample_of_the_spectrum_counts_once_and_a_bin_is_a_mean():
    overlaps = bin_overlaps(509, 1000.0).numpy()
    assert overlaps.shape == (padded(509) // 2 + 1, VIEW_SIZES.bins + 2 * MARGIN)
    within = overlaps.sum(0)[: -3 * MARGIN]  # the last ones are above half the frame rate
    np.testing.assert_allclose(within, 1.0)
    assert padded(509) == 1024
