"""One recurrence, and the ways to run it.

For every window, channel d and oscillator k (Eq. 3 of the paper)

    q_t = alpha_t exp(-i theta) q_{t-1} + (1 - alpha_t) b_t u_t,     alpha_t = exp(-delta_t)
    y_t = sum_k Re(conj(c_t) q_t)

`scan_step` does one token, `scan_ref` walks the tokens with it, and `scan` computes the same in
chunks of tokens, on a GPU by way of `scan_pairwise`. All share one signature:

    delta   (batch, tokens, width)    positive damping increments per token
    u       (batch, tokens, width)    input
    b, c    (batch, tokens, states)   complex write and read vectors, shared by all channels
    theta   (states,)                 rotation per token, radians
    state   (batch, width, states)    complex q before the first token; zero where None

and return y, (batch, tokens, width), with the state after the last token.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

LONGEST_CHUNK = 32  # tokens
PAIRWISE_CHUNK = 16  # tokens
LARGEST_SPAN = 80.0  # damping summed over a chunk; exp(+-40) is far from float32's limits

State = Tensor | None
ScanResult = tuple[Tensor, Tensor]


class Coefficients(NamedTuple):
    """What the recurrence takes at every token."""

    delta: Tensor
    u: Tensor
    b: Tensor
    c: Tensor


Scan = Callable[[Coefficients, Tensor, State], ScanResult]


def renewed(delta: Tensor) -> Tensor:
    """1 - alpha: the share of the state that a token replaces, precise for any damping."""
    share: Tensor = _OneMinusExp.apply(delta)  # type: ignore[no-untyped-call]
    return share


class _OneMinusExp(torch.autograd.Function):
    """-expm1(-delta). PyTorch would differentiate it as 1 + expm1(-delta), which is all rounding at strong damping."""

    @staticmethod
    def forward(ctx: Any, delta: Tensor) -> Tensor:
        ctx.save_for_backward(delta)
        return -torch.expm1(-delta)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (delta,) = ctx.saved_tensors
        return gradient * torch.exp(-delta)


def scan_step(given: Coefficients, theta: Tensor, state: State = None) -> ScanResult:
    """Exactly one token: the recurrence as it stands in the paper."""
    delta, u, b, c = given
    if delta.shape[1] != 1:
        raise ValueError(f"scan_step takes one token at a time, not {delta.shape[1]}")
    q = _zero_state(u, b) if state is None else state
    alpha, write = torch.exp(-delta).mT, renewed(delta).mT  # (batch, width, 1)
    turn = torch.polar(torch.ones_like(theta), -theta)
    q = alpha * turn * q + write * b * u.mT
    return (c.conj() * q).real.sum(-1)[:, None, :], q


def scan_ref(given: Coefficients, theta: Tensor, state: State = None) -> ScanResult:
    """The token loop: slow, and plainly the recurrence."""
    q = _zero_state(given.u, given.b) if state is None else state
    ys = []
    for t in range(given.delta.shape[1]):
        y, q = scan_step(Coefficients(*(each[:, t : t + 1] for each in given)), theta, q)
        ys.append(y)
    return torch.cat(ys, dim=1), q


def scan(given: Coefficients, theta: Tensor, state: State = None) -> ScanResult:
    """The same in chunks: a few matrix products, and a loop over chunks instead of tokens.

    In coordinates that rotate along, r_j = exp(i j theta) q_j at token j of a chunk, the decay is
    real. Let D_j be the damping summed from the chunk's start through token j, and
    w_j = (1 - alpha_j) u_j. Then, for any reference level m,

        y_j = G_jj w_j + exp(m - D_j) [ sum_{s < j} G_js exp(D_s - m) w_s + Re conj(c'_j) exp(-m) q_start ]

    where b' and c' are b and c rotated and G_js = Re sum_k conj(c'_j) b'_s does not depend on the
    channel. The two exponentials would overflow if a chunk's damping summed to too much, so the
    chunk length follows from the largest damping present: usually 16 to 32 tokens, and a single one
    where the damping is extreme. A token's own write, which has neither decayed nor rotated, stays
    out of these products: at strong damping its rounding would drown the gradients of the rest. The
    result is therefore exact for every positive damping.

    On a GPU `scan_pairwise` takes over: looking at the largest damping would wait for the device.
    """
    if given.delta.is_cuda:
        return scan_pairwise(given, theta, state)
    chunks = _Chunks(given, theta, _chunk_length(given.delta, given.delta.shape[1]))
    summed, written = chunks.summed, chunks.written
    # y does not depend on the level, so neither does its gradient.
    level = (0.5 * (summed[:, :, :1] + summed[:, :, -1:])).detach()
    raised = torch.exp(summed - level) * written
    fade = torch.exp(level - summed)
    enter = torch.exp(-level).mT  # (batch, count, width, 1)
    leave = fade[:, :, -1:].mT
    earlier = leave * (raised[:, :, :-1].mT @ chunks.along_b[:, :, :-1])
    starts, q = chunks.walk(leave * enter, earlier, state)
    older = (chunks.along_c @ chunks.along_b.mT).tril(-1) @ raised
    return chunks.unfold(fade * (older + chunks.along_c @ _as_pairs(enter * starts).mT)), q


def scan_pairwise(given: Coefficients, theta: Tensor, state: State = None) -> ScanResult:
    """`scan` with a separate sum S_js of the damping between every two tokens s < j of a chunk: more work, but nothing
    overflows or cancels. The chunk length need not follow the damping, so the scan can be part of a CUDA graph."""
    length = min(PAIRWISE_CHUNK, given.delta.shape[1])
    chunks = _Chunks(given, theta, length)
    place = torch.arange(length, device=theta.device)
    after, upto = place > place[:, None], place <= place[:, None]  # (s, i) and (j, i)
    between = (upto[:, None] & after).to(given.delta.dtype).flatten(0, 1)  # 1 where s < i <= j, (length**2, length)
    sums = (between @ chunks.delta).unflatten(2, (length, length))  # (batch, count, j, s, width)
    gram = (chunks.along_c @ chunks.along_b.mT).tril(-1)
    older = (gram[..., None] * torch.exp(-sums) * chunks.written[:, :, None]).sum(3)
    to_end = torch.exp(-sums[:, :, -1, :-1]) * chunks.written[:, :, :-1]
    earlier = to_end.mT @ chunks.along_b[:, :, :-1]
    starts, q = chunks.walk(torch.exp(-chunks.summed[:, :, -1:]).mT, earlier, state)
    return chunks.unfold(older + torch.exp(-chunks.summed) * (chunks.along_c @ _as_pairs(starts).mT)), q


class _Chunks:
    """Tokens cut into chunks of equal length, in coordinates that rotate along from each chunk's start."""

    def __init__(self, given: Coefficients, theta: Tensor, length: int) -> None:
        delta, tokens = given.delta, given.delta.shape[1]
        count = math.ceil(tokens / length)
        self.missing = count * length - tokens  # padded in front, with tokens that neither write nor decay
        self.delta, u, self.b, self.c = (
            pad(x, (0, 0, self.missing, 0)).unflatten(1, (count, length)) for x in given
        )  # (batch, count, length, ...)
        self.theta = theta
        steps = torch.arange(1, length + 1, device=theta.device, dtype=theta.dtype)
        ahead = torch.polar(torch.ones_like(theta), theta * steps[:, None])  # exp(i j theta), (length, states)
        self.turn = ahead[-1].conj()  # from one chunk's coordinates to the next one's
        # Real, (batch, count, length, 2 * states).
        self.along_b, self.along_c = _as_pairs(self.b * ahead), _as_pairs(self.c * ahead)
        # Summed by a matrix product: several times faster than cumsum along this axis, in both directions.
        self.summed = torch.ones(length, length, dtype=delta.dtype, device=delta.device).tril() @ self.delta
        self.written = renewed(self.delta) * u

    def walk(self, decay: Tensor, earlier: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor]:
        """The states before each chunk, (batch, count, width, states), and the one after the last.

        `decay` (batch, count, width, 1) is a whole chunk's, `earlier` (batch, count, width, 2 * states) what all of its
        tokens but the last leave in the state.
        """
        decays = decay * self.turn
        writes = (
            torch.view_as_complex(earlier.unflatten(-1, (-1, 2))) * self.turn
            + self.written[:, :, -1:].mT * self.b[:, :, -1:]
        )
        # The padding of the first chunk rotates the state as well; turn it back beforehand.
        q = torch.zeros_like(writes[:, 0]) if state is None else state * torch.exp(1j * self.missing * self.theta)
        starts = []
        for chunk_decay, write in zip(decays.unbind(1), writes.unbind(1), strict=True):
            starts.append(q)
            q = torch.addcmul(write, chunk_decay, q)
        return torch.stack(starts, dim=1), q

    def unfold(self, others: Tensor) -> Tensor:
        """y in the order of tokens, from what all writes but a token's own contribute to it."""
        own = (self.c.conj() * self.b).real.sum(-1, keepdim=True) * self.written
        y: Tensor = (own + others).flatten(1, 2)[:, self.missing :]
        return y


def _chunk_length(delta: Tensor, tokens: int) -> int:
    largest = float(delta.detach().amax())
    if not math.isfinite(largest):
        return 1
    longest = min(LONGEST_CHUNK, tokens)
    return min(longest, 1 + int(LARGEST_SPAN / max(largest, LARGEST_SPAN / longest)))


def _as_pairs(z: Tensor) -> Tensor:
    """Complex (..., n) to real (..., 2 n), real and imaginary parts side by side."""
    return torch.view_as_real(z).flatten(-2)


def _zero_state(u: Tensor, b: Tensor) -> Tensor:
    return b.new_zeros(u.shape[0], u.shape[2], b.shape[2])
