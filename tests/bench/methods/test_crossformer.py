"""Crossformer: the specification's counts and logits, its routers, and the decoder that does nothing."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from dualres.bench.methods.crossformer import Crossformer
from dualres.bench.methods.neural import sizes
from tests.bench.methods.golden import CLASSES, golden_windows, numbered


@pytest.fixture
def network():
    torch.manual_seed(0)
    return Crossformer(CLASSES)


def backward(network):
    cross_entropy(network(golden_windows()), torch.tensor([0, 5])).backward()


def test_it_has_the_specified_size_and_an_idle_decoder(network):
    backward(network)
    assert sizes(network) == (189_576, 66_440, 4 * (189_576 + 32_768 * 32))
    assert len(network.state_dict()) == 167
    assert len(numbered(network)) == 47
    assert sum(tensor.numel() for tensor in numbered(network)) == 66_440
    untouched = {name for name, tensor in network.named_parameters() if tensor.grad is None}
    assert untouched == {f"decoder.{name}" for name, _ in network.decoder.named_parameters()}
    assert len(untouched) == 119
    empty = [tuple(t.shape) for t in network.decoder.parameters() if not t.numel()]
    assert empty == [(1, 1, 0, 32), (0, 3, 32), (0, 3, 32)]
    assert sum(tensor.numel() for tensor in network.decoder.layers[1].parameters()) == 61_568


def test_adam_leaves_the_decoder_alone(network):
    before = {name: tensor.clone() for name, tensor in network.named_parameters()}
    backward(network)
    torch.optim.AdamW(network.parameters(), lr=0.01, weight_decay=0.01).step()
    for name, tensor in network.named_parameters():
        assert torch.equal(tensor, before[name]) == name.startswith("decoder."), name


@pytest.mark.parametrize("training", [True, False])
def test_the_routers_and_what_asks_for_them_have_zero_gradients(network, training):
    backward(network.train(training))
    stages = network.two_stages
    idle = {name for name, tensor in stages.named_parameters() if not tensor.grad.any()}
    expected = {"routers"} | {f"send.{map_}.{kind}" for map_ in ("query", "key") for kind in ("weight", "bias")}
    assert expected <= idle
    largest = stages.receive.query.weight.grad.abs().max()
    if training:  # dropout makes the routers' findings differ
        assert idle == expected
        assert largest > 1e-5
    else:
        assert largest < 1e-7


@pytest.mark.parametrize("gradients", [True, False])
def test_with_one_channel_the_second_stage_is_four_maps_in_a_row(network, gradients):
    stages = network.eval().two_stages
    channels = torch.randn(2, 32, 1, 32)
    with torch.set_grad_enabled(gradients):
        sent = stages.send(stages.routers, channels)
        assert sent.shape == (2, 32, 3, 32)
        received = stages.receive(channels, sent)
    found = stages.send.out(stages.send.value(channels))
    torch.testing.assert_close(received, stages.receive.out(stages.receive.value(found)))


@torch.no_grad()
def test_segments_get_both_kinds_of_positions_and_no_dropout(network):
    seen = []
    network.norm.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    network(golden_windows())
    segments = golden_windows().reshape(2, 32, 1024) @ network.embed.weight.T
    torch.testing.assert_close(seen[0], segments + network.positions[0, :32] + network.learned_positions[0, 0])


@torch.no_grad()
def test_every_update_of_the_segments_is_dropped_from_and_nothing_within_it(network):
    dropped, mapped = [], []
    stages = network.two_stages
    stages.dropout.register_forward_pre_hook(lambda _, given: dropped.append(given[0]))
    for part in (stages.in_time, stages.time_map, stages.receive, stages.channel_map):
        part.register_forward_hook(lambda _, given, out: mapped.append(out))
    network(golden_windows())
    assert len(dropped) == 4
    for given, out in zip(dropped, mapped, strict=True):
        assert torch.equal(given, out.reshape(2, 32, 32))
    for part in (stages.time_map, stages.channel_map):
        assert not any(isinstance(module, nn.Dropout) for module in part)


@torch.no_grad()
def test_the_head_reads_channel_after_channel(network):
    segments = []
    network.two_stages.register_forward_hook(lambda _, given, out: segments.append(out))
    network.head = nn.Identity()
    features = network.eval()(golden_windows())
    assert torch.equal(features.unflatten(1, (32, 32)), segments[0].mT)


@torch.no_grad()
def test_in_training_a_tenth_of_the_features_is_dropped(network):
    assert {module.p for module in network.modules() if isinstance(module, nn.Dropout)} == {0.1}
    network.head = nn.Identity()
    assert 0.07 < (network(golden_windows()) == 0).float().mean() < 0.13
