import numpy as np
import pytest
import torch

from dualres.learn.augment.paths import curves, draw_paths


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
