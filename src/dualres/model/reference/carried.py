"""The paper's network over a stream: a window's memory begins where the window before had brought it.

A window of a stream is judged as the paper judges a window: without its own mean, divided by its own RMS, by the mean
over its own tokens. All of that is known once its last sample came, so nothing looks ahead. The one difference is the
state before its first token. The paper's is zero; here it is the state that the window before had reached at that same
token of the stream. So every token takes the memory on once, in the window that begins with it or before it, and the
memory never ends. From a state of zero the logits are those of `network.logits`.
"""

import numpy as np

from dualres.config import ModelConfig
from dualres.errors import ConfigError
from dualres.model.kinds import MemoryParts
from dualres.model.reference.memory import affine, coefficients, read, walk
from dualres.model.reference.network import features, gated, normed
from dualres.model.reference.spectra import aligned_spectra
from dualres.model.weights import Weights
from dualres.utils.arrays import Complex, Exact, Floats


def empty_memory(config: ModelConfig) -> Complex:
    """The state before a stream's first token, (width, states); an error for a network whose memory cannot go on."""
    if not config.memory:
        raise ConfigError("the model was fitted with its memory silenced, so there is none to carry on")
    if config.window // 2 % config.hop or step_of(config) > config.tokens:
        raise ConfigError(
            f"window={config.window}, hop={config.hop}: half a window is no whole number of tokens, or more than its "
            "tokens reach, so the memory cannot go on from window to window"
        )
    return np.zeros((config.width, config.states), np.complex128)


@np.errstate(all="ignore")  # what is not finite gives logits that are not, as those of a window alone
def carried_logits(weights: Weights, window: Floats, before: Complex) -> tuple[Exact, Complex]:
    """Of a raw window (window,) at the model's rate, in float64: (classes,), and the state (width, states) before the
    first token of the window that begins half a window later."""
    e = features(weights, *aligned_spectra(window[None].astype(np.float64), weights.config))
    given = coefficients(weights, normed(weights, e))
    states = list(walk(given, weights.theta(), before[None]))
    pooled = (e + gated(weights, read(given, states))).mean(1)
    return affine(weights, "head", pooled[:, None])[0, 0], states[step_of(weights.config) - 1][0]


def step_of(config: ModelConfig) -> int:
    """Tokens from the begin of a window to that of the next, half a window later."""
    return config.window // 2 // config.hop


CARRIED = MemoryParts(empty_memory, carried_logits)
