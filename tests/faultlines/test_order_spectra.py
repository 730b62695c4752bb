import numpy as np
import pytest

from dualres.errors import RecordingError
from dualres.faultlines.order_spectra import LEAST_TURNS, bands_of, order_spectra, smooth_length

RATE, SECONDS = 8000, 6.0


def steady(hz):
    return lambda at, _: np.full(len(at), hz)


def modulated(order, shaft, seed=0):
    """Noise that comes and goes `order` times in each turn of a shaft at these angles, in turns."""
    noise = np.random.default_rng(seed).standard_normal(len(shaft))
    return noise * (1 + 0.8 * np.cos(2 * np.pi * order * shaft))


def turns(hz):
    return hz * np.arange(int(SECONDS * RATE)) / RATE


def strongest(spectra, row=0):
    power = spectra.envelopes[row].copy()
    power[: int(0.5 / spectra.step)] = 0
    return power.argmax() * spectra.step


def test_what_comes_and_goes_stands_at_its_order_in_every_band():
    signal = modulated(3.6, turns(25.0))
    spectra = order_spectra([[signal]], RATE, steady(25.0), seconds=SECONDS, highest=10.0)
    assert len(spectra.envelopes) == len(spectra.bands) > 3
    for row in range(len(spectra.bands)):
        assert strongest(spectra, row) == pytest.approx(3.6, abs=spectra.step)
    assert (spectra.turns, spectra.shaft_hz) == pytest.approx((150, 25))


def test_a_speed_that_rises_smears_no_line():
    t = np.arange(int(SECONDS * RATE)) / RATE
    signal = modulated(3.6, 20 * t + t**2)

    def rising(at, length):
        return 20 + 2 * (at + length / 2)

    at_speed = order_spectra([[signal]], RATE, rising, seconds=SECONDS, highest=10.0)
    assert strongest(at_speed) == pytest.approx(3.6, abs=at_speed.step)
    as_if_steady = order_spectra([[signal]], RATE, steady(26.0), seconds=SECONDS, highest=10.0)
    assert at_speed.envelopes[0].max() > 2 * as_if_steady.envelopes[0].max()


def test_blocks_and_axes_are_pooled():
    signal = modulated(3.6, turns(25.0))
    halves = [signal[: len(signal) // 2], signal[len(signal) // 2 :]]
    whole = order_spectra([halves, [signal]], RATE, steady(25.0), seconds=SECONDS, highest=10.0)
    assert len(whole.envelopes) == 2 * len(whole.bands)
    assert whole.signals.shape[0] == 2
    assert strongest(whole) == strongest(whole, len(whole.bands)) == pytest.approx(3.6, abs=whole.step)


def test_too_few_revolutions_are_refused():
    short = np.ones(int(RATE * (LEAST_TURNS - 1) / 25))
    with pytest.raises(RecordingError, match="revolutions"):
        order_spectra([[short]], RATE, steady(25.0), seconds=len(short) / RATE, highest=10.0)


def test_a_low_rate_leaves_no_band():
    with pytest.raises(RecordingError, match="no band"):
        order_spectra([[np.ones(4000)]], 400, steady(25.0), seconds=10.0, highest=10.0)


@pytest.mark.parametrize(("rate", "carried"), [(12_000, 300.0), (51_200, 100.0), (3000, 900.0)])
def test_bands_carry_what_they_must_and_reach_from_end_to_end(rate, carried):
    whole, *parts = bands_of(rate, carried)
    assert whole == (200.0, 0.47 * rate)
    assert all(high - low >= 2 * carried for low, high in parts)
    if parts:
        assert (parts[0][0], parts[-1][1]) == pytest.approx(whole)
    assert list(bands_of(1000, 300.0)) == []


@pytest.mark.parametrize(("least", "found"), [(1, 1), (7, 8), (100, 100), (997, 1000), (1025, 1080)])
def test_lengths_have_small_factors(least, found):
    assert smooth_length(least) == found
