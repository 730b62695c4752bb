"""The wavelet image: the specification's values, and the quick way against the steps one after the other."""

import math

import numpy as np
import pytest
import torch

from dualres.bench.methods.wavelet import blur_kernel, image, image_ref, morlet_row, wavelet_taps
from tests.bench.methods.golden import golden_windows


def test_the_transform_has_the_specified_values():
    row = morlet_row(golden_windows()[:1])[0]
    assert row.shape == (32_768,)
    assert row[[0, 1000, 16_384, 32_767]] == pytest.approx([-0.545335, -0.138795, -3.723098, -4.861201], abs=2e-6)


@pytest.mark.parametrize("function", [image, image_ref])
def test_the_image_has_the_specified_values(function):
    found = function(golden_windows())[0]
    assert found.shape == (64, 64)
    assert found.dtype == torch.float32
    values = [found[p, q].item() for p, q in ((0, 0), (31, 0), (31, 1), (31, 32), (63, 63))]
    assert values == pytest.approx([0.00504061, 0.00984858, 0.000172347, 4.25291e-05, -0.00361912], rel=1e-4)
    assert [found.min().item(), found.max().item()] == pytest.approx([-0.00707121, 0.00984858], rel=1e-5)


def test_the_quick_way_gives_the_same_everywhere():
    noise = torch.from_numpy(np.random.default_rng(0).standard_normal((5, 32_768)).astype(np.float32))
    steps = torch.arange(32_768.0)
    impulses = torch.zeros(4, 32_768)
    impulses[range(4), [0, 700, 32_000, 32_767]] = 1.0
    windows = torch.cat([noise, torch.sin(0.08 * steps)[None], torch.ones(1, 32_768), impulses])
    reference = image_ref(windows)
    largest = reference.abs().amax((1, 2), keepdim=True)
    assert ((image(windows) - reference).abs() <= 1e-7 * largest + 1e-14).all()


def test_the_transform_as_it_is_written():
    """The wavelet's integral, stretched and turned round; convolved, differenced, cut to the window's length."""
    x = np.random.default_rng(0).standard_normal(32_768)
    step = 16 / 4095
    grid = -8 + step * np.arange(4096)
    integral = step * np.cumsum(np.exp(-(grid**2) / 2) * np.cos(5 * grid))
    kernel = np.array([integral[math.floor(i / (64 * step))] for i in range(1025)])[::-1]
    row = -8 * np.diff(np.convolve(x, kernel))[511:-512]
    np.testing.assert_allclose(morlet_row(torch.from_numpy(x)[None])[0], row, atol=1e-11)
    assert len(wavelet_taps()) == 1026


def test_a_tone_at_the_centre_frequency_is_seen_in_the_transform_and_lost_in_the_image():
    tone = torch.sin(2 * math.pi * 0.8125 / 64 * torch.arange(32_768))[None]
    inside = morlet_row(tone)[0, 2000:-2000]
    assert np.abs(inside).max() == pytest.approx(10, rel=0.02)
    columns = image(tone)[0].abs().amax(0)
    assert columns[2:-2].max() < 1e-4
    assert columns[[0, -1]].max() > 0.03


def test_the_smoothing_is_a_mean():
    kernel = blur_kernel()
    assert len(kernel) == 2 * 1022 + 1
    assert kernel.sum() == pytest.approx(1)
    assert kernel[1022 + 511] / kernel[1022] == pytest.approx(math.exp(-2))


def test_every_row_of_an_image_is_a_share_of_the_same_line():
    found = image(golden_windows())[0].double()
    shares = 1 - ((torch.arange(64) + 0.5) / 64 - 0.5).abs()
    torch.testing.assert_close(found / shares[:, None], (found[:1] / shares[0]).expand(64, -1), rtol=1e-6, atol=0)
