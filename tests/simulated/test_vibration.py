"""What simulated machines are made of."""

import numpy as np
import pytest

from dualres.simulated.vibration import amplified, every_turn, generator, impulses, pink, ring, slipping, tooth_window

RATE = 12_800
SHAFT = 2 * np.pi * 25 * np.arange(2 * RATE) / RATE  # 25 revolutions per second, for 2 s


def test_a_generator_depends_on_what_it_is_for():
    assert generator(1, "a", "b").random() == generator(1, "a", "b").random()
    assert len({generator(seed, name).random() for seed in (1, 2) for name in ("a", "b")}) == 4


def test_a_mode_passes_its_own_frequency_and_little_else_at_any_rate():
    for rate in (12_000, 51_200):
        t = np.arange(rate) / rate
        own, other = (ring(np.sin(2 * np.pi * hz * t), 900, 0.02, rate)[rate // 2 :] for hz in (900, 2700))
        assert np.abs(own).max() == pytest.approx(1, rel=0.1)
        assert np.abs(other).max() < 0.05


def test_rolling_elements_slip_and_keep_their_rate_in_the_mean():
    angles = slipping(3.6, SHAFT[-1], generator(0))
    spacing = np.diff(angles) / (2 * np.pi)
    assert spacing.mean() == pytest.approx(1 / 3.6, rel=0.005)
    assert 0.01 < spacing.std() / spacing.mean() < 0.02
    assert angles[-1] < SHAFT[-1] < angles[-1] + 2 * 2 * np.pi / 3.6


def test_impulses_come_when_the_shaft_is_there_and_keep_their_strength():
    angles = every_turn(np.array([0.25]), SHAFT[-1])
    train = impulses(SHAFT, angles, np.full(len(angles), 3.0))
    assert len(angles) == 50
    assert train.sum() == pytest.approx(150)
    turned = SHAFT[train > 0.01] / (2 * np.pi) % 1
    assert np.abs(turned - 0.25).max() < 25 / RATE + 1e-9


def test_a_tooth_meshes_once_per_turn():
    near = tooth_window(SHAFT, 32, 8, width=0.5)
    assert near[np.argmin(np.abs(SHAFT - np.pi / 2))] == pytest.approx(1, abs=0.01)
    assert near[np.argmin(np.abs(SHAFT - 3 * np.pi / 2))] < 1e-6
    assert np.count_nonzero(np.diff((near > 0.5).astype(int)) == 1) == 50


def test_pink_noise_has_the_same_power_in_every_octave():
    power = np.abs(np.fft.rfft(pink(1 << 17, generator(0)))) ** 2
    octaves = [power[1 << k : 1 << k + 1].sum() for k in range(8, 16)]
    assert max(octaves) < 1.3 * min(octaves)


def test_an_amplifier_forgets_the_level():
    signal = generator(0).standard_normal(1000)
    assert amplified(signal, generator(1)) == pytest.approx(amplified(100 * signal, generator(1)), rel=1e-4)
