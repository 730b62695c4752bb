import numpy as np
import torch

from dualres.config import ModelConfig
from dualres.explain.contributions import log_spectra
from dualres.model.spectra import aligned_spectra
from tests.model.made_views import machine_windows


def test_it_is_what_the_network_sees():
    config = ModelConfig()
    (window,) = machine_windows(1, 1, seed=3) + 5
    short, long = (view[0].numpy() for view in aligned_spectra(torch.from_numpy(window)[None], config))
    found = log_spectra(window, config)
    np.testing.assert_allclose(found, np.concatenate([short, long], axis=1), atol=2e-5)


def test_in_double_precision_it_is_the_same_but_for_rounding():
    config = ModelConfig()
    (window,) = machine_windows(1, 1, seed=3)
    exact = log_spectra(window, config, np.float64)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(log_spectra(window, config), exact, atol=2e-5)


def test_silence_is_silent():
    config = ModelConfig()
    assert np.abs(log_spectra(np.full(config.window, 3, np.float32), config)).max() == 0
