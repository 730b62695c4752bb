"""How many files are handed out together: few enough that progress is seen, so many that handing out costs nothing."""

import time
from collections.abc import Callable

TAKES_S = 0.25  # that a chunk should
FIRST, MOST = 4, 64  # files


class ChunkSizes:
    """Learns from the files that came back."""

    def __init__(self, workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.workers = workers
        self._clock, self._begin, self._done = clock, clock(), 0

    def add(self, files: int) -> None:
        """So many files came back. Time counts from the first of them: until then workers start."""
        if not self._done:
            self._begin = self._clock()
        self._done += files

    @property
    def size(self) -> int:
        """Of the next chunk."""
        taken = self._clock() - self._begin
        if self._done <= 4 * FIRST * self.workers or taken <= 0:
            return FIRST
        return min(MOST, max(1, round(TAKES_S * self._done / taken / self.workers)))
