from itertools import pairwise

import numpy as np
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.views.network import low_lines

CONFIG = ModelConfig()


def test_neighbouring_shaft_lines_are_told_apart():
    t, edges = np.arange(CONFIG.window) / CONFIG.rate, np.array(VIEW_SIZES.line_edges) * CONFIG.rate / CONFIG.window
    found = []
    for hz in (13.7, 17.6):
        tone = np.sin(2 * np.pi * hz * t) + 0.01 * np.random.default_rng(0).standard_normal(len(t))
        band = int(low_lines(torch.from_numpy(tone.astype(np.float32))[None], CONFIG)[0].argmax())
        assert edges[band] - 1 <= hz <= edges[band + 1] + 1
        found.append(band)
    assert found[0] < found[1]


def test_bands_are_whole_bins_one_each_at_first_and_without_gaps():
    edges = VIEW_SIZES.line_edges
    assert (edges[0], edges[-1]) == VIEW_SIZES.lines
    assert list(edges[:6]) == [2, 3, 4, 5, 6, 7]
    assert all(high > low for low, high in pairwise(edges))
    windows = torch.zeros(1, CONFIG.window)
    assert low_lines(windows, CONFIG).shape == (1, len(edges) - 1)
