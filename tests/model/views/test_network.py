from itertools import pairwise

import numpy as np
import pytest
import torch

from dualres.config import VIEW_SIZES, ModelConfig
from dualres.model.spectra import aligned_spectra
from dualres.model.views.network import ViewsNetwork, low_lines, mean_spectra
from dualres.model.views.weights import views_shapes

CONFIG = ModelConfig()


@pytest.mark.parametrize("classes", [2, 8, 14])
def test_the_parameters_are_few_and_counted(classes):
    network = ViewsNetwork(classes)
    features = sum(VIEW_SIZES.features(CONFIG).values())
    count = sum(p.numel() for p in network.parameters())
    assert count == features * (2 + VIEW_SIZES.rank + classes) + 4 * (classes + 1)
    assert count <= 100_000
    assert {name: tuple(t.shape) for name, t in network.state_dict().items()} == views_shapes(CONFIG, classes)


def test_verdicts_are_log_probabilities_that_the_heads_add_up_to():
    torch.manual_seed(0)
    network = ViewsNetwork(3)
    for name, parameter in network.named_parameters():
        size = 5.0 if name.endswith("offsets") else 1.0 if name.endswith("sharpness") else 0.01
        parameter.data = size + 0.01 * torch.rand_like(parameter)
    windows = torch.randn(2, 32_768)
    found = network(windows)
    torch.testing.assert_close(found.exp().sum(1), torch.ones(2))
    said = sum(head(view) for head, view in zip(network.heads.values(), network.views(windows), strict=True))
    torch.testing.assert_close(found, said.log_softmax(1))


def test_mean_spectra_are_what_the_paper_s_network_sees_without_its_time():
    windows = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 32_768)).astype(np.float32))
    short, long = aligned_spectra(windows, CONFIG)
    torch.testing.assert_close(mean_spectra(windows, CONFIG), torch.cat([short.mean(1), long.mean(1)], 1))


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
