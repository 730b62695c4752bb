import numpy as np
import torch

from dualres.config import ModelConfig
from dualres.model.spectra import aligned_spectra
from dualres.model.views.network import mean_spectra


def test_it_is_what_the_paper_s_network_sees_without_its_time():
    windows = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 32_768)).astype(np.float32))
    short, long = aligned_spectra(windows, ModelConfig())
    torch.testing.assert_close(mean_spectra(windows, ModelConfig()), torch.cat([short.mean(1), long.mean(1)], 1))
