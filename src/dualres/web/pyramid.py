"""A long signal at any magnification: the lowest and highest sample of every stretch, at several lengths of stretches.

Panning over an hour costs what panning over a second costs: a column of a plot is the extremes of a few stretches.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import numpy.typing as npt

from dualres.recordings.recording import BLOCK, Samples

FINEST = 256  # samples of the shortest stretches; below that the samples themselves are few
COARSER = 8  # stretches of one level in one of the next
ENOUGH = 4  # stretches of a column at least, so that its edges are nearly where they should be
GLIMPSES = 128  # stretches of a glance at a signal whose extremes are not known yet

Extremes = npt.NDArray[np.float32]  # lowest and highest, (2, columns)
Read = Callable[[int, int], Samples]  # samples from the first up to before the last


@dataclass
class Pyramid:
    """The extremes of a signal of `length` samples, as far as they are known."""

    length: int
    read: Read
    levels: list[Extremes] = field(default_factory=list)  # finest first
    building: Lock = field(default_factory=Lock, repr=False)  # held by whoever builds it

    @property
    def complete(self) -> bool:
        return bool(self.levels) or self.length <= BLOCK

    @property
    def nbytes(self) -> int:
        return sum(level.nbytes for level in self.levels)

    def build(self) -> None:
        if self.complete:
            return
        finest = np.empty((2, -(-self.length // FINEST)), np.float32)
        for first in range(0, self.length, BLOCK):
            block = self.read(first, min(first + BLOCK, self.length))
            at = first // FINEST
            found = extremes(block, -(-len(block) // FINEST), FINEST)
            finest[:, at : at + found.shape[1]] = found
        levels = [finest]
        while levels[-1].shape[1] > 4 * COARSER:
            levels.append(_gathered(levels[-1], np.arange(0, levels[-1].shape[1], COARSER)))
        self.levels = levels

    def view(self, first: int, last: int, columns: int) -> Extremes:
        """The extremes of `columns` equal stretches, (2, columns); before the signal is known, of a few samples."""
        each = (last - first) / columns
        if last - first <= BLOCK // 4 or (not self.levels and self.length <= BLOCK):
            samples = self.read(first, last)
            return _columns(np.stack([samples, samples]), columns)
        if not self.levels:
            return self._glance(first, last, columns)
        level, size = 0, FINEST
        while level + 1 < len(self.levels) and ENOUGH * size * COARSER <= each:
            level, size = level + 1, size * COARSER
        return _columns(self.levels[level][:, first // size : -(-last // size)], columns)

    def _glance(self, first: int, last: int, columns: int) -> Extremes:
        starts = np.linspace(first, max(first, last - FINEST), min(columns, GLIMPSES)).astype(int)
        seen = [self.read(int(start), int(start) + FINEST) for start in starts]
        few = np.array([[one.min() for one in seen], [one.max() for one in seen]], np.float32)
        return few[:, np.minimum(np.arange(columns) * len(seen) // columns, len(seen) - 1)]


def extremes(samples: Samples, stretches: int, size: int) -> Extremes:
    """Of successive stretches of `size` samples, the last one perhaps shorter, (2, stretches)."""
    whole = len(samples) // size
    parts = samples[: whole * size].reshape(whole, size)
    found = np.empty((2, stretches), np.float32)
    found[0, :whole], found[1, :whole] = parts.min(1), parts.max(1)
    if whole < stretches:
        found[:, whole] = samples[whole * size :].min(), samples[whole * size :].max()
    return found


def _columns(level: Extremes, columns: int) -> Extremes:
    """As many columns as asked for; fewer where there are fewer values."""
    count = level.shape[1]
    return level if count <= columns else _gathered(level, np.arange(columns) * count // columns)


def _gathered(level: Extremes, starts: npt.NDArray[np.int64]) -> Extremes:
    return np.stack([np.minimum.reduceat(level[0], starts), np.maximum.reduceat(level[1], starts)])
