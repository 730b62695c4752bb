"""The paper's network, taken apart.

The logits are linear in the mean over tokens of e_t + m_t: the features e_t, which are linear in the log-magnitudes of
both views, and what the gated memory adds, m_t. So the residual path is a sum over frequencies and tokens. The memory
mixes all of them; it is one part, computed forward by itself, and a sum over tokens. How much of it hangs on a band is
known to first order, by its gradient.
"""

import numpy as np

from dualres.explain.contributions import Contributions, Explanation, log_spectra
from dualres.explain.regions import SPECTRA, groupings
from dualres.judge.backends import Windows
from dualres.kernel.inference import TOGETHER
from dualres.model.reference.memory import ReferenceCoefficients, affine, coefficients, walk
from dualres.model.reference.network import EPSILON, gated, normed, sigmoid, standardised
from dualres.model.weights import Weights
from dualres.utils.arrays import Complex, Exact, Floats


def residual_shares(
    weights: Weights, windows: Windows, label: int, rival: int, *, neutral: Exact | None = None
) -> Contributions:
    """Of raw windows (n, window), between two classes by their numbers. Frequencies are counted from `neutral`
    log-magnitudes (short_bins + long_bins), or from silence."""
    config, group = weights.config, groupings(weights.config)[SPECTRA]
    head = weights.exact("head.weight")[label] - weights.exact("head.weight")[rival]  # (width,)
    maps = [weights.exact(f"encoder.{branch}.weight") for branch in ("short", "long")]
    biases = [weights.exact(f"encoder.{branch}.bias") for branch in ("short", "long")]
    for number, other in enumerate(("long", "short")):  # a branch that was removed says nothing
        if config.branches == other:
            maps[number], biases[number] = np.zeros_like(maps[number]), np.zeros_like(biases[number])
    halves = np.split(head, 2)
    per_unit = np.concatenate([half @ map for half, map in zip(halves, maps, strict=True)])
    zero = np.zeros(len(per_unit)) if neutral is None else neutral
    said = float(weights.exact("head.bias")[label] - weights.exact("head.bias")[rival])
    constant = said + float(head @ np.concatenate(biases)) + float(zero @ per_unit)
    residual, mean = np.empty((len(windows), config.tokens)), np.empty((len(windows), len(per_unit)))
    features = np.empty((len(windows), config.tokens, config.width), np.float32)
    narrow = [(map.astype(np.float32), bias.astype(np.float32)) for map, bias in zip(maps, biases, strict=True)]
    kept = []  # of every window, both views as the memory is told them
    for i, window in enumerate(windows):
        logs = log_spectra(window, config)
        mean[i] = logs.mean(0, dtype=np.float64)
        residual[i] = (logs.astype(np.float64) @ per_unit - zero @ per_unit) / config.tokens
        views = np.split(logs, [config.short_bins], axis=1)
        parts = zip(views, narrow, strict=True)
        features[i] = np.concatenate([view @ map.T + bias for view, (map, bias) in parts], axis=1)
        kept.append(views)
    regions = group.sums(per_unit * (mean - zero))
    memory, slopes = _memory(weights, features, head / config.tokens)
    hanging = np.array([_by_frequency(*each, [map for map, _ in narrow]) for each in zip(kept, slopes, strict=True)])
    of_zero = zip(np.split(slopes.sum(1), 2, axis=1), maps, strict=True)
    hanging -= zero * np.concatenate([half @ map for half, map in of_zero], axis=1)
    constants = np.full(len(windows), constant)
    tokens = residual + memory + constant / config.tokens
    heads = {"residual": regions.sum(1) + constants, "memory": memory.sum(1)}
    return Contributions(group.regions, regions, tokens, memory.sum(1), constants, heads, group.sums(hanging))


def _memory(weights: Weights, features: Floats, head: Exact) -> tuple[Exact, Floats]:
    """What the gated memory says at every token, (n, tokens), and its gradient by features (n, tokens, width)."""
    said, slopes = np.zeros(features.shape[:2]), np.zeros_like(features)
    if not weights.config.memory:
        return said + float(gated(weights, np.zeros((1, 1, weights.config.width)))[0, 0] @ head), slopes
    for some in (slice(first, first + TOGETHER) for first in range(0, len(features), TOGETHER)):
        said[some], slopes[some] = memory_said(weights, features[some].astype(np.float64), head)
    return said, slopes


def _by_frequency(views: list[Floats], slopes: Floats, maps: list[Floats]) -> Exact:
    """The sum over tokens of log-magnitudes times the gradient by them, (short_bins + long_bins,)."""
    parts = zip(views, np.split(slopes, 2, axis=1), maps, strict=True)
    found = [np.einsum("kf,kf->f", half.T @ view, map) for view, half, map in parts]
    return np.asarray(np.concatenate(found), np.float64)


def memory_said(weights: Weights, e: Exact, head: Exact) -> tuple[Exact, Exact]:
    """What the memory adds to features (n, tokens, width), by the head (width,): (n, tokens), and its sum's gradient by
    the features. The steps are those of `dualres.model.reference.memory`, walked backwards; a gradient by a complex
    number has that by its real part as its real part, and likewise the imaginary one."""
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


EXPLANATION = Explanation(residual_shares, counts_from=True)
