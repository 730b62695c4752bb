"""iTransformer: the specification's counts and logits, and what attention to a single token amounts to."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from dualres.bench.methods.itransformer import ITransformer
from dualres.bench.methods.neural import sizes
from tests.bench.methods.golden import CLASSES, golden_windows, numbered


@pytest.fixture
def network():
    torch.manual_seed(0)
    return ITransformer(CLASSES)


@pytest.mark.parametrize("training", [True, False])
def test_query_and_key_count_though_their_gradients_are_zero(network, training):
    cross_entropy(network.train(training)(golden_windows()), torch.tensor([0, 5])).backward()
    assert sizes(network) == (1_066_024, 1_066_024, 4 * 1_066_024), "there are no buffers"
    assert len(numbered(network)) == 38
    idle = [name for name, tensor in network.named_parameters() if not tensor.grad.any()]
    assert len(idle) == 8
    assert all(".query." in name or ".key." in name for name in idle)
    assert sum(network.get_parameter(name).numel() for name in idle) == 4_224


@torch.no_grad()
def test_a_window_is_one_token_and_taken_as_it_is(network):
    seen = []
    network.embed.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    network(golden_windows())
    assert torch.equal(seen[0], golden_windows()[:, None])


@pytest.mark.parametrize("gradients", [True, False])
def test_attention_is_the_value_map_and_the_output_map(network, gradients):
    attention = network.eval().layers[0].attention
    token = torch.randn(3, 1, 32)
    with torch.set_grad_enabled(gradients):
        torch.testing.assert_close(attention(token, token), attention.out(attention.value(token)))


@torch.no_grad()
def test_in_training_a_tenth_of_the_token_and_of_the_features_is_dropped(network):
    assert {module.p for module in network.modules() if isinstance(module, nn.Dropout)} == {0.1}
    tokens = []
    network.layers.register_forward_pre_hook(lambda _, given: tokens.append(given[0]))
    network.head = nn.Identity()
    features = network(golden_windows().repeat(30, 1))
    for dropped in (tokens[0], features):
        assert 0.07 < (dropped == 0).float().mean() < 0.13
