"""MiniRocket's transform by the compiled library against its twin in NumPy: they are the same to the last bit."""

import numpy as np
import pytest
import torch

from dualres.bench.methods.rocket import CHOSEN, dilations, features_ref, response_ref
from dualres.kernel import compiled, rocket
from dualres.model.spectra import normalise
from tests.kernel.signals import WINDOW, odd_windows
from tests.threads import by_threads

pytestmark = pytest.mark.skipif(compiled.variant() is None, reason="the compiled library is not built")


def noise(windows, samples, seed=0):
    return np.random.default_rng(seed).standard_normal((windows, samples)).astype(np.float32)


def levels_for(counts, seed=1):
    return 3 * np.random.default_rng(seed).standard_normal(84 * int(np.sum(counts))).astype(np.float32)


def test_it_is_the_reference(variant):
    signals = normalise(torch.from_numpy(np.stack([*odd_windows(11)]))).numpy()
    levels = levels_for(dilations(WINDOW)[1])
    levels[::7] = 0.0  # what silence has, and what lies at a level is not above it
    got = rocket.features(signals, *dilations(WINDOW), levels)
    np.testing.assert_array_equal(got, features_ref(signals, levels))
    assert got.dtype == np.float32


@pytest.mark.parametrize("samples", [97, 129, 1000, 1024, 1031, 2048, 5001])
def test_windows_of_any_length(variant, samples):
    signals = noise(2, samples)
    levels = levels_for(dilations(samples)[1])
    got = rocket.features(signals, *dilations(samples), levels)
    np.testing.assert_array_equal(got, features_ref(signals, levels))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 11])
@pytest.mark.parametrize("dilation", [1, 13, 127])
def test_any_number_of_levels(variant, count, dilation, monkeypatch):
    chosen = np.array([dilation], np.int32), np.array([count], np.int32)
    signals, levels = noise(1, 1100), levels_for(chosen[1])
    monkeypatch.setattr("dualres.bench.methods.rocket.dilations", lambda window: chosen)
    np.testing.assert_array_equal(rocket.features(signals, *chosen, levels), features_ref(signals, levels))


@pytest.mark.parametrize("dilation", [1, 5, 73, 1070, 4095])
def test_a_response_is_the_reference(variant, dilation):
    (signal,) = noise(1, WINDOW)
    for taps in CHOSEN[::9]:
        np.testing.assert_array_equal(rocket.response(signal, dilation, taps), response_ref(signal, dilation, taps))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1234, -1])
def test_a_window_that_is_not_finite_has_no_features(variant, wrong, place):
    signals = noise(3, 2050)
    signals[1, place] = wrong
    levels = levels_for(dilations(2050)[1])
    got = rocket.features(signals, *dilations(2050), levels)
    assert np.isnan(got).all(1).tolist() == [False, True, False]
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(got, features_ref(signals, levels))


def test_the_number_of_threads_does_not_change_a_bit():
    signals, levels = noise(3, 2048), levels_for(dilations(2048)[1])
    np.testing.assert_array_equal(*by_threads((1, 3), lambda: rocket.features(signals, *dilations(2048), levels)))


def test_no_windows_have_no_features():
    assert rocket.features(noise(0, 2048), *dilations(2048), levels_for(dilations(2048)[1])).shape == (0, 9_996)


def test_what_the_library_would_misread_is_refused():
    signals, (distinct, counts) = noise(2, 2048), dilations(2048)
    levels = levels_for(counts)
    for wrong, reason in [
        ((signals.astype(np.float64), distinct, counts, levels), "signals is float64"),
        ((signals[:, ::2], distinct, counts, levels), r"signals is float32 with strides \(8192, 8\)"),
        ((signals, distinct, counts, levels[1:]), r"levels is \(9995,\), not \(9996,\)"),
        ((signals, distinct, counts, levels[::-1]), r"levels is float32 with strides \(-4,\)"),
        ((signals, distinct[1:], counts, levels), "levels a kernel"),
        ((signals, distinct, counts * 0, levels[:0]), "levels a kernel"),
        ((signals, distinct - 1, counts, levels), "dilations from 0 to 254 do not fit 2048 samples"),
        ((signals, distinct + 1, counts, levels), "dilations from 2 to 256 do not fit 2048 samples"),
    ]:
        with pytest.raises(ValueError, match=reason):
            rocket.features(*wrong)
    for dilation, taps in [(0, (0, 1, 2)), (1, (0, 1, 9)), (1, (-1, 1, 2))]:
        with pytest.raises(ValueError, match="there are 9 taps, at least a sample apart"):
            rocket.response(signals[0], dilation, taps)
    with pytest.raises(ValueError, match="signal is float64"):
        rocket.response(signals[0].astype(np.float64), 1, (0, 1, 2))


def test_it_can_be_switched_off(monkeypatch):
    assert rocket.available()
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert not rocket.available()
