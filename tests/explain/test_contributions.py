import numpy as np
import torch

from dualres.config import ModelConfig
from dualres.explain.contributions import log_spectra
from dualres.model.spectra import aligned_spectra
from tests.model.made_views import machine_windows

CONFIG = ModelConfig()


def test_it_is_what_the_network_sees_in_either_precision_and_silence_is_silent():
    (window,) = machine_windows(1, 1, seed=3) + 5
    short, long = (view[0].numpy() for view in aligned_spectra(torch.from_numpy(window)[None], CONFIG))
    found, exact = log_spectra(window, CONFIG), log_spectra(window, CONFIG, np.float64)
    np.testing.assert_allclose(found, np.concatenate([short, long], axis=1), atol=2e-5)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(found, exact, atol=2e-5)
    assert np.abs(log_spectra(np.full(CONFIG.window, 3, np.float32), CONFIG)).max() == 0
