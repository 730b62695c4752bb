from functools import partial

import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.learn.trained.augment.paths import Paths, curves, draw_paths, filtered, gains
from dualres.model.spectra import magnitudes, normalise

PAPER = ModelConfig()


def some_paths(windows=3, sigma=1.0, waves=4, seed=0):
    return draw_paths(np.random.default_rng(seed), windows, sigma, waves)


def test_a_curve_is_a_sum_of_cosines():
    paths, f = some_paths(), np.linspace(0, 32_000, 7)
    for window, curve in enumerate(curves(paths, torch.from_numpy(f / 32_000))):
        terms = zip(paths.amplitudes[window], paths.phases[window], strict=True)
        expected = sum(a * np.cos(np.pi * j * f / 32_000 + phi) for j, (a, phi) in enumerate(terms, start=1))
        np.testing.assert_allclose(curve, expected, atol=1e-12)


@pytest.mark.parametrize("waves", [1, 4, 9])
def test_the_spread_is_that_of_sigma_whatever_the_number_of_waves(waves):
    curve = curves(some_paths(20_000, sigma=0.8, waves=waves), torch.tensor([0.0, 0.3, 1.0]).double())
    np.testing.assert_allclose(curve.std(0), 0.8 / np.sqrt(2), rtol=0.03)
    np.testing.assert_allclose(curve.mean(0), 0, atol=0.02)


def test_both_views_see_the_same_curve():
    paths = some_paths()
    short, long = gains(partial(curves, paths), PAPER.short_bins), gains(partial(curves, paths), PAPER.long_bins)
    assert (short.shape, long.shape, long.dtype) == ((3, 129), (3, 513), torch.float32)
    assert torch.equal(short, long[:, :: PAPER.long // PAPER.short])
    np.testing.assert_allclose(long[:, 256].log(), curves(paths, torch.tensor([0.5]).double())[:, 0], atol=1e-6)


def test_a_filter_multiplies_the_spectrum_and_delays_nothing():
    for samples in (256, 255):
        windows, paths = torch.randn(3, samples, dtype=torch.float64), some_paths()
        ratio = torch.fft.rfft(filtered(windows, partial(curves, paths))) / torch.fft.rfft(windows)
        frequencies = torch.arange(samples // 2 + 1).double() * 2 / samples
        # At zero and at half the sampling rate there is a real part only, which is what is left of the noise there.
        np.testing.assert_allclose(ratio.real, curves(paths, frequencies).exp(), rtol=1e-9)
        np.testing.assert_allclose(ratio.imag, 0, atol=1e-9)


def test_without_amplitude_nothing_changes():
    windows = torch.randn(2, 64)
    silent = partial(curves, Paths(np.zeros((2, 4)), np.ones((2, 4))))
    torch.testing.assert_close(filtered(windows, silent), windows)
    assert torch.equal(gains(silent, 9), torch.ones(2, 9))


@pytest.mark.parametrize(("length", "tolerance"), [(PAPER.short, 0.04), (PAPER.long, 0.012)])
def test_gained_magnitudes_are_those_of_the_filtered_signal(length, tolerance):
    """They are not quite: a path rings for some samples, and a frame misses what its ends cut off. The echo of the last
    wave is four samples late, so the error falls as four over the frame's length; it is stated in nats, RMS.
    """
    signal = normalise(torch.from_numpy(np.random.default_rng(1).standard_normal((6, 32_768))))
    paths = some_paths(6)
    heard = magnitudes(filtered(signal, partial(curves, paths)), length, PAPER.hop)
    gained = magnitudes(signal, length, PAPER.hop) * gains(partial(curves, paths), length // 2 + 1)[:, None]
    inner = slice(8, -8)  # frames; the filter joins the window's ends
    off = heard.log1p()[:, inner] - gained.log1p()[:, inner]
    plain = magnitudes(signal, length, PAPER.hop).log1p()[:, inner] - gained.log1p()[:, inner]
    assert off.square().mean().sqrt() < tolerance < 0.2 < plain.square().mean().sqrt()
