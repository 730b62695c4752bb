"""Signals of many tests: one of a few samples, and one that comes in blocks."""

import numpy as np

from dualres.recordings.formats.registry import format_of, pick
from dualres.recordings.recording import BLOCK, Blockwise, mean_of, sliced

X = np.arange(5.0)


def parse(path, channel=None, start=0, stop=None):
    """What is listed in a file, as (name, samples, rate), and the vector that is asked for."""
    listing, vector = pick(format_of(path).parse(path), channel, start, stop)
    return [(one.name, one.length, one.rate) for one in listing], vector


class InBlocks(Blockwise):
    """A signal that is never in one piece."""

    def __init__(self, signal):
        self.length, self._signal, self.mean = len(signal), signal, mean_of(sliced(signal, BLOCK))

    def blocks(self):
        return sliced(self._signal, BLOCK)
