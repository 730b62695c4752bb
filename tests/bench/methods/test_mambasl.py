"""MambaSL: the specification's counts and logits, its input convolution, and how its gate comes to life."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import conv1d, cross_entropy, pad, silu

import dualres.bench.methods.mambasl as module
from dualres.bench.methods.mambasl import MambaSL, slide
from dualres.bench.methods.neural import sizes
from dualres.config import Recipe
from tests.bench.methods.golden import CLASSES, filled, golden_windows, numbered

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_cuda)]


@pytest.fixture
def network():
    torch.manual_seed(0)
    return MambaSL(CLASSES)


def test_it_has_the_specified_size_and_the_gate_s_bias_hardly_matters(network):
    cross_entropy(network(golden_windows()), torch.tensor([0, 5])).backward()
    assert network.gate.bias.grad.abs().max() < 1e-5 * network.classify.weight.grad.abs().max()
    assert sizes(network) == (15_592, 15_592, 4 * (15_592 + 32_768 * 32))
    assert network.state_dict()["positions"].shape == (1, 32_768, 32)
    shapes = [tuple(p.shape) for p in numbered(network)]
    block = [(32, 1), (32, 1), (64, 32), (32, 1, 4), (32,), (3, 32), (32, 2), (32,), (32, 32)]
    assert shapes == [(32, 1, 360), *block, (32,), (32,), (8, 32), (8, 32), (8,)]


@pytest.mark.parametrize("device", DEVICES)
def test_the_input_convolution_is_pytorch_s_with_the_ends_continued(device):
    windows = golden_windows().double().to(device)
    g = torch.Generator().manual_seed(0)
    kernels = torch.randn(5, 360, generator=g, dtype=torch.float64).to(device).requires_grad_()
    ours = slide(windows, kernels)
    theirs = conv1d(pad(windows[:, None], (179, 180), mode="replicate"), kernels[:, None]).mT
    assert ours.shape == (2, 32_768, 5)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-11)
    weights = torch.linspace(-1, 1, ours.numel(), dtype=torch.float64, device=device).reshape(ours.shape)
    expected = torch.autograd.grad((theirs * weights).sum(), kernels)[0]
    torch.testing.assert_close(torch.autograd.grad((ours * weights).sum(), kernels)[0], expected, rtol=0, atol=1e-10)


@torch.no_grad()
def test_the_input_convolution_is_as_exact_as_float32_allows(network):
    windows, kernels = golden_windows(), network.embed.weight[:, 0]
    exact = slide(windows.double(), kernels.double())
    assert (slide(windows, kernels) - exact).abs().max() < 1e-6 * exact.abs().max()


@torch.no_grad()
def test_what_it_starts_from(network):
    spread = math.sqrt(2 / (1 + 1e-4) / 360)
    assert network.embed.weight.std() == pytest.approx(spread, rel=0.03)
    assert network.classify.weight.abs().max() == pytest.approx(math.sqrt(6 / 40), rel=0.05)
    assert (network.gate.weight == 0).all()
    assert (network.gate.bias == 1).all()


@torch.no_grad()
def test_at_the_start_the_logits_are_the_mean_over_time(network):
    """Step by step and for every sample, as the specification has it."""
    network.eval()
    windows = golden_windows()
    tokens = conv1d(pad(windows[:, None], (179, 180), mode="replicate"), network.embed.weight).mT + network.positions
    features = silu(network.norm(network.mamba(tokens)[0]))
    torch.testing.assert_close(network(windows), network.classify(features).mean(1), rtol=0, atol=1e-6)


@torch.no_grad()
def test_the_gate_weighs_time_by_its_largest_head(network):
    network.eval()
    nn.init.normal_(network.gate.weight)
    features = []
    network.gate.register_forward_pre_hook(lambda _, given: features.append(given[0]))
    logits = network(golden_windows())
    (h,) = features
    weights = torch.softmax(network.gate(h).amax(-1), dim=1)  # over time
    expected = (weights[..., None] * network.classify(h)).sum(1)
    torch.testing.assert_close(logits, expected, rtol=0, atol=1e-5)


def test_the_heads_of_the_gate_wake_up_one_per_update(network):
    """All tie at first. The gradient goes to the first of those that tie, so each update parts one more from them."""
    recipe = Recipe()
    optimiser = torch.optim.Adam(network.parameters())
    awake = []
    for update in range(1, 9):
        optimiser.param_groups[0]["lr"] = recipe.rate_at(update)
        optimiser.zero_grad()
        cross_entropy(network(golden_windows()[:1]), torch.tensor([3])).backward()
        moved = network.gate.weight.grad.any(1).nonzero()[:, 0].tolist()
        awake += [head for head in moved if head not in awake]
        assert awake == list(range(update))
        optimiser.step()


def test_pieces_change_neither_logits_nor_gradients(monkeypatch):
    network = filled(MambaSL(CLASSES)).double()
    found = []
    for tokens in (10_000, 10**6):
        monkeypatch.setattr(module, "TOKENS_AT_ONCE", tokens)
        network.zero_grad()
        logits = network(golden_windows()[:1].double())
        cross_entropy(logits, torch.tensor([5])).backward()
        found.append([logits.detach(), *(p.grad for p in network.parameters())])
    for got, expected in zip(*found, strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-9, atol=1e-14)


@torch.no_grad()
def test_in_training_a_tenth_of_the_tokens_is_dropped_and_a_tenth_of_what_is_pooled(network):
    assert {m.p for m in network.modules() if isinstance(m, nn.Dropout)} == {0.1}
    dropped = []
    network.dropout.register_forward_hook(lambda _, given, out: dropped.append(out))
    network(golden_windows()[:1])
    assert len(dropped) == 2
    for out in dropped:
        assert (out == 0).float().mean() == pytest.approx(0.1, abs=0.01)


@needs_cuda
def test_four_windows_train_in_the_paper_s_memory():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    network = MambaSL(CLASSES).cuda()
    optimiser = torch.optim.Adam(network.parameters())
    for _ in range(2):
        optimiser.zero_grad()
        cross_entropy(network(golden_windows().repeat(2, 1).cuda()), torch.arange(4).cuda()).backward()
        optimiser.step()
    assert torch.cuda.max_memory_allocated() - before < 251 * 2**20
