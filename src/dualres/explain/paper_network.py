"""The paper's network, taken apart.

The logits are linear in the mean over tokens of e_t + m_t: the features e_t, which are linear in the log-magnitudes of
both views, and what the gated memory adds, m_t. So the residual path is a sum over frequencies and tokens. The memory
mixes all of them; it is one part, computed forward by itself, and a sum over tokens. How much of it hangs on a band is
known to first order, by its gradient.
"""

import numpy as np

from dualres.explain.contributions import Contributions, Explanation
from dualres.explain.memory import memory_said
from dualres.explain.regions import SPECTRA, groupings
from dualres.explain.tokens import log_spectra
from dualres.judge.backends import Windows
from dualres.kernel.inference import TOGETHER
from dualres.model.reference.network import gated
from dualres.model.weights import Weights
from dualres.utils.arrays import Exact, Floats


def residual_shares(
    weights: Weights, windows: Windows, label: int, rival: int, *, neutral: Exact | None = None
) -> Contributions:
    """Of raw windows (n, window) at the model's rate, between two classes by their numbers.

    Frequencies are counted from `neutral` log-magnitudes (short_bins + long_bins), such as the mean over labelled
    windows; without them from silence.
    """
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
    """What the gated memory says at every token, (n, tokens), of features (n, tokens, width), and its gradient by them.

    A few windows at a time: what a gradient needs of the states takes some megabytes for each.
    """
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


EXPLANATION = Explanation(residual_shares, counts_from=True)
