"""The Mamba block: the parallel scan equals the token loop, the block equals the specification's formulas."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import conv1d, softplus

from dualres.bench.methods.mamba import Mamba, causal_convolution, selective_scan, selective_scan_ref

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA here"))]
NAMES = ("u", "delta", "A", "B", "C", "start")


def inputs(tokens=37, inner=4, states=3, fixed=False, batch=2, dtype=torch.float64, device="cpu"):
    g = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    u, delta = normal(batch, tokens, inner), softplus(normal(batch, tokens, inner))
    A, B = -torch.exp(normal(inner, states)), normal(batch, tokens, states)
    C = normal(inner, states) if fixed else normal(batch, tokens, states)
    start = normal(batch, inner, states)
    return [z.to(device, dtype).requires_grad_() for z in (u, delta, A, B, C, start)]


def results(function, arguments):
    """Readout, last state and the gradient of every argument for one fixed mixture of them."""
    u, delta, rates, *rest = arguments
    y, state = function(u, delta, rates, **dict(zip(("B", "C", "start"), rest, strict=True)))
    weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype, device=y.device).reshape(y.shape)
    gradients = torch.autograd.grad((y * weights).sum() + 0.7 * state.sum(), arguments)
    return {"y": y, "state": state} | {f"d{n}": g for n, g in zip(NAMES, gradients, strict=True)}


def assert_close(fast, reference, tolerance):
    for name, expected in reference.items():
        off = (fast[name].detach().cpu() - expected.cpu()).abs().max() / expected.abs().max().cpu()
        assert off <= tolerance, f"{name} is off by {off:.2g} of its largest entry"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("states", [1, 3])
@pytest.mark.parametrize("tokens", [1, 5, 37, 300])
def test_selective_scan_equals_the_token_loop(tokens, states, fixed, device):
    arguments = inputs(tokens, states=states, fixed=fixed, device=device)
    assert_close(results(selective_scan, arguments), results(selective_scan_ref, arguments), 1e-12)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("fixed", [True, False])
def test_selective_scan_equals_the_exact_token_loop_in_float32(fixed, device):
    single = inputs(300, inner=8, fixed=fixed, dtype=torch.float32, device=device)
    rounded = [z.detach().double().requires_grad_() for z in single]
    assert_close(results(selective_scan, single), results(selective_scan_ref, rounded), 1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("tokens", [1, 2, 50])
def test_the_convolution_is_pytorch_s_in_values_and_gradients(tokens, device):
    g = torch.Generator().manual_seed(0)
    shapes = (2, tokens + 3, 6), (6, 4), (6,), (2, tokens, 6)
    *arguments, weights = (torch.randn(*shape, generator=g, dtype=torch.float64).to(device) for shape in shapes)
    for z in arguments:
        z.requires_grad_()
    x, taps, bias = arguments
    ours, theirs = causal_convolution(x, taps, bias), conv1d(x.mT, taps[:, None], bias, groups=6).mT
    torch.testing.assert_close(ours, theirs)
    for got, expected in zip(
        torch.autograd.grad((ours * weights).sum(), arguments),
        torch.autograd.grad((theirs * weights).sum(), arguments),
        strict=True,
    ):
        torch.testing.assert_close(got, expected)


def test_gradients_of_the_convolution_are_derivatives():
    g, shapes = torch.Generator().manual_seed(0), ((2, 6, 3), (3, 4), (3,))
    arguments = [torch.randn(*shape, generator=g, dtype=torch.float64).requires_grad_() for shape in shapes]
    assert torch.autograd.gradcheck(causal_convolution, arguments)


def small_block(fixed_read, width=6, inner=5, states=3):
    torch.manual_seed(0)
    return Mamba(width, inner=inner, states=states, taps=4, fixed_read=fixed_read).double()


@pytest.mark.parametrize("fixed_read", [True, False])
@torch.no_grad()
def test_the_block_as_the_specification_writes_it(fixed_read):
    """Plain loops over tokens, channels and states, in NumPy."""
    block = small_block(fixed_read)
    tokens = torch.randn(1, 9, 6, dtype=torch.float64)
    p = {name: value.numpy() for name, value in block.named_parameters()}

    def silu(v):
        return v / (1 + np.exp(-v))

    mapped = tokens[0].numpy() @ p["enter.weight"].T
    u, z = mapped[:, :5], mapped[:, 5:]
    padded = np.concatenate([np.zeros((3, 5)), u])
    u = silu(np.stack([(padded[t : t + 4].T * p["smooth.weight"][:, 0]).sum(1) for t in range(9)]) + p["smooth.bias"])
    selected = u @ p["select.weight"].T
    low, B, C = selected[:, :1], selected[:, 1:4], selected[:, 4:]
    delta = np.log1p(np.exp(low @ p["step.weight"].T + p["step.bias"]))
    h, y = np.zeros((5, 3)), np.zeros((9, 5))
    for t in range(9):
        for e in range(5):
            for n in range(3):
                decay = math.exp(-delta[t, e] * math.exp(p["log_rate"][e, n]))
                h[e, n] = decay * h[e, n] + delta[t, e] * B[t, n] * u[t, e]
                y[t, e] += (p["read"][e, n] if fixed_read else C[t, n]) * h[e, n]
            if not fixed_read:
                y[t, e] += p["skip"][e] * u[t, e]
    expected = (y * silu(z)) @ p["leave.weight"].T
    got, state = block(tokens)
    np.testing.assert_allclose(got[0], expected, atol=1e-12)
    np.testing.assert_allclose(state.memory[0], h, atol=1e-12)


@pytest.mark.parametrize("fixed_read", [True, False])
@torch.no_grad()
def test_pieces_of_any_size_give_the_whole(fixed_read):
    block = small_block(fixed_read)
    tokens = torch.randn(2, 60, 6, dtype=torch.float64)
    whole, last = block(tokens)
    state, pieces = None, []
    for piece in tokens.split([1, 2, 40, 17], dim=1):
        out, state = block(piece, state)
        pieces.append(out)
    torch.testing.assert_close(torch.cat(pieces, 1), whole)
    torch.testing.assert_close(tuple(state), tuple(last))


@torch.no_grad()
def test_a_token_does_not_see_later_ones():
    block = small_block(fixed_read=False)
    tokens = torch.randn(1, 40, 6, dtype=torch.float64)
    torch.testing.assert_close(block(tokens)[0][:, :25], block(tokens[:, :25])[0])


@torch.no_grad()
def test_what_a_block_starts_from():
    torch.manual_seed(0)
    block = Mamba(192, inner=384, states=128, taps=4, fixed_read=False)
    steps = softplus(block.step.bias)
    assert (steps > 0.999e-3).all()
    assert (steps < 0.1001).all()
    assert steps.log().mean() == pytest.approx(math.log(1e-2), abs=0.2)  # log-uniform
    assert block.step.weight.abs().max() == pytest.approx(12**-0.5, rel=1e-2)
    assert torch.equal(block.log_rate[7], torch.arange(1, 129).float().log())
    assert (block.skip == 1).all()
    read = Mamba(32, inner=32, states=1, taps=4, fixed_read=True).read
    assert ((read >= 0) & (read < 1)).all()
    assert read.mean() == pytest.approx(0.5, abs=0.15)


def test_tensors_are_registered_in_the_specification_s_order():
    around = ["enter.weight", "smooth.weight", "smooth.bias", "select.weight", "step.weight", "step.bias"]
    for fixed_read, own in ((True, ["read", "log_rate"]), (False, ["log_rate", "skip"])):
        names = [name for name, _ in small_block(fixed_read).named_parameters()]
        assert names == [*own, *around, "leave.weight"]


def test_with_one_token_the_rates_have_a_gradient_and_it_is_zero():
    block = small_block(fixed_read=False)
    block(torch.randn(3, 1, 6, dtype=torch.float64))[0].sum().backward()
    assert all(p.grad is not None for p in block.parameters())
    assert (block.log_rate.grad == 0).all()
    assert (block.smooth.weight.grad[..., :3] == 0).all()  # the other taps see nothing but padding
