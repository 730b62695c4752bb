import numpy as np
import pytest
import torch

from dualres.config import ModelConfig
from dualres.model import spectra as by_torch
from dualres.model.reference.spectra import aligned_spectra, hann, normalise
from tests.model.made_views import machine_windows

WINDOWS = machine_windows(1, 2, seed=3) + np.float32(5)


@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 2e-5), (np.float64, 1e-12)])
def test_both_views_are_pytorch_s(dtype, close):
    windows = WINDOWS.astype(dtype)
    for found, expected in zip(
        aligned_spectra(windows, ModelConfig()),
        by_torch.aligned_spectra(torch.from_numpy(windows), ModelConfig()),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected.numpy(), atol=close)


def test_a_window_is_brought_to_mean_zero_and_rms_one():
    found = normalise(WINDOWS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.mean(1), 0, atol=1e-6)
    np.testing.assert_allclose(np.square(found).mean(1), 1, rtol=1e-6)
    assert not normalise(np.full((1, 100), 3, np.float32)).any()


def test_the_window_is_periodic():
    np.testing.assert_allclose(hann(64), torch.hann_window(64, periodic=True, dtype=torch.float64).numpy(), atol=1e-15)
