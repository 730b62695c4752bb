"""The two ways to measure a neural method, and what one does so that all take it.

`shipped` is what `dualres diagnose` runs: each method by its fastest path, which for DualRes means compiled or fused
code of its own. `eager` is like for like: every method by PyTorch's own operations one after the other, on as many
windows at once as the paper has, and resampling by NumPy. A method that is not trained has one way only.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from dualres.bench.profile.plan import EAGER
from dualres.judge import backends as scorers
from dualres.judge.backends import Scores, Windows
from dualres.kernel import compiled
from dualres.kernel.gpu import triton_setting
from dualres.model.reference.probabilities import softmax
from dualres.model.torch_network import TorchNetwork

TOLERANCE = 1e-5  # largest difference between the two ways' scores of a window; probabilities in float32

_SWITCHES = {compiled.SETTING: compiled.OFF, triton_setting.SETTING: triton_setting.OFF}


@dataclass(frozen=True)
class EitherWay:
    """One of DualRes' networks: by PyTorch where its own code is switched off, by what is shipped elsewhere."""

    network: TorchNetwork

    def scores(self, windows: Windows) -> Scores:
        if compiled.variant() is not None:
            return scorers.scores(self.network, windows)
        return softmax(scorers.by_torch(self.network, windows).astype(np.float64))


@contextmanager
def by_way(way: str) -> Iterator[None]:
    """Within it, methods take that way; the shipped one is what the process would take anyway."""
    if way != EAGER:
        yield
        return
    before = {name: os.environ.get(name) for name in _SWITCHES}
    os.environ.update(_SWITCHES)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
