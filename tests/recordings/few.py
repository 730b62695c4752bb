"""Signals of many tests: one of a few samples, and one that comes in blocks."""

import numpy as np

from dualres.recordings.recording import BLOCK, Blockwise, mean_of, sliced

X = np.arange(5.0)


class InBlocks(Blockwise):
    """A signal that is never in one piece."""

    def __init__(self, signal):
        self.length, self._signal, self.mean = len(signal), signal, mean_of(sliced(signal, BLOCK))

    def blocks(self):
        return sliced(self._signal, BLOCK)
