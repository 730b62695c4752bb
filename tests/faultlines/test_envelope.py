import numpy as np
import pytest
from scipy.signal import welch

from dualres.faultlines.envelope import (
    Band,
    averaged_spectrum,
    envelope_spectrum,
    impulsive_band,
    kurtogram,
    squared_envelope,
)
from dualres.simulated.vibration import ring

RATE = 24_000
T = np.arange(4 * RATE) / RATE


def test_the_kurtosis_of_noise_is_none_and_that_of_a_tone_is_below():
    noise = np.random.default_rng(0).standard_normal(len(T))
    assert all(abs(np.median(kurtosis)) < 0.1 for _, kurtosis, _ in kurtogram(noise, RATE))
    middles, kurtosis, _ = kurtogram(noise * 1e-3 + np.sin(2 * np.pi * 3000 * T), RATE)[2]
    assert kurtosis[np.abs(middles - 3000).argmin()] == pytest.approx(-1, abs=0.01)


def ringing(seed):
    blows = np.zeros(len(T))
    blows[:: RATE // 90] = 1
    rung = ring(blows, 5200, 0.03, RATE)
    return rung / rung.std() + np.random.default_rng(seed).standard_normal(len(T))


def test_the_band_is_where_impacts_ring():
    band = impulsive_band(ringing(1), RATE)
    assert band.low_hz < 5200 < band.high_hz
    assert band.kurtosis > 0.5


def test_one_hard_knock_does_not_decide():
    knock = np.zeros(len(T))
    knock[len(T) // 2] = 3000
    band = impulsive_band(ringing(2) + ring(knock, 9000, 0.03, RATE), RATE)
    assert band.low_hz < 5200 < band.high_hz


def test_a_band_is_as_wide_as_asked():
    noise = np.random.default_rng(3).standard_normal(len(T))
    band = impulsive_band(noise, RATE, 1500.0)
    assert band.high_hz - band.low_hz >= 1500 - 250  # the lowest may be cut off where lines of the shaft lie


def test_the_envelope_of_a_modulated_tone():
    signal = (1 + 0.5 * np.cos(2 * np.pi * 37 * T)) * np.sin(2 * np.pi * 4000 * T)
    squared, rate = squared_envelope(signal, RATE, Band(3500, 4500, 0))
    assert rate == pytest.approx(2000, rel=0.01)
    spectrum = envelope_spectrum(signal, RATE, Band(3500, 4500, 0), shaft_hz=20)
    assert spectrum.hz[3 + spectrum.power[3:].argmax()] == pytest.approx(37, abs=spectrum.step_hz)
    assert len(squared) / rate == pytest.approx(4, rel=1e-6)


def test_power_is_a_density():
    noise = np.random.default_rng(4).standard_normal(len(T))
    spectrum = averaged_spectrum(noise, RATE, 0.5)
    assert 2 * spectrum.power.sum() * spectrum.step_hz == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("seconds", [0.5, 0.1])
def test_the_averaged_spectrum_is_welch_s(seconds):
    noise = np.random.default_rng(0).standard_normal(8000)
    found, length = averaged_spectrum(noise, 16_000.0, seconds), round(16_000 * seconds)
    hz, power = welch(noise - noise.mean(), 16_000.0, "hann", length, scaling="density")
    np.testing.assert_allclose(found.hz, hz)
    np.testing.assert_allclose(2 * found.power[1:-1], power[1:-1], rtol=1e-9)


def test_a_frame_longer_than_any_signal_is_the_signal() -> None:
    signal = np.random.default_rng(0).standard_normal(4000)
    for frame_s in (10.0, 1e300, float("inf")):
        assert averaged_spectrum(signal, 4000.0, frame_s).step_hz == 1.0
