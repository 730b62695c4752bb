"""The oscillatory memory: its coefficients, and the recurrence as the paper writes it (Eq. 3 and 4).

For every window, channel d and oscillator k

    q_t = alpha_t exp(-i theta) q_{t-1} + (1 - alpha_t) b_t u_t,     alpha_t = exp(-delta_t)
    y_t = sum_k Re(conj(c_t) q_t)
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dualres.model.weights import Weights
from dualres.utils.arrays import Complex, Exact


class ReferenceCoefficients(NamedTuple):
    """What the recurrence takes at every token."""

    delta: Exact  # (n, tokens, width), positive damping increments
    u: Exact  # (n, tokens, width), input
    b: Complex  # (n, tokens, states), write vectors, shared by all channels
    c: Complex  # (n, tokens, states), read vectors


def affine(weights: Weights, name: str, x: npt.NDArray[np.floating]) -> Exact:
    """One of a network's affine maps, of the last axis of (n, tokens, features)."""
    return np.asarray(x @ weights.exact(f"{name}.weight").T + weights.exact(f"{name}.bias"))


def coefficients(weights: Weights, v: Exact) -> ReferenceCoefficients:
    """From normalised features (n, tokens, width)."""
    log_damping = weights.exact("encoder.memory.log_rate") - np.log(weights.config.token_rate)
    delta = np.exp(log_damping + np.tanh(affine(weights, "encoder.memory.damping", v)))
    states = weights.config.states
    vectors = (np.tanh(affine(weights, f"encoder.memory.{name}", v)) for name in ("write", "read"))  # real parts first
    b, c = (vector[..., :states] + 1j * vector[..., states:] for vector in vectors)
    return ReferenceCoefficients(delta, affine(weights, "encoder.memory.write_in", v), b, c / np.sqrt(states))


def walk(given: ReferenceCoefficients, theta: Exact, before: Complex | None = None) -> Iterator[Complex]:
    """q after each token in turn, (n, width, states); `theta` is the rotation per token in radians, (states,).

    `before` is q before the first token; the paper's is zero.
    """
    alpha, renewed, turn = np.exp(-given.delta), -np.expm1(-given.delta), np.exp(-1j * theta)
    written = renewed * given.u
    q = np.zeros((len(written), written.shape[2], len(theta)), np.complex128) if before is None else before
    for t in range(written.shape[1]):
        q = alpha[:, t, :, None] * turn * q + written[:, t, :, None] * given.b[:, t, None]
        yield q


def readout(given: ReferenceCoefficients, theta: Exact) -> Exact:
    """y of every token, (n, tokens, width)."""
    return read(given, walk(given, theta))


def read(given: ReferenceCoefficients, states: Iterable[Complex]) -> Exact:
    """The same from q after each token."""
    y = np.empty_like(given.u)
    for t, q in enumerate(states):
        y[:, t] = (given.c[:, t, None].conj() * q).real.sum(-1)
    return y
