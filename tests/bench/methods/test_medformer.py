"""Medformer: the specification's counts and logits, its last tokens, and its draws."""

import math
import random

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu

from dualres.bench.methods.medformer import Medformer, token_map
from dualres.bench.methods.neural import sizes
from tests.bench.methods.golden import CLASSES, filled, golden_windows, numbered

KEEP_ALL = torch.tensor([[False, False, False]])
LAST = [256, 385, 450]  # of each patch length, among all tokens


@pytest.fixture
def network():
    torch.manual_seed(0)
    return Medformer(CLASSES)


def test_it_has_the_specified_size(network):
    cross_entropy(network(golden_windows(), KEEP_ALL), torch.tensor([0, 5])).backward()
    assert sizes(network) == (2_560_904, 2_560_904, 4 * (2_560_904 + 5000 * 128))
    assert len(numbered(network)) == 250
    assert network.state_dict()["positions"].shape == (1, 5000, 128)
    assert [sum(t.numel() for t in layer.parameters()) for layer in network.layers] == [330_624] * 6
    assert [len(list(layer.parameters())) for layer in network.layers] == [40] * 6


@torch.no_grad()
def test_its_logits_are_the_same_whatever_is_drawn():
    network = filled(Medformer(CLASSES))
    assert torch.equal(network(golden_windows(), ~KEEP_ALL), network(golden_windows(), KEEP_ALL))


def test_the_spread_of_a_token_map_allows_for_the_slope_of_a_leaky_relu():
    torch.manual_seed(5)
    weight = token_map(256).weight
    torch.manual_seed(5)
    drawn = nn.Linear(256, 128, bias=False).weight  # the draw that every linear map begins with
    expected = torch.empty_like(drawn).normal_(0, math.sqrt(2 / 1.0001 / 256))
    torch.testing.assert_close(weight, expected, rtol=1e-6, atol=0)


def test_the_token_maps_begin_as_normal_numbers(network):
    for embed, patch in zip(network.embed, (128, 256, 512), strict=True):
        assert embed.weight.shape == (128, patch)
        assert embed.weight.std().item() == pytest.approx(math.sqrt(2 / 1.0001 / patch), rel=0.02)
        assert embed.weight.abs().max() > 3 * embed.weight.std()  # a uniform number ends at 1.7


@torch.no_grad()
def test_the_last_patch_of_each_length_is_the_last_sample(network):
    patches = []
    for embed in network.embed:
        embed.register_forward_pre_hook(lambda _, given: patches.append(given[0]))
    windows = golden_windows()
    network(windows, KEEP_ALL)
    assert [tuple(p.shape) for p in patches] == [(2, 257, 128), (2, 129, 256), (2, 65, 512)]
    for p in patches:
        assert torch.equal(p[:, :-1].flatten(1), windows)
        assert torch.equal(p[:, -1], windows[:, -1:].expand_as(p[:, -1]))


def test_draws_come_from_pythons_generator_in_either_mode(network):
    before = torch.get_rng_state()
    for training in (True, False):
        network.train(training)
        random.seed(41)
        drawn = [tuple(row) for _ in range(32) for row in network.draws(6)[0].tolist()]
        random.seed(41)
        assert drawn == [tuple(random.choice([False, True]) for _ in range(3)) for _ in range(64)]
        assert len(set(drawn)) == 8
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("drops", [(True, False, True), (False, True, False)])
@torch.no_grad()
def test_drawn_lengths_lose_a_quarter_of_their_elements(network, drops):
    seen = []
    network.layers.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    windows = golden_windows()
    network(windows, torch.tensor([drops]))
    network.eval()(windows, torch.tensor([drops]))
    for drop, mark, dropped, whole in zip(
        drops, network.marks, *(x.split([257, 129, 65], 1) for x in seen), strict=True
    ):
        added = mark + network.positions[:, : whole.shape[1]]
        if drop:
            ratio = (dropped - added) / (whole - added)
            share = (ratio.abs() < 0.1).float().mean()
            assert 0.23 < share < 0.27
            assert ratio[ratio.abs() >= 0.1].median().item() == pytest.approx(1 / 0.75, rel=1e-3)
        else:
            assert torch.equal(dropped, whole)


@torch.no_grad()
def test_last_tokens_are_replaced_by_what_they_find_in_each_other(network):
    layer = network.eval().layers[0]
    own, exchanged, attended = [], [], []
    for within in layer.within:
        within.register_forward_hook(lambda _, given, out: own.append(out))
    layer.among.register_forward_hook(lambda _, given, out: exchanged.append((given, out)))
    layer.post_norm.register_forward_pre_hook(lambda _, given: attended.append(given))
    tokens = torch.randn(2, 451, 128)
    layer(tokens)
    ((asking, asked), found), (x, update) = exchanged[0], attended[0]
    own = torch.cat(own, 1)
    assert torch.equal(asking, own[:, LAST])
    assert torch.equal(asked, asking)
    assert torch.equal(x, tokens)
    assert torch.equal(update[:, LAST], found)
    others = [t for t in range(451) if t not in LAST]
    assert torch.equal(update[:, others], own[:, others])


@torch.no_grad()
def test_lengths_meet_only_in_their_last_tokens(network):
    """One layer: a change within one length reaches its own tokens, and of the others the last ones alone."""
    layer = network.eval().layers[0]
    tokens = torch.randn(1, 451, 128)
    changed = tokens.clone()
    changed[:, 300] += 1
    moved = (layer(changed) - layer(tokens))[0].abs().amax(-1) > 0
    assert moved[257:386].all()
    assert moved.nonzero().flatten().tolist() == [256, *range(257, 386), 450]


@torch.no_grad()
def test_the_head_reads_token_after_token(network):
    tokens = []
    network.norm.register_forward_hook(lambda _, given, out: tokens.append(out))
    network.head = nn.Identity()
    features = network.eval()(golden_windows(), KEEP_ALL)
    assert features.shape == (2, 57_728)
    assert torch.equal(features.unflatten(1, (451, 128)), gelu(tokens[0]))


@torch.no_grad()
def test_in_training_a_tenth_of_the_features_is_dropped(network):
    assert {module.p for module in network.modules() if isinstance(module, nn.Dropout)} == {0.1}
    network.head = nn.Identity()
    assert 0.09 < (network(golden_windows(), KEEP_ALL) == 0).float().mean() < 0.11
