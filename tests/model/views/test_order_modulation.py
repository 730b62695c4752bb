"""Impacts of a shaft show at the same orders at every speed, and a silent band shows nothing."""

import numpy as np
import pytest
import torch

from dualres.config import ORDER_SIZES, ModelConfig
from dualres.model.views.order_modulation import bank, heard, order_modulation, passed, swing, swing_ref
from tests.model.views.test_modulation import impacts

CONFIG = ModelConfig()
ORDERS = np.array(ORDER_SIZES.axis(ORDER_SIZES.oscillators))
RINGING = 2  # the band of 2 to 5 kHz


def at_orders(signal, hz):
    turning = torch.tensor([hz], dtype=torch.float64)
    return order_modulation(bank(signal, CONFIG), turning).reshape(5, -1).numpy()


def test_the_sum_over_a_spectrum_is_the_recurrence_and_what_swings_on_after_it():
    rng = np.random.default_rng(0)
    driven = torch.from_numpy(rng.standard_normal((2, 5, 77)))
    torch.testing.assert_close(swing(driven, 1000.0), swing_ref(driven, 1000.0), rtol=1e-9, atol=1e-9)


def test_gradients_of_both_ways_agree():
    driven = torch.from_numpy(np.random.default_rng(1).standard_normal((1, 1, 40))).requires_grad_()
    (fast,) = torch.autograd.grad(swing(driven, 1000.0).square().sum(), driven)
    (slow,) = torch.autograd.grad(swing_ref(driven, 1000.0).square().sum(), driven)
    torch.testing.assert_close(fast, slow, rtol=1e-8, atol=1e-8)


def test_what_is_passed_is_the_transform_of_how_an_oscillator_remembers():
    found = passed(9, 1000.0)
    assert found.shape == (17, ORDER_SIZES.bank)
    theta = 2 * np.pi * ORDER_SIZES.oscillator_hz[100] / 1000
    alpha = np.exp(-theta / (2 * ORDER_SIZES.quality))
    lags = np.arange(1, 9)
    told = [1 + 2 * np.sum(np.cos(np.pi * k / 16 * lags) * alpha**lags * np.cos(theta * lags)) for k in range(17)]
    both = np.where(np.isin(np.arange(17), (0, 16)), 1, 2)
    np.testing.assert_allclose(found[:, 100], both * told / (1 - alpha**2) / 32, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("hz", [14.0, 25.0, 40.0])
def test_a_fault_of_order_3_6_shows_there_at_every_speed(hz):
    found = at_orders(impacts(3.6 * hz, 3500.0), hz)[RINGING]
    low = ORDERS < 5
    assert abs(ORDERS[low][found[low].argmax()] / 3.6 - 1) < 0.06


def test_orders_stay_where_they_are_when_the_speed_changes():
    slow, fast = (at_orders(impacts(3.6 * hz, 3500.0), hz)[RINGING] for hz in (20.0, 34.0))
    as_if_equal = at_orders(impacts(3.6 * 34.0, 3500.0), 20.0)[RINGING]
    assert np.corrcoef(slow, fast)[0, 1] > 0.9
    assert np.abs(slow - fast).mean() < 0.5 * np.abs(slow - as_if_equal).mean()


def test_a_band_beyond_what_the_sensor_recorded_is_next_to_silent():
    spectrum = np.fft.rfft(np.random.default_rng(2).standard_normal(CONFIG.window))
    spectrum[5500 * CONFIG.window // CONFIG.rate :] *= 1e-4
    found = heard(torch.from_numpy(np.fft.irfft(spectrum))[None], CONFIG)[0].std(-1)
    assert found[4] < 1e-3 * found[RINGING]


def test_an_order_that_frames_are_too_slow_for_is_silent():
    found = at_orders(impacts(61.0, 3500.0), 100.0)
    assert not found[:, ORDER_SIZES.oscillator_hz[-1] < ORDERS * 100].any()
    assert found[:, ORDERS * 100 < 450].all()
