"""One recurrence, several ways: they agree on outputs, states and gradients, whatever the damping."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dualres.model import scan as scans


def by_position(name):
    def way(delta, u, b, c, theta, state=None):
        return getattr(scans, name)(scans.Coefficients(delta, u, b, c), theta, state)

    way.__name__ = name
    return way


scan, scan_pairwise, scan_ref, scan_step = map(by_position, ("scan", "scan_pairwise", "scan_ref", "scan_step"))
NAMES = ("delta", "u", "b", "c", "theta", "state")
DAMPINGS = [(1e-6, 1e-6), (1e-3, 1e-2), (0.1, 4.0), (4.0, 6.0), (20.0, 40.0), (79.0, 90.0), (1e3, 1e3), (1e-6, 1e3)]


def inputs(batch=2, tokens=37, width=6, states=3, damping=(0.01, 3.0), dtype=torch.float64, seed=0):
    """Random arguments; the damping is log-uniform between the given bounds."""
    g = torch.Generator().manual_seed(seed)

    def normal(*shape, kind=torch.float64):
        return torch.randn(*shape, generator=g, dtype=kind)

    low, high = map(math.log, damping)
    delta = torch.exp(low + (high - low) * torch.rand(batch, tokens, width, generator=g, dtype=torch.float64))
    complexes = [normal(batch, tokens, states, kind=torch.complex128) for _ in range(2)]
    theta = math.pi * torch.rand(states, generator=g, dtype=torch.float64)
    state = normal(batch, width, states, kind=torch.complex128)
    values = [delta, normal(batch, tokens, width), *complexes, theta, state]
    kinds = {torch.float64: torch.complex128, torch.float32: torch.complex64}
    return [x.to(kinds[dtype] if x.is_complex() else dtype).requires_grad_() for x in values]


def results(function, arguments):
    """Outputs, final state and the gradient of every argument for one fixed mixture of them."""
    y, state = function(*arguments)
    weights = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
    loss = (y * weights).sum() + (state.real * 0.7 - state.imag * 1.3).sum()
    gradients = torch.autograd.grad(loss, arguments)
    return {"y": y, "state": state} | {f"d{n}": g for n, g in zip(NAMES, gradients, strict=True)}


def assert_close(fast, reference, tolerance):
    for name, expected in reference.items():
        got = fast[name].detach()
        assert torch.isfinite(torch.view_as_real(got) if got.is_complex() else got).all(), name
        off = (got - expected).abs().max() / expected.abs().max().clamp(min=1e-30)
        assert off <= tolerance, f"{name} is off by {off:.2g} of its largest entry"


@pytest.mark.parametrize("damping", DAMPINGS, ids=str)
@pytest.mark.parametrize("tokens", [1, 5, 16, 37, 249])
def test_scan_equals_the_token_loop_in_float64(damping, tokens):
    arguments = inputs(tokens=tokens, damping=damping)
    reference = results(scan_ref, arguments)
    assert_close(results(scan, arguments), reference, 1e-10)
    assert_close(results(scan_pairwise, arguments), reference, 1e-10)


@pytest.mark.parametrize("damping", DAMPINGS, ids=str)
def test_scan_equals_the_exact_recurrence_in_float32(damping):
    exact = inputs(tokens=249, width=16, states=8, damping=damping)
    single = [x.detach().to(torch.complex64 if x.is_complex() else torch.float32).requires_grad_() for x in exact]
    # The reference starts from the same rounded numbers: what is compared is the computation.
    rounded = [x.detach().to(torch.complex128 if x.is_complex() else torch.float64).requires_grad_() for x in single]
    reference = results(scan_ref, rounded)
    assert_close(results(scan, single), reference, 1e-5)
    assert_close(results(scan_pairwise, single), reference, 1e-5)
    assert_close(results(scan_ref, single), reference, 1e-5)


def test_a_step_takes_one_token():
    with pytest.raises(ValueError, match="one token at a time, not 3"):
        scan_step(*inputs(tokens=3))


@pytest.mark.parametrize("function", [scan, scan_pairwise, scan_ref])
@pytest.mark.parametrize("damping", [(0.01, 3.0), (30.0, 50.0), (100.0, 200.0)], ids=str)
def test_gradients_are_derivatives(function, damping):
    assert torch.autograd.gradcheck(function, inputs(batch=1, tokens=6, width=2, states=2, damping=damping))


@pytest.mark.parametrize("function", [scan, scan_pairwise, scan_ref])
def test_the_recurrence_as_the_paper_writes_it(function):
    """Plain loops over windows, tokens, channels and oscillators, in NumPy."""
    arguments = [x.detach() for x in inputs(batch=2, tokens=9, width=3, states=2)]
    delta, u, b, c, theta, state = (x.numpy() for x in arguments)
    q, y = state.copy(), np.zeros(u.shape)
    for n, t, d in itertools.product(range(2), range(9), range(3)):
        alpha = math.exp(-delta[n, t, d])
        for k in range(2):
            q[n, d, k] = alpha * np.exp(-1j * theta[k]) * q[n, d, k] + (1 - alpha) * b[n, t, k] * u[n, t, d]
            y[n, t, d] += (np.conj(c[n, t, k]) * q[n, d, k]).real
    got_y, got_q = function(*arguments)
    np.testing.assert_allclose(got_y, y, atol=1e-12)
    np.testing.assert_allclose(got_q, q, atol=1e-12)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.sampled_from(DAMPINGS))
@settings(max_examples=40, deadline=None)
def test_pieces_of_any_size_give_the_whole(sizes, damping):
    delta, u, b, c, theta, state = (x.detach() for x in inputs(batch=1, tokens=sum(sizes), damping=damping))
    whole, last = scan(delta, u, b, c, theta, state)
    pieces = []
    for parts in zip(*(x.split(sizes, dim=1) for x in (delta, u, b, c)), strict=True):
        y, state = scan(*parts, theta, state)
        pieces.append(y)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=0, atol=1e-10)
    torch.testing.assert_close(state, last, rtol=0, atol=1e-10)


def test_without_a_state_it_starts_from_zero():
    *arguments, state = (x.detach() for x in inputs())
    for function in (scan, scan_pairwise, scan_ref):
        torch.testing.assert_close(function(*arguments), function(*arguments, torch.zeros_like(state)))


@pytest.mark.parametrize("function", [scan, scan_pairwise, scan_ref])
def test_bounded_writes_keep_the_state_bounded(function):
    delta, u, b, c, theta, state = (x.detach() for x in inputs(tokens=400, damping=(1e-4, 50.0)))
    written = (b[:, :, None, :].abs() * u[..., None].abs()).amax((1, 3))  # M, for each window and channel
    bound = torch.maximum(state.abs().amax(-1), written)
    for t in range(1, 400, 7):
        _, q = function(delta[:, :t], u[:, :t], b[:, :t], c[:, :t], theta, state)
        assert (q.abs().amax(-1) <= bound * (1 + 1e-12)).all()


@pytest.mark.parametrize("function", [scan, scan_pairwise, scan_ref])
def test_without_input_the_state_decays_by_the_summed_damping(function):
    delta, u, b, c, theta, state = (x.detach() for x in inputs(tokens=50, damping=(1e-3, 0.2)))
    _, q = function(delta, torch.zeros_like(u), b, c, theta, state)
    torch.testing.assert_close(q.abs(), torch.exp(-delta.sum(1))[..., None] * state.abs())


def test_rotating_coordinates_give_the_same():
    delta, u, b, c, theta, state = (x.detach() for x in inputs())
    a = torch.exp(-delta)
    r, ys = state, []
    for t in range(delta.shape[1]):
        phase = torch.exp(1j * (t + 1) * theta)
        r = a[:, t, :, None] * r + (1 - a[:, t, :, None]) * (phase * b[:, t])[:, None] * u[:, t, :, None]
        ys.append(((phase * c[:, t])[:, None].conj() * r).real.sum(-1))
    y, q = scan(delta, u, b, c, theta, state)
    torch.testing.assert_close(torch.stack(ys, 1), y)
    torch.testing.assert_close(r * torch.exp(-1j * delta.shape[1] * theta), q)


def test_a_real_selective_scan_with_scaled_input_gives_the_same():
    """h_t = exp(-Delta) h_{t-1} + Delta B (g u) with g = (1 - exp(-Delta)) / Delta, on real coordinates."""
    delta, u, b, c, theta, _ = (x.detach() for x in inputs())
    steps = torch.arange(1, delta.shape[1] + 1)[:, None]
    phase = torch.exp(1j * steps * theta)
    B = torch.view_as_real(b * phase).flatten(-2)
    C = torch.view_as_real(c * phase).flatten(-2)
    g = -torch.expm1(-delta) / delta
    h, ys = torch.zeros(*u[:, 0].shape, B.shape[-1], dtype=u.dtype), []
    for t in range(delta.shape[1]):
        write = (delta * g * u)[:, t, :, None] * B[:, t, None]
        h = torch.exp(-delta[:, t, :, None]) * h + write
        ys.append((C[:, t, None] * h).sum(-1))
    torch.testing.assert_close(torch.stack(ys, 1), scan(delta, u, b, c, theta)[0])
