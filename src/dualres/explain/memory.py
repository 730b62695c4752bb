"""What the gated memory of the paper's network says at every token, and how far that hangs on what it is told.

The steps are those of `dualres.model.reference.memory`, walked backwards for the gradient. The gradient by a complex
number has that by its real part as its real part, and likewise the imaginary one.
"""

import numpy as np

from dualres.model.reference.memory import ReferenceCoefficients, affine, coefficients, walk
from dualres.model.reference.network import EPSILON, normed, sigmoid, standardised
from dualres.model.weights import Weights
from dualres.utils.arrays import Complex, Exact


def memory_said(weights: Weights, e: Exact, head: Exact) -> tuple[Exact, Exact]:
    """What the memory adds to features (n, tokens, width), by the head (width,): (n, tokens), and its sum's gradient
    by the features, in their shape."""
    v = normed(weights, e)
    given, theta = coefficients(weights, v), weights.theta()
    q = np.stack(list(walk(given, theta)), axis=1)
    y = (given.c.conj()[:, :, None] * q).real.sum(-1)
    mixed, gate = affine(weights, "encoder.mix", y), affine(weights, "encoder.gate", y)
    share = sigmoid(gate)
    by_y = (head * gate * share) @ weights.exact("encoder.mix.weight")
    by_y += (head * mixed * share * (1 + gate * (1 - share))) @ weights.exact("encoder.gate.weight")
    by_v = _by_normed(weights, v, given, _by_coefficients(given, theta, q, by_y))
    return (mixed * gate * share) @ head, _by_features(weights, e, by_v)


def _by_coefficients(given: ReferenceCoefficients, theta: Exact, q: Complex, by_y: Exact) -> ReferenceCoefficients:
    """The gradient by the coefficients, from that by the readout (n, tokens, width)."""
    alpha, renewed, turn = np.exp(-given.delta), -np.expm1(-given.delta), np.exp(-1j * theta)
    by_q = given.c[:, :, None] * by_y[..., None]
    for t in range(q.shape[1] - 1, 0, -1):
        by_q[:, t - 1] += turn.conj() * alpha[:, t, :, None] * by_q[:, t]
    by_written = (by_q.conj() * given.b[:, :, None]).real.sum(-1)
    by_alpha = np.zeros_like(given.delta)
    by_alpha[:, 1:] = (by_q[:, 1:].conj() * turn * q[:, :-1]).real.sum(-1)
    return ReferenceCoefficients(
        delta=alpha * (given.u * by_written - by_alpha),
        u=renewed * by_written,
        b=np.einsum("ntw,ntwk->ntk", renewed * given.u, by_q),
        c=np.einsum("ntw,ntwk->ntk", by_y, q),
    )


def _by_normed(weights: Weights, v: Exact, given: ReferenceCoefficients, by: ReferenceCoefficients) -> Exact:
    """The gradient by normalised features, back through the four maps and what bounds them."""
    root = np.sqrt(weights.config.states)
    modulated = np.tanh(affine(weights, "encoder.memory.damping", v))
    by_maps = {
        "damping": by.delta * given.delta * (1 - modulated**2),
        "write_in": by.u,
        "write": _by_pairs(given.b, by.b),
        "read": _by_pairs(given.c * root, by.c / root),
    }
    parts = [by_map @ weights.exact(f"encoder.memory.{name}.weight") for name, by_map in by_maps.items()]
    return np.asarray(np.sum(parts, axis=0))


def _by_pairs(bounded: Complex, by: Complex) -> Exact:
    """The gradient by what the hyperbolic tangent made a complex vector of, real parts first."""
    return np.concatenate([by.real * (1 - bounded.real**2), by.imag * (1 - bounded.imag**2)], axis=-1)


def _by_features(weights: Weights, e: Exact, by_v: Exact) -> Exact:
    """The gradient by features, back through their normalisation."""
    by_standard, standard = by_v * weights.exact("encoder.norm.weight"), standardised(e)
    mean, along = by_standard.mean(-1, keepdims=True), (by_standard * standard).mean(-1, keepdims=True)
    return np.asarray((by_standard - mean - standard * along) / np.sqrt(e.var(-1, keepdims=True) + EPSILON))
