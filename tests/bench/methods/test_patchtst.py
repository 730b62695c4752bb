"""PatchTST: the specification's counts and logits, its patches, and its batch statistics."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from dualres.bench.methods.neural import sizes
from dualres.bench.methods.patchtst import PatchTST
from tests.bench.methods.golden import CLASSES, golden_windows, numbered


@pytest.fixture
def network():
    torch.manual_seed(0)
    return PatchTST(CLASSES)


def test_it_has_the_specified_size(network):
    cross_entropy(network(golden_windows()), torch.tensor([0, 5])).backward()
    buffers = 4 * (32_768 * 32 + 2 * 32) + 8
    assert sizes(network) == (99_208, 99_208, 4 * 99_208 + buffers)
    assert network.state_dict()["positions"].shape == (1, 32_768, 32)
    assert len(numbered(network)) == 37


@torch.no_grad()
def test_it_sees_the_shape_of_a_window_but_not_its_level(network):
    windows = golden_windows()
    torch.testing.assert_close(network.eval()(5 * windows - 3), network(windows), rtol=0, atol=1e-5)


@torch.no_grad()
def test_half_of_the_last_patch_repeats_the_last_sample(network):
    seen = []
    network.embed.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    windows = golden_windows()
    network(windows)
    (patches,) = seen
    standard = (windows - windows.mean(1, keepdim=True)) / torch.sqrt(windows.var(1, False, keepdim=True) + 1e-5)
    assert patches.shape == (2, 32, 2048)
    for number in range(31):
        expected = standard[:, 1024 * number : 1024 * number + 2048]
        torch.testing.assert_close(patches[:, number], expected, rtol=0, atol=1e-5)
    assert torch.equal(patches[:, 31, 1024:], patches[:, 31, 1023:1024].expand(-1, 1024))


@torch.no_grad()
def test_the_head_reads_channel_after_channel(network):
    network.eval()
    tokens = []
    network.layers.register_forward_hook(lambda _, given, out: tokens.append(out))
    network.head = nn.Identity()
    features = network(golden_windows())
    assert features.shape == (2, 1024)
    torch.testing.assert_close(features.unflatten(1, (32, 32)), tokens[0].mT / (1 + 1e-5) ** 0.5)


@torch.no_grad()
def test_in_training_a_window_is_normalised_with_its_microbatch(network):
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    windows = golden_windows()
    assert not torch.allclose(network(windows)[0], network(windows[:1])[0], atol=1e-2)
    network.eval()
    torch.testing.assert_close(network(windows)[:1], network(windows[:1]))


@torch.no_grad()
def test_the_running_statistics_move_once_per_pass(network):
    seen = []
    network.norm.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    network(golden_windows())
    mean, variance = seen[0].mean((0, 2)), seen[0].var((0, 2))  # over windows and tokens
    torch.testing.assert_close(network.norm.running_mean, 0.1 * mean)
    torch.testing.assert_close(network.norm.running_var, 0.9 + 0.1 * variance)
    network(golden_windows())
    network.eval()(golden_windows())
    assert network.norm.num_batches_tracked == 2


@torch.no_grad()
def test_in_training_a_tenth_of_the_tokens_and_of_the_features_is_dropped(network):
    assert {module.p for module in network.modules() if isinstance(module, nn.Dropout)} == {0.1}
    tokens = []
    network.layers.register_forward_pre_hook(lambda _, given: tokens.append(given[0]))
    network.head = nn.Identity()
    features = network(golden_windows())
    for dropped in (tokens[0], features):
        assert 0.07 < (dropped == 0).float().mean() < 0.13
