"""The paper's network: two views, the memory, a gated residual, the mean over tokens, a linear head."""

import numpy as np

from dualres.config import LARGEST_PASS, ModelConfig
from dualres.model.reference.memory import affine, coefficients, readout
from dualres.model.reference.spectra import aligned_spectra
from dualres.model.weights import Weights
from dualres.utils.arrays import Exact, Floats, Reals

MOST_AT_ONCE = 16  # windows; what is held of them fits into a processor's caches
EPSILON = 1e-5  # added to a variance before features are divided by its root


@np.errstate(all="ignore")  # what is not finite gives logits that are not, as by the kernel
def logits(weights: Weights, windows: Floats) -> Exact:
    """Raw windows (n, window) at the model's rate to (n, classes)."""
    weights.config.check_pass()
    said = [np.empty((0, weights.classes))]
    for some in parts(windows, weights.config):
        pooled = pooled_of(weights, *aligned_spectra(some.astype(np.float64), weights.config))
        said.append(affine(weights, "head", pooled[:, None])[:, 0])
    return np.concatenate(said)


def parts(windows: Floats, config: ModelConfig) -> list[Floats]:
    """A few windows at a time, one where a single one's frames and states are many."""
    size = max(1, min(MOST_AT_ONCE, LARGEST_PASS // config.held))
    return [windows[first : first + size] for first in range(0, len(windows), size)]


def pooled_of(weights: Weights, short: Reals, long: Reals) -> Exact:
    """Aligned log-magnitudes to one vector per window, (n, width)."""
    e = features(weights, short, long)
    y = np.zeros_like(e)
    if weights.config.memory:
        y = readout(coefficients(weights, normed(weights, e)), weights.theta())
    return np.asarray((e + gated(weights, y)).mean(1))


def features(weights: Weights, short: Reals, long: Reals) -> Exact:
    """Both views projected and put side by side, (n, tokens, width); a removed branch is zero."""
    projected = {"short": affine(weights, "encoder.short", short), "long": affine(weights, "encoder.long", long)}
    kept = weights.config.branches
    return np.concatenate([x if kept in ("both", name) else np.zeros_like(x) for name, x in projected.items()], axis=-1)


def normed(weights: Weights, e: Exact) -> Exact:
    """Features (n, tokens, width) brought to mean zero and variance one at every token, then scaled and shifted."""
    return standardised(e) * weights.exact("encoder.norm.weight") + weights.exact("encoder.norm.bias")


def standardised(e: Exact) -> Exact:
    centred = e - e.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPSILON))


def gated(weights: Weights, y: Exact) -> Exact:
    """What the memory's readout (n, tokens, width) adds to the features."""
    gate = affine(weights, "encoder.gate", y)
    return affine(weights, "encoder.mix", y) * (gate * sigmoid(gate))


def sigmoid(x: Exact) -> Exact:
    """1 / (1 + exp(-x)) by a function that does not overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(x / 2))
