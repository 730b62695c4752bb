"""How long it will take until what comes now is judged: from how much waits, and from how fast it went lately."""

from __future__ import annotations

from collections import deque
from statistics import median

ROUNDS = 15  # that count; of these the middle one, so that a disk that hangs once does not look like too much work


class Pace:
    """Told of everything that comes to wait, and of every round of judging."""

    def __init__(self, waiting: int, full: int) -> None:
        """`waiting` bytes are there. Only rounds of `full` bytes or more tell how fast it goes: others have idle time
        in them, and a commit costs as much for little as for much."""
        self._waiting, self._full = waiting, max(full, 1)
        self._rounds: deque[float] = deque(maxlen=ROUNDS)  # seconds for a byte

    def came(self, size: int) -> None:
        """So many bytes."""
        self._waiting += size

    def judged(self, size: int, seconds: float) -> None:
        """So many bytes in so many seconds."""
        self._waiting = max(0, self._waiting - size)
        if size >= self._full:
            self._rounds.append(seconds / size)

    def nothing_waits(self) -> None:
        """All is judged."""
        self._waiting = 0

    @property
    def behind_s(self) -> float:
        """Seconds until all that waits is judged; 0 while nobody knows."""
        return self._waiting * median(self._rounds) if self._rounds else 0.0
