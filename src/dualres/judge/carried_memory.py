"""Windows that follow each other, judged with a memory that goes on from one to the next."""

import base64
from collections.abc import Sequence

import numpy as np

from dualres.errors import ConfigError
from dualres.judge.backends import Scores, weights_of
from dualres.judge.model import Model
from dualres.judge.windows import mean_over_axes
from dualres.model.kinds import MemoryParts, resolved
from dualres.model.reference.probabilities import softmax
from dualres.recordings.recording import Samples


class CarriedMemory:
    """Of one signal: a state for each axis and member, of one size however long the signal is.

    Between windows a state is held in float32, so that markers are small. Behind a window that float32 cannot compute
    the memory begins anew.
    """

    def __init__(self, model: Model) -> None:
        self._parts = memory_of(model)
        self._axes = [
            [weights_of(one) for one in model.members_of(axis)] for axis in range(max(len(model.card.channels), 1))
        ]
        self._empty = self._parts.empty(model.card.config).astype(np.complex64)
        self._states = [[self._empty for _ in members] for members in self._axes]

    def scores(self, window: Samples, *, first: bool) -> Scores:
        """Of the raw window (axes, window) that begins half a window behind the one before, (1, classes). The `first`
        one of a signal begins with an empty memory: what is said of it is what the model says of it alone."""
        return mean_over_axes([self._along(axis, samples, first) for axis, samples in enumerate(window)])

    def _along(self, axis: int, samples: Samples, first: bool) -> Scores:
        """The mean over the members of an axis, (1, classes)."""
        said = []
        for i, weights in enumerate(self._axes[axis]):
            before = self._empty if first else self._states[axis][i]
            logits, after = self._parts.logits(weights, samples, before.astype(np.complex128))
            said.append(softmax(logits.astype(np.float32).astype(np.float64)))
            self._states[axis][i] = after.astype(np.complex64) if np.isfinite(after).all() else self._empty
        return np.asarray(np.mean(said, axis=0))[None]

    def marker(self) -> list[str]:
        """Where the memory is, as plain data."""
        return [base64.b64encode(state.astype("<c8").tobytes()).decode() for row in self._states for state in row]

    def read(self, marker: Sequence[str]) -> None:
        """Be where another one was that gave the marker."""
        held = (np.frombuffer(base64.b64decode(one), "<c8").reshape(self._empty.shape) for one in marker)
        self._states = [[next(held) for _ in row] for row in self._states]


def memory_of(model: Model) -> MemoryParts:
    """What carries a model's memory on; a ConfigError where it has none."""
    kind = model.card.kind
    parts = resolved(kind.carried) if kind else None
    if parts is None:
        title = f"a {kind.title}" if kind else f"of the method {model.card.method}"
        raise ConfigError(
            f"the model is {title}, which has no memory to carry on; fit the paper's network, by --recipe robust or "
            "--recipe paper"
        )
    parts.empty(model.card.config)
    return parts
