"""TSCMamba: the specification's counts and logits, its views, and its two scans that are less than they sound."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

from dualres.bench.methods.neural import sizes
from dualres.bench.methods.tscmamba import TSCMamba
from dualres.bench.methods.wavelet import image
from dualres.model.spectra import normalise
from tests.bench.methods.golden import CLASSES, filled, golden_images, golden_windows, numbered


@pytest.fixture
def network():
    torch.manual_seed(0)
    return TSCMamba(CLASSES)


def noise(count, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal((count, 32_768)).astype(np.float32))


def test_it_has_the_specified_size(network):
    cross_entropy(network(golden_windows(), golden_images()), torch.tensor([0, 5])).backward()
    assert sizes(network) == (2_502_466, 2_502_466, 4 * 2_502_466)
    assert network.focus.tolist() == [1.0]  # even between the views
    counts = [p.numel() for p in numbered(network)]
    assert len(counts) == 31
    groups = [(0, 1), (1, 3), (3, 5), (5, 7), (7, 9), (9, 18), (18, 27), (27, 31)]
    assert [sum(counts[a:b]) for a, b in groups] == [1, 65, 4_160, 2_097_216, 384, 380_544, 792, 19_304]


def test_only_the_rates_over_channels_have_a_zero_gradient(network):
    """One token meets an empty memory; that does not take its rates out of the graph."""
    cross_entropy(network(golden_windows(), golden_images()), torch.tensor([0, 5])).backward()
    still = [name for name, p in network.named_parameters() if not p.grad.any()]
    assert still == ["over_channels.log_rate"]
    assert (network.over_channels.smooth.weight.grad[..., :3] == 0).all()  # those taps see nothing but padding
    assert (network.over_features.smooth.weight.grad[..., :3] != 0).all()


@torch.no_grad()
def test_the_forward_pass_as_the_specification_writes_it():
    network = filled(TSCMamba(CLASSES))
    windows, images = golden_windows(), golden_images()
    blocks = images.unflatten(1, (8, 8)).unflatten(3, (8, 8))  # (batch, row, in row, column, in column)
    patches = torch.einsum("bricj,ij->brc", blocks, network.patches.weight[0, 0]) + network.patches.bias
    v, w = network.from_image(patches.flatten(1)), network.from_window(windows)
    c = network.norm(torch.cat([v, gelu(network.focus * w + (2 - network.focus) * v), w], -1))[:, None]
    x = network.over_channels(c)[0] + c + network.over_channels(c.flip(2))[0] + c.flip(2)
    x = x + 2 * (network.over_features(c.mT)[0] + c.mT).mT
    expected = network.classify(network.hidden(x.amax(1)))
    torch.testing.assert_close(network(windows, images), expected, rtol=0, atol=1e-5)


def test_the_images_are_scaled_by_the_extremes_of_the_support(network):
    support, others = noise(3), noise(40, seed=1)
    network.learn_constants(support)
    unscaled = image(normalise(support))
    lowest, highest = unscaled.min().item(), unscaled.max().item()
    assert network.constants == {"lowest": lowest, "highest": highest}
    windows, images = network.views(support)
    assert torch.equal(windows, normalise(support))
    assert (images.min(), images.max()) == (0, 1)
    _, beyond = network.views(others)
    assert beyond.max() > 1 or beyond.min() < 0
    torch.testing.assert_close(beyond, (image(normalise(others)) - lowest) / (highest - lowest))


def test_level_and_loudness_of_a_window_do_not_matter(network):
    windows = noise(2)
    network.learn_constants(windows)
    for got, expected in zip(network.views(40 * windows + 7), network.views(windows), strict=True):
        torch.testing.assert_close(got, expected, rtol=0, atol=1e-4)


@torch.no_grad()
def test_in_training_a_fifth_of_the_hidden_features_is_dropped(network):
    assert [m.p for m in network.modules() if isinstance(m, nn.Dropout)] == [0.2]
    dropped = []
    network.classify.register_forward_pre_hook(lambda _, given: dropped.append(given[0]))
    network(noise(40), torch.rand(40, 64, 64))
    assert (dropped[0] == 0).float().mean() == pytest.approx(0.2, abs=0.03)
