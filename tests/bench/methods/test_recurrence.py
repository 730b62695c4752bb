"""The recurrence in chunks equals the loop over time, in values and gradients, whatever the decay."""

import numpy as np
import pytest
import torch

import dualres.bench.methods.recurrence as module
from dualres.bench.methods.recurrence import recurrence, recurrence_ref

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_cuda)]
STEPS = [1, 2, 15, 16, 17, 31, 32, 33, 257, 521, 2053]
KINDS = ["zero", "one", "tiny", "random", "near one", "zero or one", "negative"]


def decays(kind, shape, generator):
    uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
    return {
        "zero": torch.zeros_like(uniform),
        "one": torch.ones_like(uniform),
        "tiny": 1e-30 * uniform,
        "random": uniform,
        "near one": 1 - 1e-3 * uniform,
        "zero or one": (uniform < 0.8).double(),
        "negative": -uniform,
    }[kind]


def inputs(kind="random", shape=(2, 3, 50), dtype=torch.float64, device="cpu", neighbours="rows"):
    """Decay, drive and start; in memory either the rows are neighbours, or the steps are."""
    g = torch.Generator().manual_seed(0)
    a, x = decays(kind, shape, g), torch.randn(shape, generator=g, dtype=torch.float64)
    start = torch.randn(shape[:-1], generator=g, dtype=torch.float64)
    if neighbours == "rows" and len(shape) > 1:
        a, x = a.mT.contiguous().mT, x.mT.contiguous().mT
    return [z.to(device, dtype).requires_grad_() for z in (a, x, start)]


def results(function, arguments):
    """States and the gradient of every argument for one fixed mixture of them."""
    h = function(*arguments)
    weights = torch.linspace(-1, 1, h.numel(), dtype=h.dtype, device=h.device).reshape(h.shape)
    return [h, *torch.autograd.grad((h * weights).sum(), arguments)]


def assert_close(fast, reference, tolerance):
    for name, got, expected in zip(("h", "da", "dx", "dstart"), fast, reference, strict=True):
        off = (got.cpu() - expected.cpu()).abs().max() / expected.abs().max().cpu().clamp(min=1e-30)
        assert off <= tolerance, f"{name} is off by {off:.2g} of its largest entry"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", STEPS)
def test_chunks_equal_the_loop_in_float64(kind, steps, device):
    arguments = inputs(kind, (2, 3, steps), device=device)
    assert_close(results(recurrence, arguments), results(recurrence_ref, arguments), 1e-12)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
def test_chunks_equal_the_exact_loop_in_float32(kind, device):
    single = inputs(kind, (2, 33, 1031), torch.float32, device)
    # The reference starts from the same rounded numbers: what is compared is the computation.
    rounded = [z.detach().double().requires_grad_() for z in single]
    assert_close(results(recurrence, single), results(recurrence_ref, rounded), 1e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("neighbours", ["rows", "steps"])
@pytest.mark.parametrize("shape", [(70,), (3, 70), (2, 3, 70), (2, 3, 5, 70), (1, 40, 300)])
def test_any_number_of_axes_and_any_layout_will_do(shape, neighbours, device):
    arguments = inputs(shape=shape, device=device, neighbours=neighbours)
    assert_close(results(recurrence, arguments), results(recurrence_ref, arguments), 1e-12)


@pytest.mark.parametrize("device", DEVICES)
def test_axes_between_the_first_and_the_last_may_lie_apart(device):
    """As states do beside channels, steps before both in memory."""
    g = torch.Generator().manual_seed(0)
    a, x = (torch.rand(2, 200, 3, 5, generator=g, dtype=torch.float64).to(device).movedim(1, -1) for _ in range(2))
    torch.testing.assert_close(recurrence(a, x), recurrence_ref(a, x))
    a, x = a.transpose(0, 2), x.transpose(0, 1).contiguous().transpose(0, 1).transpose(0, 2)
    torch.testing.assert_close(recurrence(a, x), recurrence_ref(a, x))


@pytest.mark.parametrize("function", [recurrence, recurrence_ref])
def test_the_recurrence_as_it_is_written(function):
    a, x, start = (z.detach() for z in inputs(shape=(4, 100)))
    h = np.zeros((4, 100))
    for row in range(4):
        state = float(start[row])
        for t in range(100):
            state = float(a[row, t]) * state + float(x[row, t])
            h[row, t] = state
    np.testing.assert_allclose(function(a, x, start), h, atol=1e-12)


@pytest.mark.parametrize("steps", [1, 6, 35])
def test_gradients_are_derivatives(steps):
    assert torch.autograd.gradcheck(recurrence, inputs(shape=(2, steps)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("steps", [1, 40])
def test_without_a_start_it_is_zero_and_the_first_decay_has_a_gradient_that_is_zero(steps, device):
    a, x, start = inputs(shape=(3, steps), device=device)
    for function in (recurrence, recurrence_ref):
        assert (function(a, x) == function(a, x, torch.zeros_like(start))).all()
    recurrence(a, x).sum().backward()
    assert a.grad is not None
    assert (a.grad[:, 0] == 0).all()
    if steps > 1:
        assert (a.grad[:, 1:] != 0).all()


@pytest.mark.parametrize("device", DEVICES)
def test_pieces_give_the_whole(device):
    a, x, start = inputs(shape=(2, 3, 400), device=device)
    whole = recurrence(a, x, start)
    state, pieces = start, []
    for a_piece, x_piece in zip(a.split([130, 1, 200, 69], -1), x.split([130, 1, 200, 69], -1), strict=True):
        pieces.append(recurrence(a_piece, x_piece, state))
        state = pieces[-1][..., -1]
    torch.testing.assert_close(torch.cat(pieces, -1), whole, rtol=0, atol=1e-12)


@needs_cuda
def test_a_gpu_without_triton_runs_the_same_in_torch(monkeypatch):
    arguments = inputs(shape=(2, 3, 500), device="cuda")
    with_kernels = results(recurrence, arguments)
    monkeypatch.setattr(module, "_kernels", lambda: None)
    assert_close(results(recurrence, arguments), with_kernels, 1e-12)
