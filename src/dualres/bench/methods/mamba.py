"""The Mamba block: a memory whose step, input and (where selective) output depend on what it reads.

For every channel e and state n, with a step delta > 0 and A < 0,

    h_t = exp(delta_t A) h_{t-1} + delta_t B_t u_t,     y_t = sum_n C h_t

`selective_scan_ref` says so in a loop; `selective_scan` computes it in parallel over tokens.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import conv2d, pad, silu, softplus

from dualres.bench.methods.recurrence import recurrence

SHORTEST_STEP, LONGEST_STEP = 1e-3, 0.1  # the steps at initialisation are drawn between them, log-uniformly


class BlockState(NamedTuple):
    """What a block remembers of the tokens before."""

    inputs: Tensor  # (batch, taps - 1, inner), of the convolution
    memory: Tensor  # (batch, inner, states)


def selective_scan_ref(
    u: Tensor, delta: Tensor, A: Tensor, *, B: Tensor, C: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """The token loop; shapes as for `selective_scan`."""
    h, ys = start, []
    for t in range(u.shape[1]):
        step = delta[:, t, :, None]
        h = torch.exp(step * A) * h + step * B[:, t, None, :] * u[:, t, :, None]
        read = C if C.ndim == 2 else C[:, t, None, :]
        ys.append((read * h).sum(-1))
    return torch.stack(ys, dim=1), h


def selective_scan(
    u: Tensor, delta: Tensor, A: Tensor, *, B: Tensor, C: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """Readout y (batch, tokens, inner) and the state after the last token.

    u, delta   (batch, tokens, inner)     input and positive step
    A          (inner, states)            negative rates
    B          (batch, tokens, states)    write vector
    C          as B, or (inner, states)   read vector; fixed in the second form
    start      (batch, inner, states)     state before the first token
    """
    decay = (delta[..., None] * A).exp_()  # (batch, tokens, inner, states)
    drive = (delta * u)[..., None] * B[:, :, None, :]
    h = recurrence(decay.movedim(1, -1), drive.movedim(1, -1), start).movedim(-1, 1)
    return _read(h, C), h[:, -1].clone()  # a view would keep all states in memory


def _read(h: Tensor, C: Tensor) -> Tensor:
    if C.ndim == 3:
        return (h @ C[..., None])[..., 0]
    weighted = h * C
    return weighted.squeeze(-1) if C.shape[-1] == 1 else weighted.sum(-1)  # the sum of one would be a copy


class Mamba(nn.Module):
    """(batch, tokens, width) to the same, and the state after the last token.

    With `fixed_read` C is learned for each channel and there is no skip connection around the memory; otherwise C is
    selective and there is one.
    """

    def __init__(self, width: int, *, inner: int, states: int, taps: int, fixed_read: bool) -> None:
        super().__init__()
        rank = math.ceil(width / 16)
        self.sizes = [rank, states] if fixed_read else [rank, states, states]
        self.read = nn.Parameter(torch.rand(inner, states)) if fixed_read else None
        self.log_rate = nn.Parameter(torch.arange(1, states + 1).float().log().repeat(inner, 1))
        self.skip = None if fixed_read else nn.Parameter(torch.ones(inner))
        self.enter = nn.Linear(width, 2 * inner, bias=False)
        self.smooth = nn.Conv1d(inner, inner, taps, groups=inner)
        self.select = nn.Linear(inner, sum(self.sizes), bias=False)
        self.step = nn.Linear(rank, inner)
        self.leave = nn.Linear(inner, width, bias=False)
        nn.init.uniform_(self.step.weight, -(rank**-0.5), rank**-0.5)
        with torch.no_grad():
            step = torch.empty(inner).uniform_(math.log(SHORTEST_STEP), math.log(LONGEST_STEP)).exp()
            self.step.bias.copy_(step + torch.log(-torch.expm1(-step)))  # softplus gives the step back

    def fresh(self, batch: int) -> BlockState:
        """The state before the first token."""
        inner, states = self.log_rate.shape
        zeros, taps = self.log_rate.new_zeros, self.smooth.weight.shape[-1]
        return BlockState(zeros(batch, taps - 1, inner), zeros(batch, inner, states))

    def forward(self, tokens: Tensor, state: BlockState | None = None) -> tuple[Tensor, BlockState]:
        state = state or self.fresh(len(tokens))
        u, gate = self.enter(tokens).chunk(2, dim=-1)
        inputs = torch.cat([state.inputs, u], dim=1)
        taps, bias = self.smooth.parameters()
        u = silu(causal_convolution(inputs, taps[:, 0], bias))
        low, B, *C = self.select(u).split(self.sizes, dim=-1)
        delta = softplus(self.step(low))
        read = C[0] if self.read is None else self.read
        y, memory = selective_scan(u, delta, -torch.exp(self.log_rate), B=B, C=read, start=state.memory)
        if self.skip is not None:
            y = y + self.skip * u
        return self.leave(y * silu(gate)), BlockState(inputs[:, tokens.shape[1] :].clone(), memory)


def causal_convolution(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Each channel with its own taps, the last one on the current token.

    (batch, taps - 1 + tokens, channels) with weight (channels, taps) and bias (channels,) to (batch, tokens, channels).
    """
    y: Tensor = _CausalConvolution.apply(inputs, weight, bias)  # type: ignore[no-untyped-call]
    return y


class _CausalConvolution(torch.autograd.Function):
    """With channels last, and a backward pass several times faster on a CPU than PyTorch's grouped convolution's."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(inputs, weight)
        return _correlate(inputs, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        inputs, weight = ctx.saved_tensors
        tokens, margin = gradient.shape[1], weight.shape[1] - 1
        to_inputs = _correlate(pad(gradient, (0, 0, margin, margin)), weight.flip(1), torch.zeros_like(weight[:, 0]))
        products = torch.empty_like(gradient)
        shifted = (inputs[:, shift : shift + tokens] for shift in range(margin + 1))
        to_taps = [torch.mul(gradient, seen, out=products).sum((0, 1)) for seen in shifted]
        return to_inputs, torch.stack(to_taps, dim=1), gradient.sum((0, 1))


def _correlate(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    channels, taps = weight.shape
    tokens = inputs.shape[1] - taps + 1
    if not inputs.is_cuda:
        return conv2d(inputs.mT[:, :, None], weight[:, None, None], bias, groups=channels)[:, :, 0].mT
    y = torch.addcmul(bias, inputs[:, :tokens], weight[:, 0])  # cuDNN might round the factors to TF32
    for shift in range(1, taps):
        y.addcmul_(inputs[:, shift : shift + tokens], weight[:, shift])
    return y
