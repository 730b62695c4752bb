import pytest
import torch
from torch.nn.functional import silu

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.model.network import DualRes
from dualres.model.views.network import ViewsNetwork
from tests.model.golden import golden_network, golden_window

SHAPES = [
    *[(32, 129), (32,), (32, 513), (32,), (64,), (64,), (64, 64), (64,), (64, 64), (64,), (16, 64), (16,)],
    *[(16, 64), (16,), (64,), (8,), (64, 64), (64,), (64, 64), (64,), (8, 64), (8,)],
]


def count(module, trainable=False):
    return sum(p.numel() for p in module.parameters() if p.requires_grad or not trainable)


def test_parameter_counts():
    network = DualRes(classes=8)
    assert count(network.encoder) == count(network.encoder, trainable=True) == 39_528
    assert count(network) == 40_048
    assert count(DualRes(classes=3)) == 39_528 + 3 * 65


def test_spec_order_names_every_tensor_once():
    network = DualRes(classes=8)
    ordered = list(network.parameters_in_spec_order())
    assert [tuple(p.shape) for p in ordered] == SHAPES
    assert {id(p) for p in ordered} == {id(p) for p in network.parameters()}


def test_a_seed_sets_the_generator_before_encoder_and_head():
    first, second = DualRes(8, seed=3), DualRes(5, seed=3)
    for a, b in zip(first.encoder.parameters(), second.encoder.parameters(), strict=True):
        assert torch.equal(a, b)
    torch.manual_seed(3)
    head = torch.nn.Linear(64, 8)
    assert torch.equal(first.head.weight, head.weight)
    torch.manual_seed(3)
    assert torch.equal(first.encoder.short.weight, torch.nn.Linear(129, 32).weight)


@pytest.mark.parametrize("level", [0.0, 0.1, 1e6])
def test_silent_and_constant_windows_give_finite_logits(level):
    network = golden_network()
    window = torch.full((1, 32_768), level)
    assert torch.isfinite(network(window)).all()
    torch.testing.assert_close(network(window), network(torch.zeros(1, 32_768)))


@pytest.mark.parametrize(("scale", "offset"), [(1e-6, 0.0), (1e6, 0.0), (-1.0, 0.0), (1.0, 5.0), (0.25, -3.0)])
def test_scale_and_offset_do_not_matter(scale, offset):
    network, window = golden_network(), golden_window()
    torch.testing.assert_close(network(scale * window + offset), network(window), rtol=0, atol=1e-5)


def test_logits_are_of_the_mean_over_tokens():
    """The whole readout, from the memory's y to the logits, written out."""
    network, window = golden_network(), golden_window()
    encoder = network.encoder
    e = encoder.features(*network.spectra(window))
    y, _ = encoder.memory(encoder.norm(e))
    gate = y @ encoder.gate.weight.T + encoder.gate.bias
    o = e + (y @ encoder.mix.weight.T + encoder.mix.bias) * gate * torch.sigmoid(gate)
    pooled = o.sum(1) / 249
    expected = pooled @ network.head.weight.T + network.head.bias
    torch.testing.assert_close(network(window), expected)


def test_dropout_thins_the_pooled_vector_in_training_only():
    network = golden_network()
    network.encoder.memory.train(False)
    pooled = network.encoder(*network.spectra(golden_window())).detach().expand(20_000, -1)
    network.dropout.train()
    torch.manual_seed(0)
    thinned = network.dropout(pooled)
    dropped = (thinned == 0).float().mean()
    assert dropped == pytest.approx(0.1, abs=0.002)
    kept = thinned != 0
    torch.testing.assert_close(thinned[kept], pooled[kept] / 0.9)
    network.eval()
    assert torch.equal(network(golden_window()), network(golden_window()))


def test_training_really_draws_dropout_on_the_way_to_the_head():
    network = golden_network()
    views = network.spectra(golden_window())
    network.train()
    network.encoder.eval()
    torch.manual_seed(0)
    assert not torch.equal(network.classify(*views), network.classify(*views))


@pytest.mark.parametrize("network", [DualRes, ViewsNetwork])
def test_windows_of_another_length_and_a_single_class_are_refused(network):
    with pytest.raises(ConfigError, match=r"\(2, 100\) were given; this network takes \(batch, 32768\)"):
        network(2)(torch.zeros(2, 100))
    with pytest.raises(ConfigError, match="at least two classes"):
        network(1)


class TestControls:
    @pytest.mark.parametrize(("branches", "removed", "kept"), [("short", "long", "short"), ("long", "short", "long")])
    def test_a_single_resolution(self, branches, removed, kept):
        network = DualRes(8, ModelConfig(branches=branches), seed=41)
        full = DualRes(8, seed=41)
        for a, b in zip(network.parameters(), full.parameters(), strict=True):
            assert torch.equal(a, b), "the control starts from the same weights"
        views = full.spectra(golden_window())
        features, whole = network.encoder.features(*views), full.encoder.features(*views)
        half = {"short": slice(0, 32), "long": slice(32, 64)}
        assert not features[..., half[removed]].any()
        assert torch.equal(features[..., half[kept]], whole[..., half[kept]])
        network(golden_window()).sum().backward()
        frozen = getattr(network.encoder, removed)
        assert not frozen.weight.requires_grad
        assert frozen.weight.grad is None
        assert getattr(network.encoder, kept).weight.grad.any()
        assert count(network) == 40_048
        assert count(network, trainable=True) == 40_048 - {"short": 4_160, "long": 16_448}[removed]

    def test_no_rotation(self):
        network = DualRes(8, ModelConfig(rotation=False), seed=41)
        assert not network.encoder.memory.theta().any()
        network(golden_window()).sum().backward()
        assert network.encoder.memory.pitch.grad is None
        assert count(network) == 40_048
        assert count(network, trainable=True) == 40_040
        assert not torch.equal(network.eval()(golden_window()), DualRes(8, seed=41).eval()(golden_window()))

    def test_no_jitter_meets_the_same_dropout(self):
        zeroed = []
        for jitter in (0.10, 0.0):
            network = DualRes(8, ModelConfig(jitter=jitter), seed=41).train()
            masks = []
            network.dropout.register_forward_hook(lambda m, i, o, masks=masks: masks.append(o == 0))
            torch.manual_seed(7)
            network(golden_window())
            zeroed.append(masks[0])
        assert torch.equal(*zeroed)
        assert zeroed[0].any()


def test_without_memory_the_mean_spectrum_is_all_there_is():
    network = golden_network()
    network.config = network.encoder.config = ModelConfig(memory=False)
    window, encoder = golden_window(), network.encoder
    pooled = encoder.features(*network.spectra(window)).mean(1) + encoder.mix.bias * silu(encoder.gate.bias)
    torch.testing.assert_close(network(window), network.head(pooled))


def test_without_memory_dropout_meets_the_same_draws():
    after = []
    for memory in (True, False):
        network = DualRes(3, ModelConfig(memory=memory), seed=1).train()
        network(torch.randn(2, 32_768, generator=torch.Generator().manual_seed(0)))
        after.append(torch.rand(1))
    assert after[0] == after[1]
