"""Impacts that repeat show where they repeat, in the bands that ring, and move with speed."""

import numpy as np
import pytest
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.scan import Coefficients, scan_ref
from dualres.model.views.modulation import (
    MARGIN,
    at_other_speed,
    fluctuation,
    frame_rate,
    modulation,
    oscillators,
    swing,
    swing_ref,
    wide_modulation,
)

CONFIG = ModelConfig()
CENTRES = np.geomspace(*VIEW_SIZES.range_hz, 2 * VIEW_SIZES.oscillators + 1)[1::2]  # Hz


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
    step = (VIEW_SIZES.range_hz[1] / VIEW_SIZES.range_hz[0]) ** (1 / VIEW_SIZES.oscillators)
    slow, fast = (wide_modulation(impacts(hz, 3500.0), CONFIG) for hz in (60.0, 60.0 * step**6))
    moved, there = at_other_speed(slow, 6)[0, 2], at_other_speed(fast, 0)[0, 2]
    apart = [float((at_other_speed(slow, shift)[0, 2] - there).square().mean()) for shift in range(-9, 10)]
    assert np.argmin(apart) - 9 == 6
    assert np.corrcoef(moved, there)[0, 1] > 0.9


def test_no_shift_is_the_view_itself():
    wide = wide_modulation(impacts(60.0, 3500.0), CONFIG)
    assert wide.shape[-1] == VIEW_SIZES.oscillators + 2 * MARGIN
    assert torch.equal(at_other_speed(wide, 0), modulation(impacts(60.0, 3500.0), CONFIG))


def test_bands_above_what_the_sensor_recorded_stay_silent():
    t = np.arange(CONFIG.window) / CONFIG.rate
    hum = np.sin(2 * np.pi * 1000 * t) * (1 + 0.5 * np.sin(2 * np.pi * 30 * t))
    found = modulation(torch.from_numpy(hum.astype(np.float32))[None], CONFIG)[0]
    assert found[1].max() > 2.0
    assert found[-1].max() < 0.1


def test_it_is_the_paper_s_recurrence_read_out_by_its_energy():
    driven, rate = fluctuation(impacts(60.0, 3500.0), CONFIG).double(), frame_rate(CONFIG)
    alpha, theta = oscillators(rate, 0)
    u = driven.mT / (1 - alpha[0])  # the paper's memory divides what it takes in by how long it remembers
    delta, one = torch.full_like(u, -float(alpha[0].log())), torch.ones(1, u.shape[1], 1, dtype=torch.complex128)
    swings = []
    for turn in theta[::12]:
        parts = [scan_ref(Coefficients(delta, u, one, read), -turn[None])[0] for read in (one, 1j * one)]
        swings.append((parts[0].square() + parts[1].square()).mean(1).sqrt())
    expected = torch.log1p(torch.stack(swings, -1))
    found = modulation(impacts(60.0, 3500.0).double(), CONFIG)[..., ::12]
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6)


def test_when_the_impacts_began_makes_no_difference():
    signal = impacts(60.0, 3500.0, noise=0.0)
    later = torch.roll(signal, 377, dims=-1)
    found = modulation(torch.cat([signal, later]), CONFIG)[:, 2]
    assert (found[0] - found[1]).abs().max() < 0.15 * found.max()


def test_oscillators_faster_than_frames_can_tell_are_still():
    wide = wide_modulation(impacts(60.0, 3500.0), CONFIG)
    too_fast = oscillators(frame_rate(CONFIG), MARGIN)[1] >= torch.pi
    assert 0 < too_fast.sum() < MARGIN
    assert (wide[..., too_fast] == 0).all()
    assert (wide[..., ~too_fast] > 0).all()


@pytest.mark.parametrize("margin", [0, MARGIN])
def test_without_a_loop_it_is_the_same(margin):
    noise = torch.from_numpy(np.random.default_rng(1).standard_normal((3, CONFIG.window)).astype(np.float32))
    windows = torch.cat([impacts(60.0, 3500.0), impacts(310.0, 900.0, noise=0.0), noise])
    driven, rate = fluctuation(windows, CONFIG), frame_rate(CONFIG)
    torch.testing.assert_close(swing(driven, rate, margin), swing_ref(driven, rate, margin), rtol=1e-4, atol=1e-4)
    exact = driven.double()
    torch.testing.assert_close(swing(exact, rate, margin), swing_ref(exact, rate, margin), rtol=1e-9, atol=1e-9)


def test_what_does_not_fluctuate_swings_nothing():
    assert swing(torch.zeros(1, 5, 509), 1000.0, 0).max() == 0
