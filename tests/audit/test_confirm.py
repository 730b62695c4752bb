"""A suspicion is confirmed for what was copied, and dropped for what is merely alike."""

import numpy as np
import pytest

from dualres.audit.confirm import confirm

RATE = 12_800


def noise(seed, seconds=3):
    return np.random.default_rng(seed).standard_normal(int(seconds * RATE)).astype(np.float32)


def with_noise(signal, decibels):
    return signal + noise(9, len(signal) / RATE) * np.float32(10 ** (-decibels / 20))


@pytest.mark.parametrize("decibels", [20, 10, 3])
def test_noise_of_its_own(decibels):
    match = confirm(noise(0), RATE, with_noise(noise(0), decibels), RATE, lag_s=0.0)
    assert match.lag_s == pytest.approx(0, abs=2e-4)
    assert match.overlap_s > 2


def test_too_much_of_it():
    assert confirm(noise(0), RATE, with_noise(noise(0), -6), RATE, lag_s=0.0) is None


def test_half_a_second_among_others():
    other = noise(1)
    other[16_000 : 16_000 + RATE // 2] = noise(0)[20_000 : 20_000 + RATE // 2]
    match = confirm(noise(0), RATE, other, RATE, lag_s=4_000 / RATE)
    assert match.overlap_s == 0.5
    assert confirm(noise(0), RATE, other, RATE, lag_s=5_000 / RATE) is None
    other[16_000 + RATE // 4 : 16_000 + RATE // 2] = 0
    assert confirm(noise(0), RATE, other, RATE, lag_s=4_000 / RATE) is None, "a quarter of a second is not enough"


def test_what_returns_with_every_turn_is_no_copy():
    turn = noise(2, 0.04)
    first, second = (np.tile(turn, 75) + 0.3 * noise(seed) for seed in (3, 4))
    assert confirm(first, RATE, second, RATE, lag_s=0.0) is None
