"""ModernTCN: the specification's counts and logits, its blocks, and its batch statistics."""

import pytest
import torch
from torch import nn
from torch.nn.functional import batch_norm, conv1d, cross_entropy, gelu

from dualres.bench.methods.moderntcn import ChannelMap, ModernTCN
from dualres.bench.methods.neural import sizes
from tests.bench.methods.golden import CLASSES, filled, golden_windows, numbered


@pytest.fixture
def network():
    torch.manual_seed(0)
    return ModernTCN(CLASSES)


def norms(network):
    return [module for module in network.modules() if isinstance(module, nn.BatchNorm1d)]


def test_it_has_the_specified_size(network):
    cross_entropy(network(golden_windows()), torch.tensor([0, 5])).backward()
    buffers = 4 * 2 * (32 + 32 + 64 + 3 * (32 + 64 + 128)) + 8 * 12
    assert sizes(network) == (595_112, 595_112, 4 * 595_112 + buffers)
    assert len(list(network.buffers())) == 36
    assert len(numbered(network)) == 62
    assert [sum(t.numel() for t in block.parameters()) for block in network.blocks] == [2_880, 9_856, 36_096]


@torch.no_grad()
def test_the_stem_is_a_convolution_with_a_repeated_end(network):
    seen = []
    network.norm.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    windows = golden_windows()
    network(windows)
    longer = torch.cat([windows, windows[:, -1:].repeat(1, 16)], 1)
    expected = conv1d(longer[:, None], network.embed.weight[:, None], network.embed.bias, stride=16)
    torch.testing.assert_close(seen[0], expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_stages_grow_wider_and_shorter(network):
    shapes = []
    for block in network.blocks:
        block.register_forward_hook(lambda _, given, out: shapes.append(tuple(out.shape)))
    network(golden_windows())
    assert shapes == [(2, 32, 2048), (2, 64, 1024), (2, 128, 512)]


@torch.no_grad()
def test_a_block_is_what_its_convolutions_say():
    block = filled(ModernTCN(CLASSES)).blocks[1]
    conv9, gain_a, bias_a, conv5, gain_b, bias_b, gain_c, bias_c, *pairs = block.parameters()
    zero, one = torch.zeros(64), torch.ones(64)
    x = torch.randn(2, 64, 100)
    large = batch_norm(conv1d(x, conv9, padding=4, groups=64), zero, one, gain_a, bias_a)
    small = batch_norm(conv1d(x, conv5, padding=2, groups=64), zero, one, gain_b, bias_b)
    y = batch_norm(large + small, zero, one, gain_c, bias_c)
    for (w1, b1, w2, b2), groups in ((pairs[:4], 1), (pairs[4:], 64)):
        y = conv1d(gelu(conv1d(y, w1, b1, groups=groups)), w2, b2, groups=groups)
    torch.testing.assert_close(block(x), x + y, rtol=0, atol=1e-5)


def test_a_channel_map_begins_like_a_convolution_of_one_input():
    torch.manual_seed(0)
    ours, theirs = ChannelMap(4000), nn.Conv1d(4000, 4000, 1, groups=4000)
    assert ours.scale.shape == theirs.weight.shape
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert mine.std().item() == pytest.approx(other.std().item(), rel=0.05)
        assert mine.abs().max().item() == pytest.approx(other.abs().max().item(), rel=0.01)


@torch.no_grad()
def test_half_is_dropped_right_after_each_map_before_any_activation(network):
    block = network.blocks[0]
    mapped, dropped = [], []
    for part in (block.mix_in, block.mix_out, block.scale_in, block.scale_out):
        part.register_forward_hook(lambda _, given, out: mapped.append(out))
    block.dropout.register_forward_hook(lambda _, given, out: dropped.append((given[0], out)))
    network(golden_windows())
    assert len(mapped) == 4
    for out, (given, left) in zip(mapped, dropped, strict=True):
        assert torch.equal(given, out)
        assert 0.48 < (left == 0).float().mean() < 0.52


@torch.no_grad()
def test_the_head_reads_channel_after_channel(network):
    stage = []
    network.blocks[2].register_forward_hook(lambda _, given, out: stage.append(out))
    network.head = nn.Identity()
    features = network.eval()(golden_windows())
    assert torch.equal(features.unflatten(1, (128, 512)), gelu(stage[0]))


@torch.no_grad()
def test_in_training_a_window_is_normalised_with_its_microbatch(network):
    for module in network.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    windows = golden_windows() * torch.tensor([[1.0], [3.0]])
    assert not torch.allclose(network(windows)[0], network(windows[:1])[0], atol=1e-2)
    network.eval()
    torch.testing.assert_close(network(windows)[:1], network(windows[:1]))


def test_every_norm_knows_the_size_of_a_microbatch():
    class Wider(ModernTCN):
        microbatch = 8

    assert [norm.size for norm in norms(Wider(2))] == 12 * [8]


@torch.no_grad()
def test_the_running_statistics_move_once_per_pass(network):
    seen = []
    network.norm.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    network(golden_windows())
    mean, variance = seen[0].mean((0, 2)), seen[0].var((0, 2))  # over windows and time
    torch.testing.assert_close(network.norm.running_mean, 0.1 * mean)
    torch.testing.assert_close(network.norm.running_var, 0.9 + 0.1 * variance)
    network(golden_windows())
    network.eval()(golden_windows())
    assert [norm.num_batches_tracked.item() for norm in norms(network)] == [2] * 12


@torch.no_grad()
def test_in_training_a_tenth_of_the_features_is_dropped(network):
    network.head = nn.Identity()
    assert 0.09 < (network(golden_windows()) == 0).float().mean() < 0.11
