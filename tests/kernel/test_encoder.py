"""The compiled training step against the modules in PyTorch, with the token loop in float64."""

from copy import deepcopy

import pytest
import torch

from dualres.config import ModelConfig
from dualres.kernel import compiled
from dualres.kernel.training import SLICE, available, threads_taken_over
from dualres.learn.trained.forward import encode
from dualres.model.network import Encoder
from dualres.model.scan import scan_ref

TOLERANCE = 2e-5  # of a tensor's largest entry; PyTorch in float32 is off by 1.1e-5 for some

pytestmark = pytest.mark.skipif(not available(), reason="the compiled library is not built")


def lively_encoder(damping=(0.01, 3.0), **settings) -> Encoder:
    """As if trained: no weight is zero. Damping per token goes from the first to the last channel."""
    sizes = {"rate": 2000, "window": 256, "hop": 8, "short": 16, "long": 64, "states": 4, "frequency_hz": (5.0, 100.0)}
    torch.manual_seed(0)
    encoder = Encoder(ModelConfig(**{**sizes, **settings}))
    with torch.no_grad():
        for p in encoder.parameters():
            p.add_(0.3 * torch.randn_like(p) * (p.abs().mean() + 0.05))
        first, last = torch.tensor(damping).log()
        rate = torch.tensor(encoder.config.token_rate)
        encoder.memory.log_rate.copy_(rate.log() + torch.linspace(first, last, encoder.config.width))
    return encoder


def views(encoder: Encoder, batch=2, tokens=37):
    g = torch.Generator().manual_seed(1)
    bins = encoder.config.short_bins, encoder.config.long_bins
    return [3 * torch.rand(batch, tokens, b, generator=g) for b in bins]


def step(encoder: Encoder, short, long) -> torch.Tensor:
    pooled = encode(encoder, short, long)
    return encoder(short, long) if pooled is None else pooled


def results(encoder: Encoder, short, long) -> dict[str, torch.Tensor]:
    encoder.zero_grad()
    pooled = step(encoder, short, long)
    (pooled * torch.linspace(-1, 2, pooled.numel(), dtype=pooled.dtype).view_as(pooled)).sum().backward()
    return {"pooled": pooled.detach()} | {n: p.grad for n, p in encoder.named_parameters() if p.requires_grad}


def exact_results(encoder: Encoder, short, long) -> dict[str, torch.Tensor]:
    """The same by the token loop in float64, with the same jitter."""
    exact = deepcopy(encoder).double()
    exact.memory.scan = scan_ref
    exact.memory._log_jitter = lambda batch: encoder.memory._log_jitter(batch).double()
    return results(exact, short.double(), long.double())


def assert_exact(encoder: Encoder, short, long, tolerance=TOLERANCE) -> None:
    assert encode(encoder, short, long) is not None
    torch.manual_seed(2)
    got = results(encoder, short, long)
    torch.manual_seed(2)
    for name, expected in exact_results(encoder, short, long).items():
        off = (got[name] - expected).abs().max() / expected.abs().max().clamp(min=1e-30)
        assert off <= tolerance, f"{name} is off by {off:.2g} of its largest entry"


@pytest.mark.parametrize(
    "damping", [(1e-6, 1e-6), (1e-3, 1e-2), (0.1, 4.0), (20.0, 40.0), (1e3, 1e3), (1e-6, 1e3)], ids=str
)
@pytest.mark.parametrize("tokens", [1, 5, 16, 37, 249])
def test_output_and_gradients_are_those_of_the_token_loop(variant, damping, tokens):
    encoder = lively_encoder(damping).train()
    assert_exact(encoder, *views(encoder, tokens=tokens))


@pytest.mark.parametrize("batch", [1, SLICE, SLICE + 1, 3 * SLICE - 1])
def test_batches_of_any_size(variant, batch):
    encoder = lively_encoder().train()
    assert_exact(encoder, *views(encoder, batch))


def test_the_paper_s_sizes(variant):
    encoder = lively_encoder(**vars(ModelConfig())).train()
    assert_exact(encoder, *views(encoder, tokens=249))


@pytest.mark.parametrize(
    "settings",
    [
        {"rotation": False},
        {"jitter": 0.0},
        {"branches": "short"},
        {"branches": "long"},
        {"memory": False},
        {"width": 128, "states": 8},
    ],
    ids=str,
)
def test_controls_and_other_sizes(variant, settings):
    encoder = lively_encoder(**settings).train()
    assert_exact(encoder, *views(encoder))
    assert all((p.grad is not None) == p.requires_grad for p in encoder.parameters())


def test_at_inference_there_is_no_jitter(variant):
    encoder = lively_encoder().eval()
    assert_exact(encoder, *views(encoder))


def test_the_number_of_threads_does_not_change_a_bit():
    encoder = lively_encoder().eval()
    inputs = views(encoder, batch=5 * SLICE + 1)
    seen = []
    for threads in (1, 2, 3, 2):
        torch.set_num_threads(threads)
        seen.append(results(encoder, *inputs))
        with threads_taken_over():
            assert torch.get_num_threads() == 1
            seen.append(results(encoder, *inputs))
    for other in seen[1:]:
        assert all(torch.equal(seen[0][name], other[name]) for name in seen[0])


def test_the_way_back_can_be_gone_twice():
    encoder = lively_encoder().eval()
    loss = step(encoder, *views(encoder)).sum()
    first = torch.autograd.grad(loss, list(encoder.parameters()), retain_graph=True)
    again = torch.autograd.grad(loss, list(encoder.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))


def test_views_with_gaps_are_understood():
    encoder = lively_encoder().eval()
    short, long = views(encoder, batch=6)
    expected = encode(encoder, short[::2].clone(), long[::2].clone())
    assert torch.equal(encode(encoder, short[::2], long[::2]), expected)


def test_second_derivatives_are_pytorch_s(monkeypatch):
    encoder = lively_encoder().eval()
    weight = encoder.mix.weight

    def second() -> torch.Tensor:
        (first,) = torch.autograd.grad(step(encoder, *views(encoder)).square().sum(), weight, create_graph=True)
        return torch.autograd.grad(first.square().sum(), weight)[0]

    with pytest.raises(RuntimeError, match="differentiate"):
        second()
    monkeypatch.setenv(compiled.SETTING, compiled.OFF)
    assert second().abs().max() > 0
