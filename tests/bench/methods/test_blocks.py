"""The parts that several comparators share, against PyTorch's own and against their formulas."""

import itertools
import math

import pytest
import torch
from torch import nn

from dualres.bench.methods.blocks import Attention, EncoderLayer, MicrobatchNorm, PostNorm, cut_patches, sinusoids


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def attention_pair(width=16, heads=4):
    """Ours and PyTorch's with the same weights, without dropout."""
    torch.manual_seed(0)
    ours, theirs = Attention(width, heads, 0.1).eval(), nn.MultiheadAttention(width, heads, batch_first=True).eval()
    copy_attention(ours, theirs)
    return ours, theirs


def copy_attention(ours, theirs):
    with torch.no_grad():
        biases = theirs.in_proj_bias.uniform_(-1, 1).chunk(3)
        maps = ours.query, ours.key, ours.value
        for map_, weight, bias in zip(maps, theirs.in_proj_weight.chunk(3), biases, strict=True):
            map_.weight.copy_(weight)
            map_.bias.copy_(bias)
        ours.out.load_state_dict(theirs.out_proj.state_dict())


def test_the_table_follows_its_formula():
    table = sinusoids(40, 6)
    assert table.shape == (1, 40, 6)
    assert table.dtype == torch.float32
    for p, k in itertools.product(range(40), range(3)):
        angle = p * math.exp(-2 * k * math.log(10_000) / 6)
        assert table[0, p, 2 * k : 2 * k + 2].tolist() == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-5)


def test_the_angles_of_the_table_are_single_precision_products():
    row = sinusoids(32_768, 32)[0, 32_767].unflatten(0, (16, 2))
    rates = torch.exp(torch.arange(0, 32, 2).float() * (-math.log(10_000) / 32))
    torch.testing.assert_close(row, torch.stack([(32_767 * rates).sin(), (32_767 * rates).cos()], 1))


@pytest.mark.parametrize(("length", "stride", "extra"), [(4, 2, 2), (4, 4, 4), (4, 2, 0), (3, 1, 5)])
def test_patches_go_on_with_the_last_sample(length, stride, extra):
    windows = normal(3, 12)
    patches = cut_patches(windows, length, stride, extra)
    assert patches.shape == (3, (12 + extra - length) // stride + 1, length)
    for patch, sample in itertools.product(range(patches.shape[1]), range(length)):
        assert torch.equal(patches[:, patch, sample], windows[:, min(patch * stride + sample, 11)])


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize(("asking", "asked"), [(5, 5), (3, 1), (1, 3), (1, 1), (7, 40)])
def test_attention_equals_pytorchs(asking, asked, gradients):
    ours, theirs = attention_pair()
    x, y = normal(2, asking, 16), normal(2, asked, 16, seed=1)
    expected = theirs(x, y, y, need_weights=False)[0]
    with torch.set_grad_enabled(gradients):
        torch.testing.assert_close(ours(x, y), expected)


def test_attention_has_pytorchs_gradients():
    ours, theirs = attention_pair()
    x, y = normal(2, 5, 16), normal(2, 7, 16, seed=1)
    ours(x, y).square().sum().backward()
    theirs(x, y, y)[0].square().sum().backward()
    stacked = torch.cat([map_.weight.grad for map_ in (ours.query, ours.key, ours.value)])
    torch.testing.assert_close(stacked, theirs.in_proj_weight.grad)
    torch.testing.assert_close(ours.out.weight.grad, theirs.out_proj.weight.grad)


@pytest.mark.parametrize("gradients", [True, False])
def test_rows_shared_by_the_batch_ask_as_their_copies_would(gradients):
    ours, _ = attention_pair()
    shared, asked = normal(6, 3, 16), normal(2, 6, 1, 16, seed=1)
    with torch.set_grad_enabled(gradients):
        torch.testing.assert_close(ours(shared, asked), ours(shared.expand(2, -1, -1, -1), asked))


@pytest.mark.parametrize("training", [True, False])
def test_with_one_key_the_gradients_of_query_and_key_are_zero_but_there(training):
    ours, _ = attention_pair()
    x = normal(4, 1, 16)
    ours.train(training)(x, x).square().sum().backward()
    assert not any(given.grad.any() for map_ in (ours.query, ours.key) for given in map_.parameters())
    assert all(map_.weight.grad.any() for map_ in (ours.value, ours.out))


@pytest.mark.parametrize("gradients", [True, False])
def test_in_training_even_a_single_probability_is_dropped_or_raised(gradients):
    torch.manual_seed(0)
    attention = Attention(width=16, heads=4, dropout=0.25)
    nn.init.eye_(attention.out.weight)
    nn.init.zeros_(attention.out.bias)
    x = normal(200, 1, 16)
    with torch.set_grad_enabled(gradients):
        raised = (attention(x, x) / attention.value(x)).unflatten(-1, (4, 4)).detach()
    assert torch.equal(raised.count_nonzero(-1) % 4, torch.zeros(200, 1, 4, dtype=torch.int64))  # a head as a whole
    kept = raised[raised != 0]
    torch.testing.assert_close(kept, torch.full_like(kept, 1 / 0.75))
    assert 0.70 < kept.numel() / raised.numel() < 0.80


def test_an_encoder_layer_equals_pytorchs():
    torch.manual_seed(0)
    theirs = nn.TransformerEncoderLayer(16, 4, 24, activation="gelu", batch_first=True).eval()
    ours = EncoderLayer(16, 4, 24, 0.1).eval()
    copy_attention(ours.attention, theirs.self_attn)
    for mine, other in (
        (ours.post_norm.widen, theirs.linear1),
        (ours.post_norm.narrow, theirs.linear2),
        (ours.post_norm.inner_norm, theirs.norm1),
        (ours.post_norm.outer_norm, theirs.norm2),
    ):
        nn.init.uniform_(other.bias, -1, 1)
        mine.load_state_dict(other.state_dict())
    x = normal(2, 9, 16)
    torch.testing.assert_close(ours(x), theirs(x))


def test_three_things_are_dropped_around_the_two_layer_map_and_with_all_of_them_only_the_norms_are_left():
    post_norm = PostNorm(width=8, hidden=12, dropout=1.0)
    dropped = []
    post_norm.dropout.register_forward_pre_hook(lambda _, given: dropped.append(given[0].detach()))
    x, attended = normal(2, 5, 8), normal(2, 5, 8, seed=1)
    torch.testing.assert_close(post_norm(x, attended), post_norm.outer_norm(post_norm.inner_norm(x)))
    assert torch.equal(dropped[0], attended)
    assert [tensor.shape[-1] for tensor in dropped] == [8, 12, 8]


def test_tensors_are_registered_attention_first_and_norms_last():
    names = [name.split(".", 1)[1] for name, _ in EncoderLayer(8, 2, 12, 0.1).named_parameters()]
    expected = ["query", "key", "value", "out", "widen", "narrow", "inner_norm", "outer_norm"]
    assert names == [f"{name}.{kind}" for name in expected for kind in ("weight", "bias")]


@pytest.mark.parametrize("windows", [3, 4, 8, 11])
def test_each_microbatch_is_normalised_by_its_own_statistics(windows):
    """As PyTorch does it with one after the other."""
    ours, theirs = MicrobatchNorm(5, 4), nn.BatchNorm1d(5)
    with torch.no_grad():
        theirs.weight.copy_(ours.weight.uniform_(-1, 1))
        theirs.bias.copy_(ours.bias.uniform_(-1, 1))
    x, weight = 3 + normal(windows, 5, 7), normal(windows, 5, 7, seed=1)
    own, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    normed, expected = ours(own), torch.cat([theirs(part) for part in other.split(4)])
    torch.testing.assert_close(normed, expected)
    (normed * weight).sum().backward()
    (expected * weight).sum().backward()
    torch.testing.assert_close(own.grad, other.grad)
    for name, parameter in theirs.named_parameters():
        torch.testing.assert_close(ours.get_parameter(name).grad, parameter.grad)
    assert ours.state_dict().keys() == theirs.state_dict().keys()
    for name, buffer in theirs.named_buffers():
        torch.testing.assert_close(ours.get_buffer(name), buffer)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))
